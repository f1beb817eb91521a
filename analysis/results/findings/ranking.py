"""Systems, best first: scores, intervals, clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.charts import Row, intervals_spec
from analysis.presenting.document import Shown
from analysis.presenting.exports import Table, records
from analysis.presenting.sentences import NOTHING, UNCHECKED, listed, number
from analysis.results.findings.annotators import Checked, checked, too_few
from analysis.results.numbers import columns
from analysis.results.registry import Context, Finding, Section

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

NOBODY, UNRATED, CONSTANT = "nobody counts", "no caption rated", "no variance"
HEADINGS: Final = {
    "ranks": "Rank",
    "system": "System",
    "z": "z",
    "z_low": "from",
    "z_high": "to",
    "raw": "Raw",
    "wins": "Wins",
    "captions": "Captions",
    "ratings": "Ratings",
}


INTERVALS: Final = ("rank_interval_low", "rank_interval_high")
"""Columns that systems.csv has not."""


@dataclass(frozen=True, slots=True)
class RankedSystem:
    system: str
    raw: float
    z: float
    captions: int
    ratings: int
    wins: int
    rank_low: float
    rank_high: float
    z_low: float
    z_high: float
    range_low: float
    range_high: float
    rank_interval_low: float
    rank_interval_high: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """``systems`` best first, the last ones without a score; ``obstacle``: why none has one;
    ``wins``: which system is significantly better than which."""

    systems: tuple[RankedSystem, ...]
    wins: tuple[tuple[str, str], ...]
    obstacle: str
    checked: Checked

    @property
    def ranked(self) -> list[RankedSystem]:
        return [row for row in self.systems if not math.isnan(row.z)]


def compute(material: Material) -> Ranking:
    analysis = material.analysis
    systems, ranking, intervals = analysis.systems, analysis.ranking, analysis.intervals
    rows = tuple(
        RankedSystem(
            system=analysis.ratings.systems[code],
            raw=float(systems.raw[code]),
            z=float(systems.z[code]),
            captions=int(systems.captions[code]),
            ratings=int(systems.ratings[code]),
            wins=int(ranking.wins[code]),
            rank_low=float(ranking.rank_low[code]),
            rank_high=float(ranking.rank_high[code]),
            z_low=float(intervals.z_low[code]),
            z_high=float(intervals.z_high[code]),
            range_low=float(ranking.range_low[code]),
            range_high=float(ranking.range_high[code]),
            rank_interval_low=float(intervals.rank_low[code]),
            rank_interval_high=float(intervals.rank_high[code]),
        )
        for code in analysis.competing.tolist()
    )
    wins = zip(*np.nonzero(ranking.p < analysis.settings.alpha), strict=True)
    names = analysis.ratings.systems
    return Ranking(
        systems=rows,
        wins=tuple((names[better], names[worse]) for better, worse in wins),
        obstacle=_obstacle(material),
        checked=checked(analysis),
    )


def _obstacle(material: Material) -> str:
    analysis = material.analysis
    if len(analysis.ranking.order):
        return ""
    if not analysis.used.any():
        return NOBODY
    return CONSTANT if material.counted.any() else UNRATED


def show(found: Ranking, context: Context) -> Shown:
    rows = ranking_rows(found)
    if not rows:
        return Shown()
    settings = context.settings
    units = {"caption": "videos", "annotator": "annotators"}[settings.resample]
    return Shown(
        raw_sentence(found),
        rows,
        HEADINGS,
        spec=intervals_spec(
            [_drawn(row) for row in rows],
            description="Scores of systems with their intervals, best first.",
            axis="Mean z score",
        ),
        caption=f"Mean z score and {100 * settings.confidence:g} % interval (bootstrap over "
        f"{units}). Dashed lines separate clusters: every system above is significantly better "
        "than every one below. A rank range leaves out the places of systems significantly better "
        "or worse than this one.",
        clusters="cluster",
    )


def ranking_rows(found: Ranking) -> list[Row]:
    return [
        {
            "system": row.system,
            "cluster": int(row.rank_low),
            "ranks": ranks(row.range_low, row.range_high),
            "z": row.z,
            "z_low": _defined(row.z_low),
            "z_high": _defined(row.z_high),
            "raw": row.raw,
            "wins": row.wins,
            "captions": row.captions,
            "ratings": row.ratings,
        }
        for row in found.ranked
    ]


def _drawn(row: Row) -> Row:
    ends = {"value": row["z"], "low": row["z_low"], "high": row["z_high"]}
    return {"name": row["system"], "cluster": row["cluster"], **ends}


def ranks(low: float, high: float) -> str:
    """
    >>> ranks(1.0, 1.0), ranks(2.0, 4.0)
    ('1', '2–4')
    """
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def ranking_sentence(found: Ranking, context: Context) -> str:
    """Who leads, and how surely."""
    order = found.ranked
    if not order:
        return f"There is no ranking yet. {missing_sentence(found, context)}"
    first = order[0]
    score = f"a mean z of {number(first.z)}"
    if len(order) == 1:
        return f"{first.system} is the only system, with {score}."
    if first.wins == len(order) - 1:
        said = [f"{first.system} leads with {score}; every other system is significantly worse."]
    else:
        said = [f"{first.system} has the highest score, {score}.", *_against_the_first(found)]
    return " ".join([*said, *_inside_clusters(found), *_against_the_order(found)])


def _against_the_first(found: Ranking) -> list[str]:
    """Of which systems it can and cannot be told apart: only of those pairs either is said."""
    first, *others = found.ranked
    apart = set(found.wins)
    alike = [
        row.system
        for row in others
        if not {(first.system, row.system), (row.system, first.system)} & apart
    ]
    better = f"significantly better than {first.wins} of the {len(others)} others"
    said = [better] if first.wins else []
    said += [f"not significantly different from {listed(alike)}"] if alike else []
    return [f"It is {', and '.join(said)}."] if said else []


def _inside_clusters(found: Ranking) -> list[str]:
    """How many pairs differ in a cluster: one pair too few joins systems, and need not tie them."""
    clusters: dict[float, list[str]] = {}
    for row in found.ranked:
        clusters.setdefault(row.rank_low, []).append(row.system)
    first, *later = clusters.items()
    said = [_first_cluster(found, first[1])] if len(first[1]) > 1 else []
    said += [
        f"Among places {low:.0f} to {low + len(systems) - 1:.0f}, {_differing(found, systems)}."
        for low, systems in later
        if _wins_among(found, systems)
    ]
    return [sentence for sentence in said if sentence]


def _first_cluster(found: Ranking, systems: Sequence[str]) -> str:
    """Nothing where it has all systems and they are two: that has been said."""
    differing = _differing(found, systems)
    if len(systems) < len(found.ranked):
        return (
            f"The first {len(systems)} systems are each significantly better than all the others; "
            f"among themselves {differing}."
        )
    together = f"All {len(systems)} systems are in one cluster, for no line parts better from worse"
    return f"{together}; {differing}." if len(systems) > 2 else ""


def _differing(found: Ranking, systems: Sequence[str]) -> str:
    pairs = len(systems) * (len(systems) - 1) // 2
    verb = "pair differs" if pairs == 1 else "pairs differ"
    return f"{_wins_among(found, systems) or 'none'} of {pairs} {verb} significantly"


def _wins_among(found: Ranking, systems: Sequence[str]) -> int:
    inside = set(systems)
    return sum(better in inside and worse in inside for better, worse in found.wins)


def _against_the_order(found: Ranking) -> list[str]:
    """Wins of a system over one with a higher mean: the test looks at ranks of captions."""
    names, wins = [row.system for row in found.ranked], set(found.wins)
    pairs = [
        f"{low} over {high}"
        for place, high in enumerate(names)
        for low in names[place + 1 :]
        if (low, high) in wins
    ]
    if not pairs:
        return []
    ahead = listed(pairs)
    return [f"Contrary to the order of the means, the test finds {ahead} significantly better."]


def missing_sentence(found: Ranking, context: Context) -> str:
    """Why no system is ranked: what is lacking. Empty where one is."""
    if found.obstacle == NOBODY:
        return _nobody_counts(found.checked, context)
    if found.obstacle == UNRATED:
        return "Nobody whose ratings count has rated a caption of a system yet."
    if found.obstacle == CONSTANT:
        return "Everybody whose ratings count always gave the same score, so nothing can be ranked."
    return ""


def _nobody_counts(found: Checked, context: Context) -> str:
    counts = context.counts
    who = "One person has" if counts.annotators == 1 else f"{counts.annotators:,} people have"
    if not found.pairs:
        return f"{who} rated, but nobody’s ratings count: {UNCHECKED}."
    failed = counts.annotators_failed
    reasons = [f"{failed:,} failed quality control"] if failed else []
    return (
        f"{who} rated, but nobody’s ratings count: {'; '.join(reasons + too_few(found, context))}."
    )


def raw_sentence(found: Ranking) -> str:
    """Raw beside z: would it have mattered?"""
    order = found.ranked
    if len(order) < 2:
        return NOTHING
    if all(math.isnan(row.raw) for row in order):
        return "The file holds z scores: raw scores are not known, and not defined here."
    swapped = [
        f"{above.system} ↔ {below.system}"
        for place, above in enumerate(order)
        for below in order[place + 1 :]
        if below.raw > above.raw
    ]
    if not swapped:
        return "Raw scores put the systems in the same order as z scores."
    pairs = len(order) * (len(order) - 1) // 2
    return f"Raw scores would swap {len(swapped)} of {pairs} pairs of systems: {listed(swapped)}."


def systems_table(found: Ranking, *, without: Sequence[str] = ()) -> Table:
    """The ranking, best first; systems without a usable rating at the end."""
    return columns(RankedSystem, found.systems, without=without)


def system_rows(found: Ranking) -> list[Row]:
    """The ranking with the range of places each system may hold, for pages and programs."""
    return records(systems_table(found, without=INTERVALS))


def record(found: Ranking) -> Mapping[str, Any]:
    return {"systems": records(systems_table(found))}


FINDINGS: Final = (
    Finding(
        name="ranking",
        title="Ranking",
        numbers=Ranking,
        compute=compute,
        show=show,
        record=record,
        tables={"systems": partial(systems_table, without=INTERVALS)},
        section=Section.RANKING,
        place=1,
        is_quick=True,
    ),
)
