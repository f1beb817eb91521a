"""Would another crowd have found the same? Split the annotators in two and see.

Self-replication as in direct-assessment-2018, where two separate collections correlated at .997,
without paying for the second collection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import Ratings
from analysis.stats.subsets import annotator_sums, half_scores, random_subsets

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HalfCorrelation:
    """A correlation of system scores between halves of the crowd, over all splits.

    ``reliability`` is the mean stepped up to the whole crowd (`spearman_brown`): the correlation to
    expect with another crowd of the same size. ``low`` and ``high`` hold 95 % of the splits.
    """

    mean: float
    low: float
    high: float
    reliability: float


@dataclass(frozen=True, slots=True)
class SelfReplication:
    """System scores of one half of the annotators against the other half's."""

    pearson: HalfCorrelation
    spearman: HalfCorrelation
    splits: int
    annotators: int


def self_replication(
    ratings: Ratings,
    z: Floats,
    use: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    splits: int = 1_000,
) -> SelfReplication:
    """Correlate system scores between random halves of the annotators.

    Parameters
    ----------
    z
        Standard score (or another score) of each rating.
    use
        Annotators whose ratings count. Those with a rating that counts are split; of an odd number
        one half has one more.
    splits
        How many random splits. A split counts where at least three systems have a score in both
        halves: with two, every correlation is ±1.

    O(splits · N).
    """
    if splits < 1:
        raise ValueError("splits must be at least 1")
    people = annotator_sums(ratings, z, use)
    crowd = people.taking_part
    halves = random_subsets(crowd, people.annotators, len(crowd) // 2, splits, rng)
    first, second = half_scores(people, halves)
    undefined = np.isnan(first) | np.isnan(second)
    first[undefined] = second[undefined] = np.nan
    return SelfReplication(
        pearson=_summary(_column_correlations(first, second)),
        spearman=_summary(_column_correlations(_ranks(first), _ranks(second))),
        splits=splits,
        annotators=len(crowd),
    )


def spearman_brown(correlation: float) -> float:
    """Reliability of the whole from the correlation of its halves: 2 r / (1 + r).

    >>> round(spearman_brown(0.9), 4)
    0.9474
    """
    return 2 * correlation / (1 + correlation) if correlation > -1 else np.nan


def _ranks(scores: Floats) -> Floats:
    """Mean ranks within each column, counted from 0; an undefined score has none."""
    above, below = scores[:, None], scores[None]
    ranks = np.sum((above > below) + 0.5 * (above == below), axis=1) - 0.5
    return np.where(np.isnan(scores), np.nan, ranks)


def _column_correlations(x: Floats, y: Floats) -> Floats:
    """Pearson's correlation of each column of x with that of y; NaN below three systems."""
    defined = ~np.isnan(x)
    n = np.maximum(defined.sum(axis=0), 1)
    dx, dy = (np.where(defined, v - np.nansum(v, axis=0) / n, 0.0) for v in (x, y))
    scale = np.sqrt(np.sum(dx**2, axis=0) * np.sum(dy**2, axis=0))
    correlation = np.full(len(n), np.nan)
    np.divide(np.sum(dx * dy, axis=0), scale, out=correlation, where=(scale > 0) & (n >= 3))
    return correlation


def _summary(correlations: Floats) -> HalfCorrelation:
    defined = correlations[~np.isnan(correlations)]
    if len(defined) == 0:
        return HalfCorrelation(np.nan, np.nan, np.nan, np.nan)
    mean = float(defined.mean())
    low, high = np.quantile(defined, [0.025, 0.975]).tolist()
    return HalfCorrelation(mean, low, high, spearman_brown(mean))
