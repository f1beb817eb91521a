"""The ranking of systems: order, significance, clusters (PROTOCOL §5.5, §5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.adjust import benjamini_hochberg, holm
from analysis.stats.captions import CaptionScores, SystemScores
from analysis.stats.rank_sum import rank_sum_matrix

SAME: Final = 10
"""Decimals to which z scores are compared. Equal means summed in another order differ by float
noise, which would break ties: a rank test must not see it."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Matrices and vectors in the order of `Ratings.systems`; `order` lists the best first."""

    order: NDArray[np.intp]
    """Ranked systems. A system without a usable rating is not among them."""
    p: NDArray[np.float64]
    p_holm: NDArray[np.float64]
    p_bh: NDArray[np.float64]
    wins: NDArray[np.int64]
    rank_low: NDArray[np.float64]
    """First and last position of the system's cluster."""
    rank_high: NDArray[np.float64]
    range_low: NDArray[np.float64]
    """First and last position the system itself may hold: behind those that beat it, before those
    that it beats. Narrower than its cluster, which one pair too close to call makes wider."""
    range_high: NDArray[np.float64]


def rank_systems(captions: CaptionScores, systems: SystemScores, *, alpha: float = 0.05) -> Ranking:
    """Sort systems by z, test every ordered pair, and part them into clusters.

    Parameters
    ----------
    alpha
        Level at which a system beats another: rank-sum p < alpha, not adjusted.

    Returns
    -------
    Ranking
        `p[i, j]` for "i is better than j"; adjusted over all ordered pairs; `wins`, the systems
        beaten; ranks of its cluster and of the system by itself.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    p = rank_sum_matrix(captions.z.round(SAME), captions.system, len(systems.z))
    ranked = np.argsort(-systems.z.round(SAME), kind="stable")
    ranked = ranked[: np.count_nonzero(~np.isnan(systems.z))]
    beats = p < alpha
    low, high = clusters(beats[np.ix_(ranked, ranked)])
    places = np.full((4, len(systems.z)), np.nan)
    wins, losses = beats.sum(1), beats.sum(0)
    places[:, ranked] = low, high, 1 + losses[ranked], len(ranked) - wins[ranked]
    return Ranking(ranked, p, holm(p), benjamini_hochberg(p), wins, *places)


def clusters(beats: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last position of each system's cluster, systems standing best first.

    A boundary falls where every system above beats every system below.

    >>> beats = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> clusters(beats)
    (array([1, 1, 3]), array([2, 2, 3]))
    """
    n = len(beats)
    bounds = [i for i in range(1, n) if beats[:i, i:].all()]
    first = np.array([0, *bounds], dtype=np.int64)
    sizes = np.diff([0, *bounds, n])
    return np.repeat(first + 1, sizes), np.repeat(first + sizes, sizes)
