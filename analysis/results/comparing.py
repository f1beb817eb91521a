"""Two collections of the same systems: do they find the same? (direct-assessment-2018, Table 4)"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.results.pipeline import Analysis
from analysis.stats.correlation import COEFFICIENTS, correlations
from analysis.stats.correlation_intervals import draw_counts
from analysis.stats.resampled_correlation import resampled_pearson

Row = dict[str, Any]
CORRELATIONS: Final = ("level", "score", "n", *COEFFICIENTS, "low", "high")
SYSTEMS: Final = (
    "system", "z_first", "z_second", "raw_first", "raw_second", "rank_first", "rank_second",
)  # fmt: skip
PAIRS: Final = ("first", "second", "p_here", "p_there", "found")
FEWEST_UNITS: Final = 5
"""Systems or videos below which drawing them says nothing about others."""
BOTH, ONE, NEITHER, AGAINST = "in both", "in one", "in neither", "against each other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Rows of the three tables: how scores go together, systems side by side, and every pair."""

    correlations: list[Row]
    systems: list[Row]
    pairs: list[Row]


def compare_collections(
    first: Analysis,
    second: Analysis,
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
    names = [name for name in _ranked(first) if name in set(_ranked(second))]
    if not names:
        raise ValueError("no system has a score in both collections")
    ends = ((1 - confidence) / 2, (1 + confidence) / 2)
    return Comparison(
        [*_of_systems(first, second, names, rng, draws, ends),
         *_of_captions(first, second, names, rng, draws, ends)],
        _systems(first, second, names),
        _pairs(first, second, names),
    )  # fmt: skip


def _ranked(analysis: Analysis) -> list[str]:
    return [analysis.ratings.systems[code] for code in analysis.ranking.order.tolist()]


def _codes(analysis: Analysis, names: list[str]) -> NDArray[np.intp]:
    return np.array([analysis.ratings.systems.index(name) for name in names])


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
    low, high = np.nanquantile(drawn, ends)
    return row | {"low": float(low), "high": float(high)}


def _of_systems(
    first: Analysis, second: Analysis, names: list[str], rng: np.random.Generator, draws: int,
    ends: tuple[float, float],
) -> list[Row]:  # fmt: skip
    one, other = _codes(first, names), _codes(second, names)
    unit = np.arange(len(names))
    sides = {
        score: (getattr(first.systems, score)[one], getattr(second.systems, score)[other])
        for score in ("raw", "z")
    }
    return [
        _correlation("system", score, *values, unit, rng, draws, ends)
        for score, values in sides.items()
    ]


def _of_captions(
    first: Analysis, second: Analysis, names: list[str], rng: np.random.Generator, draws: int,
    ends: tuple[float, float],
) -> list[Row]:  # fmt: skip
    keys, places = [], []
    for analysis in (first, second):
        labels, captions = analysis.ratings, analysis.captions
        found = [
            (labels.systems[system], labels.items[item])
            for system, item in zip(captions.system, captions.item, strict=True)
        ]
        keys.append(found)
        places.append({key: place for place, key in enumerate(found)})
    shared = [key for key in keys[0] if key in places[1] and key[0] in names]
    if not shared:
        return []
    one, other = (np.array([place[key] for key in shared]) for place in places)
    _, unit = np.unique([item for _, item in shared], return_inverse=True)
    return [
        _correlation(
            "caption", score, getattr(first.captions, score)[one],
            getattr(second.captions, score)[other], unit, rng, draws, ends,
        )
        for score in ("raw", "z")
    ]  # fmt: skip


def _systems(first: Analysis, second: Analysis, names: list[str]) -> list[Row]:
    one, other = _codes(first, names), _codes(second, names)
    places = [_ranked(analysis) for analysis in (first, second)]
    return [
        {
            "system": name,
            "z_first": float(first.systems.z[one[at]]),
            "z_second": float(second.systems.z[other[at]]),
            "raw_first": float(first.systems.raw[one[at]]),
            "raw_second": float(second.systems.raw[other[at]]),
            "rank_first": 1 + places[0].index(name),
            "rank_second": 1 + places[1].index(name),
        }
        for at, name in enumerate(names)
    ]


def _pairs(first: Analysis, second: Analysis, names: list[str]) -> list[Row]:
    """Every two shared systems, the one ahead in the first collection first."""
    one, other = _codes(first, names), _codes(second, names)
    rows = []
    for high, low in combinations(range(len(names)), 2):
        here = _verdict(first, one[high], one[low])
        there = _verdict(second, other[high], other[low])
        found = BOTH if here and here == there else NEITHER if not (here or there) else ONE
        rows.append(
            {
                "first": names[high],
                "second": names[low],
                "p_here": float(first.ranking.p[one[high], one[low]]),
                "p_there": float(second.ranking.p[other[high], other[low]]),
                "found": AGAINST if here * there < 0 else found,
            }
        )
    return rows


def _verdict(analysis: Analysis, high: int, low: int) -> int:
    """1 where the first is significantly better, −1 where the second is, else 0."""
    alpha, p = analysis.settings.alpha, analysis.ranking.p
    return int(p[high, low] < alpha) - int(p[low, high] < alpha)
