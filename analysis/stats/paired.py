"""Paired tests for many people at once: does the one rating lie below the other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Alternative = Literal["less", "two-sided"]
EXACT_PAIRS: Final = 200
"""Above this many differences the normal approximation is used; it is then right to about 1e-4."""

_BLOCK: Final = 1 << 16
"""Cells worked on at once: a table that stays in the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedTest:
    """One test per group; NaN where it is not defined."""

    n: NDArray[np.int64]
    statistic: NDArray[np.float64]
    p: NDArray[np.float64]


def paired_t(
    difference: NDArray[Any], group: NDArray[Any], groups: int, alternative: Alternative
) -> PairedTest:
    """Paired t-test of the differences of each group, as `scipy.stats.ttest_rel`.

    With whole differences the sums are exact, so "all differences equal" is decided exactly: p is
    then 0 (all negative), 1 (all positive) or undefined (all zero).

    Parameters
    ----------
    difference
        First minus second value of each pair.
    group
        Group of each pair, 0 … groups − 1.

    >>> test = paired_t(np.array([-1, -2, -3, -4, -4]), np.array([0, 0, 0, 1, 1]), 3, "less")
    >>> test.statistic.round(4).tolist(), test.p.round(4).tolist()
    ([-3.4641, -inf, nan], [0.0371, 0.0, nan])
    """
    from scipy.special import stdtr

    n = np.bincount(group, minlength=groups)
    total = np.bincount(group, weights=difference, minlength=groups)
    squares = np.bincount(group, weights=np.square(difference, dtype=np.float64), minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (
            total * np.sqrt(np.maximum(n - 1, 0)) / np.sqrt(np.maximum(n * squares - total**2, 0))
        )
        # One pair has no variance, whatever its difference.
        statistic[n < 2] = np.nan
    df = np.maximum(n - 1, 1)
    if alternative == "less":
        return PairedTest(n, statistic, stdtr(df, statistic))
    return PairedTest(n, statistic, 2 * stdtr(df, -np.abs(statistic)))


def signed_rank(
    difference: NDArray[Any], group: NDArray[Any], groups: int, alternative: Alternative
) -> PairedTest:
    """Signed-rank test of the differences of each group; the statistic is the positive rank sum.

    Parameters
    ----------
    difference
        First minus second value of each pair; whole numbers, or floats without noise.
    group
        Group of each pair, 0 … groups − 1.

    >>> test = signed_rank(np.array([-3, -2, -2, 1, 0]), np.zeros(5, int), 1, "less")
    >>> test.statistic.item(), test.p.item()  # 2 of 16 patterns: no positive, or the smallest one
    (1.0, 0.125)
    """
    n = np.bincount(group, minlength=groups)
    difference, group = difference[difference != 0], group[difference != 0]
    half_ranks, ties = _half_ranks(np.abs(difference), group, groups)
    positive = np.bincount(group, half_ranks * (difference > 0), minlength=groups)
    used = np.bincount(group, minlength=groups)
    p = np.full(groups, np.nan)
    exact = (used > 0) & (used <= EXACT_PAIRS)
    table = _rank_table(half_ranks, group, exact)
    p[exact] = _exact_p(table, used[exact], positive[exact].astype(np.int64), alternative)
    large = used > EXACT_PAIRS
    p[large] = _normal_p(used[large], positive[large] / 2, ties[large], alternative)
    return PairedTest(n, np.where(used > 0, positive / 2, np.nan), p)


def _half_ranks(
    size: NDArray[Any], group: NDArray[Any], groups: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Twice the mid-rank of each size in its group, and the sum of t³ − t over a group's ties."""
    values, level = np.unique(size, return_inverse=True)
    counts = np.bincount(group * len(values) + level, minlength=groups * len(values))
    counts = counts.reshape(groups, len(values))
    ranks = 2 * (counts.cumsum(axis=1) - counts) + counts + 1
    return ranks[group, level], (counts**3.0 - counts).sum(axis=1)


def _rank_table(
    half_ranks: NDArray[np.int64], group: NDArray[Any], wanted: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Ascending half ranks, one row per wanted group, filled up with a rank nobody reaches."""
    rows = wanted[group]
    group, half_ranks = group[rows], half_ranks[rows]
    order = np.lexsort((half_ranks, group))
    group, half_ranks = group[order], half_ranks[order]
    n = np.bincount(group, minlength=len(wanted))
    column = np.arange(len(group)) - (n.cumsum() - n)[group]
    table = np.full((len(wanted), n.max(initial=0)), np.iinfo(np.int64).max)
    table[group, column] = half_ranks
    return table[wanted]


def _exact_p(
    table: NDArray[np.int64],
    n: NDArray[np.int64],
    positive: NDArray[np.int64],
    alternative: Alternative,
) -> NDArray[np.float64]:
    """P(W ≤ w) or its two-sided double, from the smaller half of a symmetric distribution."""
    total = n * (n + 1)
    if alternative == "two-sided":
        p: NDArray[np.float64] = 2 * _at_most(table, n, np.minimum(positive, total - positive))
        return np.minimum(p, 1.0)
    upper = 2 * positive > total
    tail = _at_most(table, n, np.where(upper, total - positive - 1, positive))
    return np.where(upper, 1 - tail, tail)


def _at_most(
    table: NDArray[np.int64], n: NDArray[np.int64], bound: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Probability, per row, that a random choice of its half ranks sums to at most the bound."""
    p = np.zeros(len(n))
    order = np.argsort(bound)[::-1]
    order = order[bound[order] >= 0]
    while len(order):
        width = int(bound[order[0]]) + 1
        rows, order = np.split(order, [max(1, _BLOCK // width)])
        p[rows] = np.ldexp(_count_at_most(table[rows], bound[rows]), -n[rows])
    return p


def _count_at_most(table: NDArray[np.int64], bound: NDArray[np.int64]) -> NDArray[np.float64]:
    """Number of subsets of each row whose sum is at most its bound.

    Row by row, `ways[:, pad + s]` is the number of subsets that sum to s. Taking one more rank r
    adds the ways to reach s − r: the same row read r cells further left, where the pad holds zeros.
    Ranks above the bound cannot be taken.
    """
    steps = (table <= bound[:, None]).sum(axis=1)
    order = np.argsort(-steps, kind="stable")
    table, bound, steps = table[order], bound[order], steps[order]
    width = int(bound.max()) + 1
    pad = int(np.where(table <= bound[:, None], table, 0).max(initial=0))
    ways = np.zeros((len(table), pad + width))
    ways[:, pad] = 1.0
    shifted = sliding_window_view(ways, width, axis=1)
    for step in range(steps.max(initial=0)):
        active = np.arange(np.searchsorted(-steps, -step))
        ways[active, pad:] += shifted[active, pad - table[active, step]]
    counts = ways[:, pad:].cumsum(axis=1)[np.arange(len(bound)), bound]
    back = np.empty_like(counts)
    back[order] = counts
    return back


def _normal_p(
    n: NDArray[np.int64],
    positive: NDArray[np.float64],
    ties: NDArray[np.float64],
    alternative: Alternative,
) -> NDArray[np.float64]:
    """Normal approximation with tie and continuity correction (R's `wilcox.test`)."""
    from scipy.special import ndtr

    centred = positive - n * (n + 1) / 4
    sd = np.sqrt(n * (n + 1.0) * (2 * n + 1) / 24 - ties / 48)
    p: NDArray[np.float64]
    if alternative == "less":
        p = ndtr((centred + 0.5) / sd)
    else:
        p = np.minimum(1.0, 2 * ndtr(-(np.abs(centred) - 0.5) / sd))
    return p
