"""Which system is significantly better than which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.presenting.charts import Row, matrix_spec, short_p
from analysis.presenting.document import Shown
from analysis.presenting.exports import Table, records
from analysis.results.numbers import columns
from analysis.results.registry import Context, Finding, Section

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

ADJUSTED: Final = {
    "p": "",
    "p_holm": ", adjusted by Holm",
    "p_bh": ", adjusted by Benjamini and Hochberg",
}
HEADINGS: Final = {
    "better": "Better",
    "worse": "Worse",
    "p": "p",
    "p_holm": "p (Holm)",
    "p_bh": "p (Benjamini–Hochberg)",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """p that ``better`` is no better than ``worse``: one-sided rank-sum test on caption scores."""

    better: str
    worse: str
    p: float
    p_holm: float
    p_bh: float


@dataclass(frozen=True, slots=True)
class Significance:
    """Every ordered pair of systems, both in the order of the ranking."""

    pairs: tuple[Pair, ...]
    ranked: int
    """Systems that have a score: the others come last."""


def compute(material: Material) -> Significance:
    ranking, names = material.analysis.ranking, material.analysis.ratings.systems
    order = material.analysis.competing.tolist()
    pairs = tuple(
        Pair(
            names[better],
            names[worse],
            float(ranking.p[better, worse]),
            float(ranking.p_holm[better, worse]),
            float(ranking.p_bh[better, worse]),
        )
        for better in order
        for worse in order
        if better != worse
    )
    return Significance(pairs, len(ranking.order))


def show(found: Significance, context: Context) -> Shown:
    if found.ranked < 2:
        return Shown()
    rows, alpha = significance_rows(found, context), context.settings.alpha
    return Shown(
        rows=rows,
        headings=HEADINGS,
        summary="Every ordered pair, with adjusted p values",
        spec=matrix_spec(rows, "p that the row's system is better than the column's"),
        caption=f"p of the one-sided rank-sum test on caption z scores{ADJUSTED[context.adjusted]}"
        f". A filled cell, p < {alpha:g}, is a win of the row's system over the column's.",
    )


def significance_rows(found: Significance, context: Context) -> list[Row]:
    """Every ordered pair of systems with a score; wins go by the p that was asked for."""
    ranked = set(list(dict.fromkeys(pair.better for pair in found.pairs))[: found.ranked])
    return [
        {
            "better": pair.better,
            "worse": pair.worse,
            "p": pair.p,
            "p_holm": pair.p_holm,
            "p_bh": pair.p_bh,
            "win": bool(deciding < context.settings.alpha),
            "shown": short_p(deciding),
        }
        for pair in found.pairs
        if pair.better in ranked and pair.worse in ranked
        for deciding in [getattr(pair, context.adjusted)]
    ]


def significance_table(found: Significance) -> Table:
    return columns(Pair, found.pairs)


def record(found: Significance) -> Mapping[str, Any]:
    return {"significance": records(significance_table(found))}


FINDINGS: Final = (
    Finding(
        name="significance",
        title="Which differences are significant",
        numbers=Significance,
        compute=compute,
        show=show,
        record=record,
        tables={"significance": significance_table},
        section=Section.RANKING,
        place=2,
        is_quick=True,
        page="analysis/_matrix.html",
    ),
)
