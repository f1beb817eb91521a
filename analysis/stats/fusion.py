"""Does a mix of metrics do better? Regression of human scores on standardised metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Correlations, Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fusion:
    """A metric made of metrics. Plain numbers, so that it can be saved and applied later."""

    mean: tuple[float, ...]
    sd: tuple[float, ...]
    weight: tuple[float, ...]
    """Change of the human score per standard deviation of the metric."""
    intercept: float
    ridge: float

    def predict(self, metrics: Floats) -> Floats:
        """The fused score of each caption; NaN where a metric is missing."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class WeightIntervals:
    """Percentile intervals of the weights under resampling of videos."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """Fused scores of captions that the fit had not seen (NaN for those never held out)."""

    predicted: Floats
    correlations: Correlations
    """Of the predictions, then of each single metric, over the same held-out captions."""
    folds: int


def fit_fusion(human: Floats, metrics: Floats, *, ridge: float = 0.0) -> Fusion:
    """Least squares, or ridge regression, of human scores on standardised metrics."""
    raise NotImplementedError


def weight_intervals(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    ridge: float = 0.0,
    draws: int = 1_000,
    confidence: float = 0.95,
) -> WeightIntervals:
    """How far each weight would move with other videos."""
    raise NotImplementedError


def holdout(
    group: NDArray[np.integer], *, rng: np.random.Generator, share: float = 0.2
) -> list[NDArray[np.bool_]]:
    """One fold: a share of the groups (videos) held out at random, 80/20 by default."""
    raise NotImplementedError


def leave_one_group_out(group: NDArray[np.integer]) -> list[NDArray[np.bool_]]:
    """One fold per group."""
    raise NotImplementedError


def cross_validate(
    human: Floats,
    metrics: Floats,
    folds: Sequence[NDArray[np.bool_]],
    *,
    ridge: float = 0.0,
) -> CrossValidation:
    """Fit on what is outside each fold, predict what is inside."""
    raise NotImplementedError
