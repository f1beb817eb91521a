"""Metrics against one column of human scores, at one level: captions, or systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.settings import MOST_DRAWS, Settings
from analysis.stats.correlation import (
    Coefficients,
    Correlations,
    Floats,
    correlations,
    system_means,
)
from analysis.stats.correlation_intervals import (
    bootstrap_correlations,
    bootstrap_system_correlations,
)
from analysis.stats.dependent import MetricComparison, Test, compare_metrics
from analysis.stats.metric_clusters import MetricClusters, cluster_metrics, significance_ranks
from analysis.stats.pairwise_accuracy import (
    PairwiseAccuracy,
    SoftPairwiseAccuracy,
    held_out_accuracy,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from analysis.stats.permutation import PermutationComparison, accuracy_test, permutation_test

Level = Literal["caption", "system"]
TESTS: Final[tuple[Test, ...]] = ("williams", "steiger", "meng")
FEWEST_TO_COMPARE: Final = 4
"""Williams' test has n − 3 degrees of freedom."""
SPLITS: Final = 5
"""Ways to halve the videos, over which held-out acc_eq is averaged: one moves it by a point."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Captions complete in one human column and every metric, coded for the numerics."""

    human: Floats
    metrics: Floats
    video: NDArray[np.intp]
    system: NDArray[np.intp]
    videos: tuple[str, ...]
    systems: tuple[str, ...]
    unit: str = "captions"
    """What a row is: a caption, or one of its ratings."""

    def __len__(self) -> int:
        return len(self.human)

    @property
    def caption_videos(self) -> list[str]:
        """The video of each row, by name."""
        return [self.videos[at] for at in self.video.tolist()]

    @property
    def caption_systems(self) -> list[str]:
        return [self.systems[at] for at in self.system.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Which metric is better than which."""

    tests: Mapping[Test, MetricComparison]
    permutation: PermutationComparison
    clusters: MetricClusters
    """By Williams' test, Holm-adjusted."""

    @property
    def williams(self) -> MetricComparison:
        return self.tests["williams"]


@dataclass(frozen=True, slots=True, eq=False)
class LevelResult:
    """Coefficients with their intervals, and comparisons, at one level."""

    level: Level
    correlations: Correlations
    low: Coefficients
    high: Coefficients
    accuracy: tuple[PairwiseAccuracy, ...]
    """Per metric: captions paired within their video, or systems."""
    held_out: Floats
    """acc_eq of each metric with ties calibrated on other videos; NaN over systems."""
    soft: SoftPairwiseAccuracy | None
    """Of systems only, where there are two."""
    ordering: PermutationComparison | None
    """Of systems only: which metric orders more pairs of them as people do."""
    accuracy_rank: Floats
    """Of systems only: metrics of one rank order about as many pairs as people do (α unadjusted,
    as shared tasks have it)."""
    comparisons: Comparisons | None
    """None where there are fewer than two metrics, or too few values to compare on."""


def caption_level(rows: Rows, settings: Settings) -> LevelResult:
    """Over captions; intervals and permutations take a video with all its captions."""
    rng = np.random.default_rng([settings.seed, 1])
    draws = settings.draws
    drawn = bootstrap_correlations(rows.human, rows.metrics, rows.video, rng=rng, draws=draws)
    low, high = drawn.interval(settings.confidence)
    return LevelResult(
        level="caption",
        correlations=correlations(rows.human, rows.metrics),
        low=low,
        high=high,
        accuracy=tuple(
            pairwise_accuracy(rows.human, metric, rows.video, rng=rng) for metric in rows.metrics.T
        ),
        held_out=_held_out(rows, settings),
        soft=None,
        ordering=None,
        accuracy_rank=np.full(rows.metrics.shape[1], np.nan),
        comparisons=_compare(rows.human, rows.metrics, rows.video, rng, settings),
    )


def system_level(rows: Rows, settings: Settings) -> LevelResult:
    """Over systems: each side the mean over the system's captions."""
    rng = np.random.default_rng([settings.seed, 2])
    count, draws = len(rows.systems), settings.draws
    human, metrics = system_means(rows.human, rows.metrics, rows.system, count)
    people = human[:, 0]  # rows are complete: every metric is held against the same captions
    drawn = bootstrap_system_correlations(
        rows.human, rows.metrics, rows.video, rows.system, count, rng=rng, draws=draws
    )
    low, high = drawn.interval(settings.confidence)
    accuracy = tuple(pairwise_accuracy(people, metric, rng=rng) for metric in metrics.T)
    ordering = _ordering(people, metrics, settings) if count > 1 else None
    return LevelResult(
        level="system",
        correlations=correlations(people, metrics),
        low=low,
        high=high,
        accuracy=accuracy,
        held_out=np.full(metrics.shape[1], np.nan),
        soft=_soft(rows, rng, draws) if count > 1 else None,
        ordering=ordering,
        accuracy_rank=_accuracy_rank(accuracy, ordering, settings.alpha),
        comparisons=_compare(people, metrics, np.arange(count), rng, settings),
    )


def _held_out(rows: Rows, settings: Settings) -> Floats:
    """Every metric on the same halves of the videos, and the mean over several ways to halve."""
    found = [
        [
            held_out_accuracy(
                rows.human, one, rows.video, rng=np.random.default_rng([settings.seed, 6, split])
            )
            for split in range(SPLITS)
        ]
        for one in rows.metrics.T
    ]
    return np.asarray(np.mean(found, axis=1))


def _accuracy_rank(
    accuracy: tuple[PairwiseAccuracy, ...], ordering: PermutationComparison | None, alpha: float
) -> Floats:
    if ordering is None:
        return np.full(len(accuracy), np.nan)
    return significance_ranks(np.array([one.plain for one in accuracy]), ordering.p, alpha=alpha)


def _soft(rows: Rows, rng: np.random.Generator, draws: int) -> SoftPairwiseAccuracy:
    return soft_pairwise_accuracy(
        rows.human, rows.metrics, rows.video, rows.system, rng=rng, draws=draws
    )


def _ordering(people: Floats, metrics: Floats, settings: Settings) -> PermutationComparison:
    rng = np.random.default_rng([settings.seed, 7])
    draws = draws_to_decide(metrics.shape[1], settings)
    return accuracy_test(people, metrics, rng=rng, draws=draws)


def draws_to_decide(metrics: int, settings: Settings) -> int:
    """Draws with which even the Holm-adjusted p of a permutation test can be significant.

    The smallest p of n draws is 1 / (n + 1), and Holm multiplies it by the number of ordered pairs.

    >>> draws_to_decide(5, Settings()), draws_to_decide(20, Settings())
    (1000, 7601)
    """
    pairs = metrics * (metrics - 1)
    return min(max(settings.draws, int(pairs / settings.alpha) + 1), MOST_DRAWS)


def _compare(
    human: Floats,
    metrics: Floats,
    item: NDArray[np.intp],
    rng: np.random.Generator,
    settings: Settings,
) -> Comparisons | None:
    if metrics.shape[1] < 2 or len(human) < FEWEST_TO_COMPARE:
        return None
    tests = {test: compare_metrics(human, metrics, test=test) for test in TESTS}
    williams = tests["williams"]
    return Comparisons(
        tests=tests,
        permutation=permutation_test(
            human, metrics, item, rng=rng, draws=draws_to_decide(metrics.shape[1], settings)
        ),
        clusters=cluster_metrics(williams.r, williams.p_holm, alpha=settings.alpha),
    )
