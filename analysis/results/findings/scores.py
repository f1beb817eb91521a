"""How often each score was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.presenting.charts import (
    BIN_WIDTH,
    CONTROLS,
    DAMAGED,
    LEVEL_HEADINGS,
    SPREAD_HEADINGS,
    bin_counts,
    spread_rows,
    spread_spec,
)
from analysis.presenting.document import Shown
from analysis.results.registry import Context, Finding, Section
from analysis.stats.ratings import DEGRADED, REFERENCE

if TYPE_CHECKING:
    from analysis.results.pipeline import Material


@dataclass(frozen=True, slots=True)
class Spread:
    """Ratings of one kind of caption in each bin, by annotators in use."""

    group: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoresGiven:
    """By system, best first, then of control and of degraded captions."""

    groups: tuple[Spread, ...]


def compute(material: Material) -> ScoresGiven:
    analysis = material.analysis
    if analysis.ratings.is_standardised:
        return ScoresGiven(())
    ratings, used = analysis.ratings, analysis.used[analysis.ratings.annotator]
    groups = {
        ratings.systems[code]: ratings.scores_a_caption & (ratings.system == code)
        for code in analysis.ranking.order.tolist()
    }
    groups |= {CONTROLS: ratings.kind == REFERENCE, DAMAGED: ratings.kind == DEGRADED}
    spreads = (
        Spread(group, bin_counts(ratings.score[mask & used], analysis.settings.scale))
        for group, mask in groups.items()
    )
    return ScoresGiven(tuple(spread for spread in spreads if any(spread.counts)))


def show(found: ScoresGiven, context: Context) -> Shown:
    scale = context.settings.scale
    rows = spread_rows({spread.group: spread.counts for spread in found.groups}, scale)
    if not rows:
        return Shown()
    return Shown(
        "Distribution of scores, by kind of caption.",
        rows,
        LEVEL_HEADINGS if scale.is_ordinal else SPREAD_HEADINGS,
        summary="The numbers behind the bars",
        spec=spread_spec(rows, scale),
        caption="Share of ratings at each level."
        if scale.is_ordinal
        else f"Share of ratings by raw score, in steps of {BIN_WIDTH}.",
    )


FINDINGS: Final = (
    Finding(
        name="scores",
        title="Scores given",
        numbers=ScoresGiven,
        compute=compute,
        show=show,
        record=lambda numbers: {},
        section=Section.RATINGS,
        place=2,
        is_quick=True,
    ),
)
