"""Does a metric put two captions, or two systems, in the order people do? Ties included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Floats
from analysis.stats.exchanges import Exchanges

_SAME: Final = 1e-12
"""Accuracies nearer than this are equal; of equal ones the smallest threshold counts."""


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs ordered as people order them, averaged over groups; NaN without a pair."""

    accuracy: float
    """With metric scores at most `epsilon` apart called tied: the best there is."""
    epsilon: float
    plain: float
    """With only equal scores called tied."""
    pairs: int
    groups: int


@dataclass(frozen=True, slots=True, eq=False)
class SoftPairwiseAccuracy:
    """One value per metric, NaN without two systems that share a video."""

    accuracy: Floats
    pairs: NDArray[np.int64]
    draws: int
    exact: bool


def pairwise_accuracy(
    human: Floats,
    metric: Floats,
    group: NDArray[np.integer] | None = None,
    *,
    rng: np.random.Generator | None = None,
    max_pairs: int = 2_000_000,
) -> PairwiseAccuracy:
    """acc_eq with tie calibration (Deutsch, Foster & Freitag 2023) for one metric.

    A pair is right when human and metric agree on its order, or both call it a tie. A metric hardly
    ever gives equal scores, people often do; so the difference up to which the metric's scores
    count as tied is chosen to make the accuracy highest.

    Parameters
    ----------
    group
        Pairs are made within a group (usually the video) and groups count alike; without groups,
        over all captions (or systems) together.
    rng
        Needed where there are more than `max_pairs` pairs: then that many are drawn.

    >>> found = pairwise_accuracy(np.array([1.0, 1, 2]), np.array([0.5, 0.6, 0.9]))
    >>> found.plain, found.accuracy, round(found.epsilon, 6)
    (0.6666666666666666, 1.0, 0.1)
    """
    there = np.isfinite(human) & np.isfinite(metric)
    groups = np.zeros(len(human), np.int64) if group is None else group
    first, second, pair_group = _pairs(groups[there], rng, max_pairs)
    if len(first) == 0:
        return PairwiseAccuracy(np.nan, np.nan, np.nan, 0, 0)
    y, x = human[there], metric[there]
    order = np.sign(y[first] - y[second])
    gap = x[first] - x[second]
    counts = np.bincount(pair_group)
    used = int(np.count_nonzero(counts))
    weight = 1 / (counts * used)[pair_group]
    right = np.sign(gap) == order
    plain = float(np.sum(weight[right]))
    gain = weight * ((order == 0) * 1.0 - right)
    epsilon, best = _calibrate(np.abs(gap), gain)
    return PairwiseAccuracy(plain + best, epsilon, plain, len(first), used)


def accuracy_at(
    human: Floats, metric: Floats, group: NDArray[np.integer], epsilon: float,
    *, rng: np.random.Generator | None = None, max_pairs: int = 2_000_000,
) -> float:  # fmt: skip
    """acc_eq with a threshold that was chosen elsewhere; groups count alike.

    >>> accuracy_at(np.array([1.0, 1, 2]), np.array([0.5, 0.6, 0.9]), np.zeros(3, int), 0.15)
    1.0
    """
    there = np.isfinite(human) & np.isfinite(metric)
    first, second, pair_group = _pairs(group[there], rng, max_pairs)
    if len(first) == 0:
        return float("nan")
    y, x = human[there], metric[there]
    gap = x[first] - x[second]
    called = np.where(np.abs(gap) <= epsilon, 0, np.sign(gap))
    right = called == np.sign(y[first] - y[second])
    counts = np.bincount(pair_group)
    shares = np.bincount(pair_group, right)[counts > 0] / counts[counts > 0]
    return float(shares.mean())


def held_out_accuracy(
    human: Floats,
    metric: Floats,
    group: NDArray[np.integer],
    *,
    rng: np.random.Generator,
) -> float:
    """acc_eq whose threshold was calibrated on other groups: half of them, drawn at random, choose
    it for the other half, and the other way round. NaN below two groups in a half.

    Calibrated and measured on the same pairs, acc_eq flatters a metric, the more the fewer pairs.
    """
    groups, code = np.unique(group, return_inverse=True)
    if len(groups) < 4:
        return float("nan")
    half = rng.permutation(np.arange(len(groups)) % 2 == 0)[code]
    found = []
    for own in (half, ~half):
        chosen = pairwise_accuracy(human[own], metric[own], group[own], rng=rng).epsilon
        if np.isfinite(chosen):
            found.append(accuracy_at(human[~own], metric[~own], group[~own], chosen, rng=rng))
    return float(np.mean(found)) if found else float("nan")


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
    2024): a metric should be as sure as people are, not only on their side.

    p is that of "the one system is better than the other" under exchange of the two systems' scores
    of whole videos, over the videos both were scored on; the same exchanges on both sides.
    """
    videos, place = np.unique(video, return_inverse=True)
    systems, column = np.unique(system, return_inverse=True)
    exchanges = Exchanges.of(len(videos), draws)
    seed = int(rng.integers(2**63))
    first, second = np.triu_indices(len(systems), 1)
    accuracy, pairs = np.full(metrics.shape[1], np.nan), np.zeros(metrics.shape[1], np.int64)
    for number, metric in enumerate(metrics.T):
        there = np.isfinite(human) & np.isfinite(metric)
        cell = place[there] * len(systems) + column[there]
        shape = (len(videos), len(systems))
        gaps = [
            table[:, first] - table[:, second]
            for table in (_means(cell, values[there], shape) for values in (human, metric))
        ]
        shared = ~np.isnan(gaps[0]).all(axis=0)
        p = [_exchange_p(np.nan_to_num(gap[:, shared]), exchanges, seed) for gap in gaps]
        pairs[number] = np.count_nonzero(shared)
        if pairs[number]:
            accuracy[number] = 1 - np.mean(np.abs(p[0] - p[1]))
    return SoftPairwiseAccuracy(accuracy, pairs, exchanges.draws, exchanges.exact)


def _pairs(
    group: NDArray[np.integer], rng: np.random.Generator | None, max_pairs: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Both captions of every pair within a group, or of some at random, and the group."""
    order = np.argsort(group, kind="stable")
    _, code, sizes = np.unique(group[order], return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    later = np.repeat(starts + sizes, sizes) - np.arange(len(order)) - 1  # partners to come
    total = int(later.sum())
    if total <= max_pairs:
        first = np.repeat(np.arange(len(order)), later)
        second = first + 1 + np.arange(total) - np.repeat(np.cumsum(later) - later, later)
    elif rng is None:
        raise ValueError(f"rng is needed to draw {max_pairs:,} of {total:,} pairs")
    else:
        partners = (sizes - 1)[code]
        first = rng.choice(len(order), max_pairs, p=partners / partners.sum())
        step = rng.integers(1, sizes[code[first]])
        second = starts[code[first]] + (first - starts[code[first]] + step) % sizes[code[first]]
    return order[first], order[second], code[first]


def _calibrate(gap: Floats, gain: Floats) -> tuple[float, float]:
    """The smallest threshold with the highest accuracy, and what it gains."""
    order = np.argsort(gap, kind="stable")
    ends = np.flatnonzero(np.diff(gap[order], append=np.inf))
    gains = np.concatenate([[0.0], np.cumsum(gain[order])[ends]])
    best = int(np.argmax(gains >= gains.max() - _SAME))
    return float(gap[order[ends[best - 1]]]) if best else 0.0, float(gains[best])


def _means(cell: NDArray[np.intp], values: Floats, shape: tuple[int, int]) -> Floats:
    """Table of means, NaN where a cell has no value."""
    cells = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=cells)
    sums = np.bincount(cell, values, cells)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).reshape(shape)


def _exchange_p(gaps: Floats, exchanges: Exchanges, seed: int) -> Floats:
    null = exchanges.sums(gaps, np.random.default_rng(seed))
    return exchanges.p(null, gaps.sum(axis=0), scale=np.abs(gaps).sum(axis=0))
