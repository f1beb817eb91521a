"""Does a metric put two captions, or two systems, in the order people do? Ties included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Floats


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs ordered as people order them, averaged over groups.

    `accuracy` with metric scores at most `epsilon` apart called tied, the best there is; `plain`
    with equal scores only. NaN without a pair.
    """

    accuracy: float
    epsilon: float
    plain: float
    pairs: int
    groups: int


def pairwise_accuracy(
    human: Floats,
    metric: Floats,
    group: NDArray[np.integer] | None = None,
    *,
    rng: np.random.Generator | None = None,
    max_pairs: int = 2_000_000,
) -> PairwiseAccuracy:
    """acc_eq with tie calibration (Deutsch, Foster & Freitag 2023) for one metric.

    Parameters
    ----------
    group
        Pairs are made within a group (usually the video) and groups count alike; without groups,
        over all captions (or systems) together.
    rng
        Needed where there are more than `max_pairs` pairs: then that many are drawn.
    """
    raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class SoftPairwiseAccuracy:
    """One value per metric; `exact` when all flips were enumerated."""

    accuracy: Floats
    draws: int
    exact: bool


def soft_pairwise_accuracy(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    system: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    draws: int = 1_000,
) -> SoftPairwiseAccuracy:
    """1 − mean |p_human − p_metric| over pairs of systems (Thompson, Mathur, Deutsch & Khayrallah
    2024): as sure as people are, not only on the same side."""
    raise NotImplementedError
