"""Which of two metrics correlates better with the same people? Williams, Steiger, Meng."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Coefficient, Floats

Test = Literal["williams", "steiger", "meng"]


@dataclass(frozen=True, slots=True, eq=False)
class DependentTest:
    """Statistic and one-sided p, H1: the first metric correlates more. NaN where not defined."""

    statistic: Floats
    p: Floats

    @property
    def p_two_sided(self) -> Floats:
        raise NotImplementedError


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
    """Williams' t (1959) with n − 3 degrees of freedom; 1 is the human score."""
    raise NotImplementedError


def steiger_test(r12: Floats, r13: Floats, r23: Floats, n: int) -> DependentTest:
    """Steiger's Z (1980) with the pooled covariance."""
    raise NotImplementedError


def meng_test(r12: Floats, r13: Floats, r23: Floats, n: int) -> DependentTest:
    """Meng, Rosenthal & Rubin's Z (1992)."""
    raise NotImplementedError


def compare_metrics(
    human: Floats,
    metrics: Floats,
    *,
    test: Test = "williams",
    coefficient: Coefficient = "pearson",
) -> MetricComparison:
    """Every metric against every other, over the captions (or systems) complete in all of them."""
    raise NotImplementedError
