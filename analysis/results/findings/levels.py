"""Levels of a short scale, by system: mean and median, where people chose from a few."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.presenting.document import Shown
from analysis.presenting.sentences import number
from analysis.results.registry import Context, Finding, Section
from analysis.stats.quality import group_medians

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

HEADINGS: Final = {
    "system": "System",
    "mean": "Mean level",
    "median": "Median level",
    "captions": "Captions",
    "ratings": "Ratings",
}


@dataclass(frozen=True, slots=True)
class SystemLevel:
    """``mean`` is over caption means, as in the ranking; ``median`` over single ratings."""

    system: str
    mean: float
    median: float
    captions: int
    ratings: int


@dataclass(frozen=True, slots=True)
class Levels:
    """By system, best first."""

    systems: tuple[SystemLevel, ...]


def compute(material: Material) -> Levels | None:
    analysis = material.analysis
    ratings, found = analysis.ratings, analysis.systems
    if not analysis.settings.scale.is_ordinal or ratings.is_standardised:
        return None
    rows = material.counted
    medians = group_medians(ratings.score[rows], ratings.system[rows], len(ratings.systems))
    return Levels(
        tuple(
            SystemLevel(
                ratings.systems[code],
                float(found.raw[code]),
                float(medians[code]),
                int(found.captions[code]),
                int(found.ratings[code]),
            )
            for code in analysis.ranking.order.tolist()
        )
    )


def show(found: Levels | None, context: Context) -> Shown:
    if found is None or not found.systems:
        return Shown()
    best, scale = max(found.systems, key=lambda each: each.mean), context.settings.scale
    said = (
        f"On levels from {scale.low} to {scale.high}, the captions of {best.system} have the "
        f"highest mean, {number(best.mean, 2)}."
    )
    return Shown(said, [asdict(each) for each in found.systems], HEADINGS)


def record(found: Levels | None) -> Mapping[str, Any]:
    return {} if found is None else {"levels": found.systems}


FINDINGS: Final = (
    Finding(
        name="levels",
        title="Levels by system",
        numbers=Levels,
        compute=compute,
        show=show,
        record=record,
        section=Section.RATINGS,
        place=1,
        is_quick=True,
    ),
)
