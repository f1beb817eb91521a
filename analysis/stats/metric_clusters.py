"""Metrics that cannot be told apart stand in one cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Floats


@dataclass(frozen=True, slots=True, eq=False)
class MetricClusters:
    """`order` lists metrics best first; ranks are the first and last place of the cluster."""

    order: NDArray[np.intp]
    wins: NDArray[np.int64]
    rank_low: Floats
    rank_high: Floats


def cluster_metrics(r: Floats, p: Floats, *, alpha: float = 0.05) -> MetricClusters:
    """Part metrics sorted by r where every one above beats every one below at p < alpha.

    Give the Holm-adjusted p of `compare_metrics` or `permutation_test`.
    """
    raise NotImplementedError
