"""Captions that spoil the picture: Cook's distance, and what removing as many at random does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Coefficients, Correlations, Floats

Direction = Literal["human_on_metric", "metric_on_human"]
Variant = Literal["linear", "rank"]


@dataclass(frozen=True, slots=True, eq=False)
class Outliers:
    """Captions × metrics: distances, and whether each exceeds its metric's threshold."""

    distance: Floats
    threshold: Floats
    removed: NDArray[np.bool_]
    variant: Variant
    direction: Direction

    def union(self) -> NDArray[np.bool_]:
        """Captions removed for any metric."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Placebo(Coefficients):
    """Draws × metrics: coefficients after removing as many captions at random."""


def cooks_distance(
    human: Floats,
    metrics: Floats,
    *,
    variant: Variant = "linear",
    direction: Direction = "human_on_metric",
) -> Floats:
    """Cook's distance of every caption for every metric; 0 for a perfect fit, NaN if missing."""
    raise NotImplementedError


def find_outliers(
    human: Floats,
    metrics: Floats,
    *,
    variant: Variant = "linear",
    direction: Direction = "human_on_metric",
    factor: float = 4.0,
) -> Outliers:
    """Captions whose distance exceeds `factor` × the mean distance."""
    raise NotImplementedError


def without(human: Floats, metrics: Floats, removed: NDArray[np.bool_]) -> Correlations:
    """Coefficients of what is left; `removed` per caption (union) or captions × metrics."""
    raise NotImplementedError


def placebo(
    human: Floats,
    metrics: Floats,
    removed: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> Placebo:
    """The same number removed at random, again and again; `removed` as for `without`."""
    raise NotImplementedError
