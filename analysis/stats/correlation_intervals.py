"""How far a correlation would move with other videos: bootstrap by video.

Captions of one video share its difficulty and its references, so they are drawn together; a draw
is shared by all metrics, so that differences between metrics have intervals too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats import grouped_ranks
from analysis.stats.correlation import (
    COEFFICIENTS,
    Coefficients,
    Floats,
    by_name,
    correlations_by_group,
)
from analysis.stats.resampled_correlation import resampled_correlations


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapDraws(Coefficients):
    """Draws × metrics, the same videos in a row for every metric; NaN where not defined."""

    videos: int

    def interval(self, confidence: float = 0.95) -> tuple[Coefficients, Coefficients]:
        """Percentile interval of every metric: low and high ends.

        Draws in which a coefficient is not defined do not count. One video has no interval.
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
        tails = ((1 - confidence) / 2, (1 + confidence) / 2)
        ends = [[defined_quantile(self.of(name), tail) for name in COEFFICIENTS] for tail in tails]
        return Coefficients(*ends[0]), Coefficients(*ends[1])


def bootstrap_correlations(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> BootstrapDraws:
    """Caption-level coefficients under resampling of videos, each with all its captions."""
    videos, cluster = np.unique(video, return_inverse=True)
    counts = draw_counts(len(videos), draws, rng)
    return _draws(resampled_correlations(human, metrics, cluster, counts), len(videos))


def bootstrap_system_correlations(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    system: NDArray[np.integer],
    systems: int,
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> BootstrapDraws:
    """System-level coefficients under resampling of videos: the systems stay, their means move.

    A system none of whose videos is drawn does not count in that draw.
    """
    names, cluster = np.unique(video, return_inverse=True)
    videos = len(names)
    counts = draw_counts(videos, draws, rng)
    there = np.isfinite(human)[:, None] & np.isfinite(metrics)
    cell = cluster * systems + system
    means = np.empty((2, draws * systems, metrics.shape[1]))
    for metric, rows in enumerate(there.T):
        number, *sums = (
            (counts @ _table(cell[rows], values, (videos, systems))).ravel()
            for values in (None, human[rows], metrics[rows, metric])
        )
        for side, total in enumerate(sums):
            means[side, :, metric] = grouped_ranks.divide(total, number)
    draw = np.repeat(np.arange(draws), systems)
    return _draws(correlations_by_group(means[0], means[1], draw, draws), videos)


def draw_counts(clusters: int, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws × clusters: how often each comes up among as many, drawn with replacement."""
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    if clusters == 0:
        return np.zeros((draws, 0), np.int64)
    return rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)


def _table(cell: NDArray[np.int64], values: Floats | None, shape: tuple[int, int]) -> Floats:
    """Sum of the values (their number, without any) of each video and system."""
    return np.bincount(cell, values, shape[0] * shape[1]).reshape(shape).astype(float)


def _draws(found: Coefficients, videos: int) -> BootstrapDraws:
    values = [found.of(name) for name in COEFFICIENTS]
    if videos < 2:
        values = [np.full_like(value, np.nan) for value in values]
    return BootstrapDraws(**by_name(values), videos=videos)


def defined_quantile(values: Floats, tail: float) -> Floats:
    """Of each column, over the draws in which it is defined; NaN where it never is."""
    defined = [column[~np.isnan(column)] for column in values.T]
    return np.array([np.quantile(column, tail) if len(column) else np.nan for column in defined])
