"""How many ratings a caption needs: the mean of n of them against the mean of the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.agreement import AnnotatorValues
from analysis.stats.correlation import FEWEST, Floats, pearson

BAND = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Stability:
    """Pearson's r over `units` captions or systems, mean and middle 95 % of the draws."""

    level: str
    ratings: int
    units: int
    with_rest: float
    with_rest_low: float
    with_rest_high: float
    with_all: float
    with_all_low: float
    with_all_high: float


def stability_curve(
    shared: AnnotatorValues,
    system: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    draws: int = 100,
) -> list[Stability]:
    """For n = 1, 2, … ratings of a caption, drawn at random `draws` times.

    A caption counts at n when it has more than n ratings, so that a rest is left. The curve ends
    where fewer than three captions do.

    Parameters
    ----------
    shared
        One value per annotator and caption (`agreement.shared_ratings`).
    system
        The system of each value.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    _, unit, sizes = np.unique(shared.unit, return_inverse=True, return_counts=True)
    if not len(sizes):
        return []
    starts = np.cumsum(sizes) - sizes
    _, group = np.unique(system[starts], return_inverse=True)
    totals = np.bincount(unit, shared.value)
    sums = [_running(shared.value, unit, starts, sizes, rng) for _ in range(draws)]
    found = []
    for n in range(1, int(sizes.max())):
        own = sizes > n
        if np.count_nonzero(own) < FEWEST:
            break
        parts = np.array([running[starts[own] + n - 1] for running in sums])
        first, rest = parts / n, (totals[own] - parts) / (sizes[own] - n)
        means = totals[own] / sizes[own]
        found.append(_point("caption", n, first, rest, means))
        averaged = [_by_group(values, group[own]) for values in (first, rest, means[None])]
        if averaged[0].shape[1] >= FEWEST:
            found.append(_point("system", n, averaged[0], averaged[1], averaged[2][0]))
    return sorted(found, key=lambda point: point.level)


def _running(
    value: Floats,
    unit: NDArray[np.intp],
    starts: NDArray[np.intp],
    sizes: NDArray[np.intp],
    rng: np.random.Generator,
) -> Floats:
    """Sums over the first 1, 2, … ratings of each caption, its ratings in random order."""
    shuffled = value[np.argsort(unit + rng.random(len(unit)))]
    running = np.cumsum(shuffled)
    before = np.concatenate([[0.0], running])[starts]
    return np.asarray(running - np.repeat(before, sizes))


def _by_group(values: Floats, group: NDArray[np.intp]) -> Floats:
    """Means over the columns of each group that occurs, draw by draw."""
    present, code = np.unique(group, return_inverse=True)
    counts = np.bincount(code)
    return np.array([np.bincount(code, row, len(present)) / counts for row in values])


def _point(level: str, n: int, first: Floats, rest: Floats, whole: Floats) -> Stability:
    with_rest = np.array([_r(one, other) for one, other in zip(first, rest, strict=True)])
    with_all = np.array([_r(one, whole) for one in first])
    return Stability(level, n, first.shape[1], *_summary(with_rest), *_summary(with_all))


def _r(one: Floats, other: Floats) -> float:
    return pearson(one, other) if np.ptp(one) > 0 and np.ptp(other) > 0 else np.nan


def _summary(r: Floats) -> tuple[float, float, float]:
    if np.isnan(r).all():
        return (np.nan,) * 3
    low, high = np.nanquantile(r, BAND)
    return float(np.nanmean(r)), float(low), float(high)
