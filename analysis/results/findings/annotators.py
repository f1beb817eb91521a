"""Who passed quality control, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.charts import Row, quality_spec
from analysis.presenting.document import Shown
from analysis.presenting.exports import Table, records
from analysis.presenting.sentences import UNCHECKED
from analysis.results import numbers
from analysis.results.registry import Context, Finding, Section
from analysis.stats.quality import INSUFFICIENT

if TYPE_CHECKING:
    from analysis.results.pipeline import Analysis, Material

HEADINGS: Final = {
    "annotator": "Annotator",
    "status": "Quality control",
    "p": "p",
    "pairs": "Pairs",
    "original": "Originals",
    "degraded": "Degraded",
    "flags": "Flags",
}
MORE: Final = ("status", "repeats", "repeat_distance", "degraded_mean", "original_mean")
"""Columns of report.json that annotators.csv has not."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One annotator; without means where nothing degraded was rated."""

    annotator: str
    ratings: int
    pairs: int
    statistic: float
    p: float
    passed: bool
    mean: float
    sd: float
    repeat_p: float
    flags: str
    status: str
    repeats: int
    repeat_distance: float
    degraded_mean: float
    original_mean: float


@dataclass(frozen=True, slots=True)
class Checked:
    """Pairs of everybody, and how many are needed to decide about a person; ``lost`` are those whom
    that costs: they are not known to be careless."""

    pairs: int
    needed: int
    lost: int


@dataclass(frozen=True, slots=True)
class QualityControl:
    annotators: tuple[Judged, ...]
    checked: Checked
    has_raw_scores: bool


def compute(material: Material) -> QualityControl:
    analysis = material.analysis
    quality, standardised = analysis.quality, analysis.standardised
    columns = (
        standardised.ratings,
        quality.pairs.n,
        quality.pairs.statistic,
        quality.pairs.p,
        quality.passed,
        standardised.mean,
        standardised.sd,
        quality.repeats.p,
    )
    more = (
        quality.repeats.n,
        quality.repeat_distance,
        quality.degraded_mean,
        quality.original_mean,
    )
    flags = [
        ";".join([INSUFFICIENT, *raised] if status == INSUFFICIENT else raised)
        for status, raised in zip(quality.status, analysis.flags, strict=True)
    ]
    rows = zip(
        analysis.ratings.annotators,
        zip(*(column.tolist() for column in columns), strict=True),
        flags,
        quality.status,
        zip(*(column.tolist() for column in more), strict=True),
        strict=True,
    )
    judged = tuple(
        Judged(name, *of_table, raised, status, *further)  # type: ignore[call-arg]
        for name, of_table, raised, status, further in rows
    )
    is_raw = not analysis.ratings.is_standardised
    return QualityControl(judged, checked(analysis), is_raw)


def checked(analysis: Analysis) -> Checked:
    quality, level = analysis.quality, analysis.settings.quality_alpha
    left_out = np.array([status == INSUFFICIENT for status in quality.status], bool)
    lost = int(np.count_nonzero(quality.pairs.p[left_out] < level))
    return Checked(int(quality.pairs.n.sum()), quality.needed, lost)


def show(found: QualityControl, context: Context) -> Shown:
    rows = annotator_rows(found)
    drawn = [row for row in rows if row["pairs"] and found.has_raw_scores]
    return Shown(
        quality_sentence(found.checked, context),
        rows,
        HEADINGS,
        summary="Every annotator",
        spec=quality_spec(drawn, context.settings.scale) if drawn else None,
        caption="Each mark is an annotator. Below the dashed line degraded captions got lower "
        "scores than their originals, as expected.",
    )


def annotator_rows(found: QualityControl) -> list[Row]:
    return [
        {
            "annotator": row.annotator,
            "original": row.original_mean,
            "degraded": row.degraded_mean,
            "pairs": row.pairs,
            "p": row.p,
            "status": row.status,
            "flags": ", ".join(row.flags.removeprefix(INSUFFICIENT).strip(";").split(";")),
        }
        for row in found.annotators
    ]


def quality_sentence(found: Checked, context: Context) -> str:
    counts, everybody = context.counts, context.settings.keep_all_annotators
    who = "Everybody's ratings" if everybody else "Only the ratings of those who passed"
    if not found.pairs:
        return f"{UNCHECKED[0].upper()}{UNCHECKED[1:]}. {who} count in the ranking."
    passed, failed = counts.annotators_passed, counts.annotators_failed
    others = [*([f"{failed:,} failed"] if failed else []), *too_few(found, context)]
    rest = f"{'; '.join(others)}. " if others else ""
    reliably = ": they rated degraded captions reliably lower than the originals" if passed else ""
    return (
        f"{passed:,} of {counts.annotators:,} annotators passed{reliably}. {rest}{who} count in "
        "the ranking."
    )


def too_few(found: Checked, context: Context) -> list[str]:
    """Who is left out for want of pairs, and whom that costs."""
    few, level = context.counts.annotators_insufficient, context.settings.quality_alpha
    if not few:
        return []
    costs = f", yet p < {level:g} for {found.lost:,} of them" if found.lost else ""
    return [f"{few:,} rated fewer than the {found.needed} pairs needed{costs}"]


def annotators_table(found: QualityControl, *, without: tuple[str, ...] = ()) -> Table:
    return numbers.columns(Judged, found.annotators, without=without)


def record(found: QualityControl) -> Mapping[str, Any]:
    return {"annotators": records(annotators_table(found))}


FINDINGS: Final = (
    Finding(
        name="annotators",
        title="Annotators",
        numbers=QualityControl,
        compute=compute,
        show=show,
        record=record,
        tables={"annotators": partial(annotators_table, without=MORE)},
        section=Section.RATINGS,
        place=1,
        is_quick=True,
    ),
)
