"""Outliers: Cook's distance, and what removing as many at random does.

Removing the captions a metric disagrees on most makes the metric look better: the gain says nothing
unless it exceeds what is gained where as many go at random (`placebo`), and even then the captions
were chosen with the metric's own scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import (
    COEFFICIENTS,
    FEWEST,
    Coefficients,
    Correlations,
    Floats,
    correlations,
    mean_ranks,
)
from analysis.stats.resampled_correlation import resampled_correlations, same_captions

Direction = Literal["human_on_metric", "metric_on_human"]
Variant = Literal["linear", "rank"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("human_on_metric", "metric_on_human")
VARIANTS: Final[tuple[Variant, ...]] = ("linear", "rank")
_LEVER: Final = 1e-12
"""A caption this close to leverage 1 holds the line by itself: without it there is no slope."""


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
        return np.asarray(self.removed.any(axis=1))


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
    """Cook's distance (1977) of every caption for every metric, in closed form.

    D = e² h / (2 s² (1 − h)²) with residual e, leverage h, s² = Σe² / (n − 2).

    Parameters
    ----------
    variant
        Regression of the values, or of the mean ranks of both sides.
    direction
        What is regressed on what; the flagged captions depend on it.

    Returns
    -------
    Captions × metrics. 0 for a perfect fit; NaN for a caption without one of the scores, for one
    that holds the line by itself, and where the regressor is constant or captions fewer than 3.

    >>> cooks_distance(np.array([1.0, 2, 4]), np.array([[1.0], [2], [3]])).ravel().round(3).tolist()
    [2.5, 0.25, 2.5]
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}")
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}")
    distance = np.full(metrics.shape[::-1], np.nan)
    for metric, found in zip(metrics.T, distance, strict=True):
        there = np.isfinite(human) & np.isfinite(metric)
        x, y = metric[there], human[there]
        if variant == "rank":
            x, y = mean_ranks(x), mean_ranks(y)
        if direction == "metric_on_human":
            x, y = y, x
        found[there] = _distance(x, y)
    return distance.T


def find_outliers(
    human: Floats,
    metrics: Floats,
    *,
    variant: Variant = "linear",
    direction: Direction = "human_on_metric",
    factor: float = 4.0,
) -> Outliers:
    """Captions whose distance exceeds `factor` × the mean distance (vision-language-2022 §2.5)."""
    if not factor > 0:
        raise ValueError(f"factor must be above 0, not {factor}")
    distance = cooks_distance(human, metrics, variant=variant, direction=direction)
    defined = ~np.isnan(distance)
    with np.errstate(invalid="ignore"):
        mean = np.where(defined, distance, 0).sum(axis=0) / defined.sum(axis=0)
    threshold = factor * mean
    return Outliers(distance, threshold, distance > threshold, variant, direction)


def without(human: Floats, metrics: Floats, removed: NDArray[np.bool_]) -> Correlations:
    """Coefficients of what is left; `removed` per caption (union) or captions × metrics."""
    return correlations(human, np.where(_of_each(removed, metrics), np.nan, metrics))


def placebo(
    human: Floats,
    metrics: Floats,
    removed: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> Placebo:
    """The same number removed at random, again and again; `removed` as for `without`."""
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    numbers = np.sum(_of_each(removed, metrics), axis=0)
    values = np.full((len(COEFFICIENTS), draws, metrics.shape[1]), np.nan)
    for columns, rows in same_captions(human, metrics):
        for number in np.unique(numbers[columns]).tolist():
            which = columns[numbers[columns] == number]
            kept = _kept(len(rows), number, draws, rng)
            found = resampled_correlations(
                human[rows], metrics[np.ix_(rows, which)], np.arange(len(rows)), kept
            )
            values[:, :, which] = [found.of(name) for name in COEFFICIENTS]
    return Placebo(*values)


def _of_each(removed: NDArray[np.bool_], metrics: Floats) -> NDArray[np.bool_]:
    if removed.shape not in (metrics.shape, metrics.shape[:1]):
        raise ValueError("removed must have one entry per caption, or per caption and metric")
    wide = removed if removed.ndim == 2 else removed[:, None]
    return np.broadcast_to(wide, metrics.shape)


def _kept(captions: int, number: int, draws: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Draws × captions: 0 for `number` captions at random, 1 for the others."""
    kept = np.ones((draws, captions), np.int8)
    for row in kept:
        row[rng.choice(captions, min(number, captions), replace=False)] = 0
    return kept


def _distance(x: Floats, y: Floats) -> Floats:
    """Of a line through y over x."""
    n = len(x)
    if n < FEWEST or x.min() == x.max():
        return np.full(n, np.nan)
    dx, dy = x - x.mean(), y - y.mean()
    xx, xy, yy = _product(dx, dx), _product(dx, dy), _product(dy, dy)
    # In place from here on: fetching new memory would cost as much as the arithmetic.
    residual: Floats = dy
    residual -= xy / xx * dx
    variance = _product(residual, residual) / (n - 2)
    if variance <= np.finfo(float).eps * yy / (n - 1):
        return np.zeros(n)
    lever = dx
    lever *= dx
    lever *= 1 / xx
    lever += 1 / n
    rest = 1 - lever
    rest[rest <= _LEVER] = np.nan
    residual /= rest
    residual *= residual
    residual *= lever
    residual *= 0.5 / variance
    return residual


def _product(x: Floats, y: Floats) -> float:
    return float(np.einsum("i,i", x, y))
