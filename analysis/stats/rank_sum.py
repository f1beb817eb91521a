"""Wilcoxon's rank-sum test between every two systems at once (PROTOCOL §5.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
