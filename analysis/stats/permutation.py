"""Is the better metric better by chance? Paired permutation test that flips whole items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Coefficient, Floats


@dataclass(frozen=True, slots=True, eq=False)
class PermutationComparison:
    """Metrics × metrics, [i, j] for "i correlates more than j"; `exact` when enumerated."""

    delta: Floats
    p: Floats
    p_holm: Floats
    flipped: NDArray[np.bool_]
    draws: int
    exact: bool


def permutation_test(
    human: Floats,
    metrics: Floats,
    item: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    coefficient: Coefficient = "pearson",
    draws: int = 1_000,
) -> PermutationComparison:
    """Pooled coefficients; `item` is what is flipped as a whole (the video, or the system)."""
    raise NotImplementedError


def permutation_test_by_item(
    human: Floats,
    metrics: Floats,
    item: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    coefficient: Coefficient = "kendall_b",
    draws: int = 1_000,
) -> PermutationComparison:
    """Coefficients within each item, averaged over items."""
    raise NotImplementedError
