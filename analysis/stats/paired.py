"""Paired tests for many people at once: does the one rating lie below the other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Alternative = Literal["less", "two-sided"]


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
