"""Which of two metrics correlates better with the same people? Williams, Steiger, Meng.

The two correlations depend on each other: they share the human scores, and metrics resemble each
other. In every formula 1 is the human score, 2 and 3 are the metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from analysis.stats.adjust import holm
from analysis.stats.correlation import Coefficient, Floats, complete_rows, correlations

Test = Literal["williams", "steiger", "meng"]


@dataclass(frozen=True, slots=True, eq=False)
class DependentTest:
    """Statistic and one-sided p, H1: the first metric correlates more. NaN where not defined."""

    statistic: Floats
    p: Floats

    @property
    def p_two_sided(self) -> Floats:
        return 2 * np.minimum(self.p, 1 - self.p)


@dataclass(frozen=True, slots=True, eq=False)
class MetricComparison:
    """Metrics × metrics, [i, j] for "i correlates more with people than j"."""

    r: Floats
    """Correlation of each metric with people, after flipping."""
    flipped: NDArray[np.bool_]
    """Metrics that correlate negatively and were turned round before comparing."""
    n: int
    statistic: Floats
    p: Floats
    p_holm: Floats
    """Holm-adjusted over all ordered pairs."""


def williams_test(r12: Floats, r13: Floats, r23: Floats, n: int) -> DependentTest:
    """Williams' t (1959) with n − 3 degrees of freedom, as in Graham & Baldwin (2014).

    Not defined below 4 values, for correlations that cannot occur together, and for metrics that
    order the captions alike (r23 = 1).

    >>> test = williams_test(np.array(0.65), np.array(0.55), np.array(0.3), 50)
    >>> round(float(test.statistic), 4), round(float(test.p), 4)
    (0.8161, 0.2093)
    """
    if n < 4:
        return _undefined(r12, r13, r23)
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3)
        t = (r12 - r13) * np.sqrt((n - 1) * (1 + r23)) / error
    t = np.where((determinant >= 0) & np.isfinite(t), t, np.nan)
    return DependentTest(t, stdtr(n - 3, -t))


def steiger_test(r12: Floats, r13: Floats, r23: Floats, n: int) -> DependentTest:
    """Steiger's Z (1980, eq. 14): difference of Fisher's z, covariance from the mean correlation.

    >>> round(float(steiger_test(np.array(0.65), np.array(0.55), np.array(0.3), 50).statistic), 4)
    0.8116
    """
    if n < 4:
        return _undefined(r12, r13, r23)
    square = ((r12 + r13) / 2) ** 2
    covariance = r23 * (1 - 2 * square) - square / 2 * (1 - 2 * square - r23**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        shared = covariance / (1 - square) ** 2
        z = (np.arctanh(r12) - np.arctanh(r13)) * np.sqrt((n - 3) / (2 - 2 * shared))
    return _normal(z)


def meng_test(r12: Floats, r13: Floats, r23: Floats, n: int) -> DependentTest:
    """Meng, Rosenthal & Rubin's Z (1992, eq. 1).

    >>> round(float(meng_test(np.array(0.65), np.array(0.55), np.array(0.3), 50).statistic), 4)
    0.8111
    """
    if n < 4:
        return _undefined(r12, r13, r23)
    square = (r12**2 + r13**2) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.minimum((1 - r23) / (2 * (1 - square)), 1)
        h = (1 - f * square) / (1 - square)
        z = (np.arctanh(r12) - np.arctanh(r13)) * np.sqrt((n - 3) / (2 * (1 - r23) * h))
    return _normal(z)


TESTS: Final = {"williams": williams_test, "steiger": steiger_test, "meng": meng_test}


def compare_metrics(
    human: Floats,
    metrics: Floats,
    *,
    test: Test = "williams",
    coefficient: Coefficient = "pearson",
) -> MetricComparison:
    """Every metric against every other, over the captions (or systems) complete in all of them.

    A metric that correlates negatively is turned round, so that strengths are compared, not signs:
    both its correlations change sign, with people and with the other metric. Only Pearson's r has
    the distribution the tests assume; other coefficients are common practice, no more.
    """
    if test not in TESTS:
        raise ValueError(f"test must be one of {', '.join(TESTS)}")
    rows = complete_rows(human, metrics)
    between = _between(human[rows], metrics[rows], coefficient)
    r, flipped = np.abs(between[0, 1:]), between[0, 1:] < 0
    sign = np.where(flipped, -1.0, 1.0)
    n = int(np.count_nonzero(rows))
    among = between[1:, 1:] * sign[:, None] * sign
    found = TESTS[test](r[:, None], r[None], among, n)
    apart = ~np.eye(len(r), dtype=bool)
    statistic, p = (np.where(apart, value, np.nan) for value in (found.statistic, found.p))
    return MetricComparison(r, flipped, n, statistic, p, holm(p))


def _between(human: Floats, metrics: Floats, coefficient: Coefficient) -> Floats:
    """Correlations between all columns, the human scores first."""
    columns = np.column_stack([human, metrics])
    if coefficient != "pearson":
        rows = [correlations(column, columns).of(coefficient) for column in columns.T]
        return np.array(rows)
    varies = columns.min(axis=0, initial=np.inf) < columns.max(axis=0, initial=-np.inf)
    centred = columns - columns.sum(axis=0) / max(len(columns), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        centred /= np.where(varies, np.sqrt(np.sum(centred**2, axis=0)), np.nan)
    return np.asarray(np.clip(centred.T @ centred, -1, 1))


def _normal(z: Floats) -> DependentTest:
    z = np.where(np.isfinite(z), z, np.nan)
    return DependentTest(z, ndtr(-z))


def _undefined(*r: Floats) -> DependentTest:
    nothing = np.full(np.broadcast_shapes(*(value.shape for value in r)), np.nan)
    return DependentTest(nothing, nothing)
