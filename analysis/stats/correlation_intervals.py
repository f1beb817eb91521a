"""How far a correlation would move with other videos: bootstrap by video."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Coefficients, Floats


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapDraws(Coefficients):
    """Draws × metrics, the same videos in a row for every metric; NaN where not defined."""

    videos: int

    def interval(self, confidence: float = 0.95) -> tuple[Coefficients, Coefficients]:
        """Percentile interval of every metric: low and high ends."""
        raise NotImplementedError


def bootstrap_correlations(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> BootstrapDraws:
    """Caption-level coefficients under resampling of videos, each with all its captions."""
    raise NotImplementedError


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
    """System-level coefficients under resampling of videos: the systems stay, their means move."""
    raise NotImplementedError
