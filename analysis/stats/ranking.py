"""The ranking of systems: order, significance, clusters (PROTOCOL §5.5, §5.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.adjust import benjamini_hochberg, holm
from analysis.stats.captions import CaptionScores, SystemScores

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


def rank_sum_matrix(
    values: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> NDArray[np.float64]:
    """One-sided p values, [i, j] for "group i lies above group j".

    Equal to `scipy.stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic")`: normal
    approximation with tie and continuity correction. NaN on the diagonal and for empty groups.

    All values are sorted once. U and the tie correction are sums of halves and whole numbers, and
    therefore exact.

    >>> p = rank_sum_matrix(np.array([3.0, 4.0, 1.0, 2.0]), np.array([0, 0, 1, 1]), 2)
    >>> p.round(4).tolist()
    [[nan, 0.1226], [0.9736, nan]]
    """
    from scipy.special import ndtr

    n = np.bincount(group, minlength=groups).astype(np.float64)
    order = np.argsort(values)
    level = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) != 0)
    above = _above(level, group[order], groups)
    ties = _ties(level, group[order], groups)
    product = n[:, None] * n
    size = n[:, None] + n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = product / 12 * ((size + 1) - ties / (size * (size - 1)))
        p: NDArray[np.float64] = ndtr(-(above - product / 2 - 0.5) / np.sqrt(variance))
    p[product == 0] = np.nan
    np.fill_diagonal(p, np.nan)
    return p


def _above(level: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    """U of every pair: how often i lies above j, ties counting half. `level` is ascending."""
    first = np.searchsorted(level, level, side="left")
    after = np.searchsorted(level, level, side="right")
    above = np.empty((groups, groups))
    for other in range(groups):
        passed = np.concatenate([[0], np.cumsum(group == other)])
        below_and_half_ties = (passed[first] + passed[after]) / 2
        above[:, other] = np.bincount(group, weights=below_and_half_ties, minlength=groups)
    return above


def _ties(level: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    """Sum of t³ − t over the values t that the groups of each pair share, or repeat."""
    from scipy.sparse import csr_array

    tied = np.bincount(level)[level] > 1
    level, group = level[tied], group[tied]
    counts = csr_array(
        (np.ones(len(level)), (level, group)), shape=(level.max(initial=0) + 1, groups)
    )
    # Σ (a + b)³ = Σ a³ + 3 Σ a²b + 3 Σ ab² + Σ b³
    mixed = (counts.power(2).T @ counts).toarray()
    cubes: NDArray[np.float64] = counts.power(3).sum(axis=0) - counts.sum(axis=0)
    ties: NDArray[np.float64] = cubes[:, None] + cubes + 3 * (mixed + mixed.T)
    return ties
