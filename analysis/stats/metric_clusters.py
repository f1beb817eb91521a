"""Metrics that cannot be told apart stand in one cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Floats
from analysis.stats.ranking import SAME, clusters


@dataclass(frozen=True, slots=True, eq=False)
class MetricClusters:
    """In the order of the metrics, but `order`, which lists them best first."""

    order: NDArray[np.intp]
    """Metrics with a correlation; the others are not ranked."""
    beats: NDArray[np.bool_]
    """Metrics × metrics, [i, j] where i is significantly better than j."""
    rank_low: Floats
    """First and last place of the metric's cluster, from 1."""
    rank_high: Floats

    @property
    def wins(self) -> NDArray[np.int64]:
        return np.asarray(self.beats.sum(axis=1))


def cluster_metrics(r: Floats, p: Floats, *, alpha: float = 0.05) -> MetricClusters:
    """Part metrics sorted by r where every one above beats every one below at p < alpha.

    Systems are ranked by the same rule (`ranking.rank_systems`). Give the Holm-adjusted p of
    `compare_metrics` or `permutation_test`, [i, j] for "i correlates more than j".

    >>> p = np.array([[np.nan, 0.01, 0.02], [0.99, np.nan, 0.4], [0.98, 0.6, np.nan]])
    >>> found = cluster_metrics(np.array([0.7, 0.5, 0.4]), p)
    >>> found.rank_low.tolist(), found.rank_high.tolist(), found.wins.tolist()
    ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0], [2, 0, 0])
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    order = np.argsort(-r.round(SAME), kind="stable")
    order = order[: np.count_nonzero(~np.isnan(r))]
    beats = p < alpha
    low, high = np.full((2, len(r)), np.nan)
    low[order], high[order] = clusters(beats[np.ix_(order, order)])
    return MetricClusters(order, beats, low, high)


def significance_ranks(values: Floats, p: Floats, *, alpha: float = 0.05) -> Floats:
    """Ranks as shared tasks on metrics give them: a new one begins with the first metric that some
    metric of the rank before is significantly better than. NaN where there is no value.

    >>> p = np.array([[np.nan, 0.2, 0.01], [0.8, np.nan, 0.2], [0.99, 0.8, np.nan]])
    >>> significance_ranks(np.array([0.9, 0.8, 0.7]), p).tolist()
    [1.0, 1.0, 2.0]
    """
    order = np.argsort(-values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    ranks, rank, first = np.full(len(values), np.nan), 1, 0
    for place, at in enumerate(order):
        if (p[order[first:place], at] < alpha).any():
            rank, first = rank + 1, place
        ranks[at] = rank
    return ranks
