"""Two collections of the same systems: do they find the same? (direct-assessment-2018, Table 4)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.sentences import number
from analysis.results.pipeline import Analysis
from analysis.stats.correlation import COEFFICIENTS, correlations
from analysis.stats.correlation_intervals import defined_quantile, draw_counts
from analysis.stats.resampled_correlation import resampled_pearson

Row = dict[str, Any]
CORRELATIONS: Final = ("level", "score", "n", *COEFFICIENTS, "low", "high")
SYSTEMS: Final = (
    "system", "z_first", "z_second", "raw_first", "raw_second", "rank_first", "rank_second",
)  # fmt: skip
PAIRS: Final = ("first", "second", "p_here", "p_there", "found")
TABLES: Final = {"correlations": CORRELATIONS, "systems": SYSTEMS, "pairs": PAIRS}
FEWEST_UNITS: Final = 5
"""Systems or videos below which drawing them says nothing about others."""
BOTH, ONE, NEITHER, AGAINST = "in both", "in one", "in neither", "against each other"


Scores = tuple[float, float]
"""Raw, and z."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What one collection of ratings found."""

    systems: Mapping[str, Scores]
    """Those with a score, best first."""
    p: Mapping[tuple[str, str], float]
    """That the first of two systems is no better than the second."""
    captions: Mapping[tuple[str, str], Scores]
    """By system and video."""
    alpha: float

    @classmethod
    def of(cls, analysis: Analysis) -> Collection:
        names, items = analysis.ratings.systems, analysis.ratings.items
        order, found, captions = analysis.ranking.order, analysis.systems, analysis.captions
        ranked = order.tolist()
        return cls(
            {names[at]: (float(found.raw[at]), float(found.z[at])) for at in ranked},
            {(names[one], names[other]): float(analysis.ranking.p[one, other])
             for one in ranked for other in ranked if one != other},
            {(names[system], items[item]): (raw, z) for system, item, raw, z in zip(
                captions.system.tolist(), captions.item.tolist(), captions.raw.tolist(),
                captions.z.tolist(), strict=True)},
            analysis.settings.alpha,
        )  # fmt: skip

    def beats(self, one: str, other: str) -> int:
        """1 where the first is significantly better, −1 where the second is, else 0."""
        return int(self.p[one, other] < self.alpha) - int(self.p[other, one] < self.alpha)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows of the three tables: how scores go together, systems side by side, and every pair."""

    correlations: list[Row]
    systems: list[Row]
    pairs: list[Row]


def compare_collections(
    first: Collection,
    second: Collection,
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
    confidence: float = 0.95,
) -> Comparison:
    """Correlate the scores of shared systems and captions, and see which differences repeat.

    Intervals of systems draw systems; those of captions draw videos with all their captions. With
    fewer than five shared systems a bootstrap of systems says nothing, and there is none.

    Raises
    ------
    ValueError
        When no system has a score in both.
    """
    names = [name for name in first.systems if name in second.systems]
    if not names:
        raise ValueError("no system has a score in both collections")
    ends = ((1 - confidence) / 2, (1 + confidence) / 2)
    shared = [key for key in first.captions if key in second.captions and key[0] in names]
    of_video = np.unique([item for _, item in shared], return_inverse=True)[1]
    kinds = (
        ("system", [(first.systems[one], second.systems[one]) for one in names],
         np.arange(len(names))),
        ("caption", [(first.captions[key], second.captions[key]) for key in shared], of_video),
    )  # fmt: skip
    correlated = [
        _correlation(level, score, scores[:, 0, at], scores[:, 1, at], unit, rng, draws, ends)
        for level, pairs, unit in kinds
        if pairs
        for scores in [np.array(pairs)]
        for at, score in enumerate(("raw", "z"))
    ]
    return Comparison(correlated, _systems(first, second, names), _pairs(first, second, names))


def _correlation(
    level: str,
    score: str,
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    unit: NDArray[np.int64],
    rng: np.random.Generator,
    draws: int,
    ends: tuple[float, float],
) -> Row:
    found = correlations(one, other[:, None])
    row: Row = {"level": level, "score": score, "n": int(found.n[0])}
    row |= {name: float(found.of(name)[0]) for name in COEFFICIENTS}
    units = int(unit.max(initial=-1)) + 1
    if units < FEWEST_UNITS or np.isnan(found.pearson[0]):
        return row | {"low": np.nan, "high": np.nan}
    drawn = resampled_pearson(one, other[:, None], unit, draw_counts(units, draws, rng))
    low, high = (defined_quantile(drawn, end)[0] for end in ends)
    return row | {"low": float(low), "high": float(high)}


def _systems(first: Collection, second: Collection, names: list[str]) -> list[Row]:
    places = [list(one.systems) for one in (first, second)]
    return [
        {
            "system": name,
            "z_first": first.systems[name][1],
            "z_second": second.systems[name][1],
            "raw_first": first.systems[name][0],
            "raw_second": second.systems[name][0],
            "rank_first": 1 + places[0].index(name),
            "rank_second": 1 + places[1].index(name),
        }
        for name in names
    ]


def _pairs(first: Collection, second: Collection, names: list[str]) -> list[Row]:
    """Every two shared systems, the one ahead in the first collection first."""
    rows = []
    for high, low in combinations(names, 2):
        here, there = first.beats(high, low), second.beats(high, low)
        found = BOTH if here and here == there else NEITHER if not (here or there) else ONE
        rows.append(
            {
                "first": high,
                "second": low,
                "p_here": first.p[high, low],
                "p_there": second.p[high, low],
                "found": AGAINST if here * there < 0 else found,
            }
        )
    return rows


def interval(row: Row) -> str:
    """
    >>> interval({"low": 0.9412, "high": 0.9988}), interval({"low": np.nan, "high": np.nan})
    ('[0.941, 0.999]', '')
    """
    return "" if np.isnan(row["low"]) else f"[{number(row['low'], 3)}, {number(row['high'], 3)}]"


def repeats_sentence(pairs: list[Row]) -> str:
    """How many significant differences repeat."""
    counts = Counter(row["found"] for row in pairs)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in (BOTH, ONE, NEITHER, AGAINST))
    return f"Significant differences of {len(pairs)} pairs: {told}."


def agreement_sentence(found: Comparison) -> str:
    """How system scores go together, and which differences repeat."""
    z = next(row for row in found.correlations if (row["level"], row["score"]) == ("system", "z"))
    if np.isnan(z["pearson"]):
        said = f"With {z['n']} systems in common too few for a correlation."
    else:
        told = f"r = {number(z['pearson'], 3)} {interval(z)}".rstrip()
        said = f"The z scores of {z['n']:,} systems correlate at {told}."
    return f"{said} {repeats_sentence(found.pairs)}" if found.pairs else said
