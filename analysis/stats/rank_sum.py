"""Wilcoxon's rank-sum test between every two systems at once (PROTOCOL §5.5)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_BLOCK: Final = 1 << 18
"""Cells of the table of counts held at once."""


def rank_sum_matrix(
    values: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> NDArray[np.float64]:
    """One-sided p values, [i, j] for "group i lies above group j".

    Equal to `scipy.stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic")`: normal
    approximation with tie and continuity correction. NaN on the diagonal and for empty groups.

    Every distinct value is counted in every group; U and the tie correction of all pairs are then
    products of that table with itself, and exact, being halves and whole numbers.

    >>> p = rank_sum_matrix(np.array([3.0, 4.0, 1.0, 2.0]), np.array([0, 0, 1, 1]), 2)
    >>> p.round(4).tolist()
    [[nan, 0.1226], [0.9736, nan]]
    """
    from scipy.special import ndtr

    n = np.bincount(group, minlength=groups).astype(np.float64)
    above, ties = _above_and_ties(values, group, groups)
    product = n[:, None] * n
    size = n[:, None] + n
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = product / 12 * ((size + 1) - ties / (size * (size - 1)))
        p: NDArray[np.float64] = ndtr(-(above - product / 2 - 0.5) / np.sqrt(variance))
    p[product == 0] = np.nan
    np.fill_diagonal(p, np.nan)
    return p


def _above_and_ties(
    values: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """U of every pair (ties count half), and the sum of t³ − t over the ties of every pair."""
    order = np.argsort(values, kind="stable")
    level = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) != 0)
    group = group[order]
    above = np.zeros((groups, groups))
    mixed = np.zeros((groups, groups))
    cubes = np.zeros(groups)
    below = np.zeros(groups)
    step = max(1, _BLOCK // max(groups, 1))
    last = int(level[-1]) if len(level) else -1
    for start in range(0, last + 1, step):
        rows = slice(*np.searchsorted(level, [start, start + step]))
        cells = (level[rows] - start) * groups + group[rows]
        counts = np.bincount(cells, minlength=step * groups).reshape(step, groups).astype(float)
        up_to = counts.cumsum(axis=0) + below
        above += counts.T @ (up_to - counts / 2)
        mixed += (counts**2).T @ counts
        cubes += (counts**3).sum(axis=0)
        below = up_to[-1]
    # Σ (a + b)³ = Σ a³ + 3 Σ a²b + 3 Σ ab² + Σ b³, and Σ (a + b) is the size of both groups.
    cubed = cubes[:, None] + cubes + 3 * (mixed + mixed.T)
    return above, cubed - (below[:, None] + below)
