"""Does a metric agree with people? Correlations of many metrics with human scores (PROTOCOL §7).

Human scores are one value per caption (or one column per metric), metrics a table of captions ×
metrics. Whatever is not finite counts as missing: a metric is correlated over the captions where
both sides are there, and says over how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats import grouped_ranks

Floats = NDArray[np.float64]
Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: Final[tuple[Coefficient, ...]] = ("pearson", "spearman", "kendall_b", "kendall_c")
FEWEST: Final = 3
"""Two points always lie on a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """The four coefficients, each an array of one shape whose last axis is the metric."""

    pearson: Floats
    spearman: Floats
    kendall_b: Floats
    kendall_c: Floats

    def of(self, coefficient: Coefficient) -> Floats:
        """The array of the coefficient named."""
        if coefficient not in COEFFICIENTS:
            raise ValueError(f"coefficient must be one of {', '.join(COEFFICIENTS)}")
        values: Floats = getattr(self, coefficient)
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Correlations(Coefficients):
    """One value per metric, NaN where not defined, and then `reason` says why ("" elsewhere)."""

    n: NDArray[np.int64]
    reason: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GroupCorrelations(Coefficients):
    """Groups (videos, systems) × metrics; NaN for a group in which it is not defined."""

    n: NDArray[np.int64]

    def means(self) -> Correlations:
        """Mean of each coefficient over the groups in which it is defined; `n` counts those."""
        defined = np.count_nonzero(~np.isnan(self.pearson), axis=0)
        means = [_mean_defined(self.of(name)) for name in COEFFICIENTS]
        reason = tuple("" if n else "not defined in any group" for n in defined.tolist())
        return Correlations(**by_name(means), n=defined, reason=reason)


def by_name(values: Iterable[Floats]) -> dict[str, Floats]:
    """Arrays in the order of `COEFFICIENTS`, as arguments of a class of coefficients."""
    return dict(zip(COEFFICIENTS, values, strict=True))


def correlations(human: Floats, metrics: Floats) -> Correlations:
    """Pearson's r, Spearman's ρ, Kendall's τ-b and τ-c of each metric with the human scores.

    Parameters
    ----------
    human
        One score per caption; or a column per metric (`system_means`).
    metrics
        Captions × metrics.

    O(n log n) for each metric.

    >>> found = correlations(np.array([1.0, 2, 3, 4]), np.array([[2.0, 5], [1, 5], [4, 5], [3, 5]]))
    >>> found.pearson.round(3).tolist(), found.kendall_b.round(3).tolist(), found.reason[1]
    ([0.6, nan], [0.333, nan], 'the metric is constant')
    """
    pairs = [(y[both], x[both]) for y, x, both in _columns(human, metrics)]
    reasons = tuple(_undefined(y, x) for y, x in pairs)
    values = np.full((len(COEFFICIENTS), len(pairs)), np.nan)
    for metric, ((y, x), reason) in enumerate(zip(pairs, reasons, strict=True)):
        if not reason:
            values[:, metric] = pearson(x, y), pearson(mean_ranks(x), mean_ranks(y)), *kendall(x, y)
    n = np.array([len(y) for y, _ in pairs], np.int64)
    return Correlations(**by_name(values), n=n, reason=reasons)


def correlations_by_group(
    human: Floats, metrics: Floats, group: NDArray[np.integer], groups: int
) -> GroupCorrelations:
    """The same within each group (0 … groups − 1), all groups at once: per video, per system.

    >>> human, metric = np.array([1.0, 2, 3, 1, 2, 3]), np.array([[1.0], [2], [3], [3], [2], [1]])
    >>> correlations_by_group(human, metric, np.repeat([0, 1], 3), 2).kendall_b.ravel().tolist()
    [1.0, -1.0]
    """
    if len(group) != len(human):
        raise ValueError("group must have one entry per human score")
    found = [
        _within(y[both], x[both], group[both].astype(np.int64), groups)
        for y, x, both in _columns(human, metrics)
    ]
    values = np.moveaxis(np.array(found).reshape(len(found), 5, groups), 0, -1)
    return GroupCorrelations(**by_name(values[:4]), n=values[4].astype(np.int64))


def system_means(
    human: Floats, metrics: Floats, system: NDArray[np.integer], systems: int
) -> tuple[Floats, Floats]:
    """Mean human and metric score of each system (systems × metrics, both), for `correlations`.

    Both means are over the captions that have a human score and a score by that metric, so that
    the two sides speak of the same captions. NaN for a system without any.

    >>> human, metrics = np.array([1.0, 3, 5]), np.array([[2.0], [4], [np.nan]])
    >>> [side.ravel().tolist() for side in system_means(human, metrics, np.array([0, 0, 1]), 2)]
    [[2.0, nan], [3.0, nan]]
    """
    if len(system) != len(human):
        raise ValueError("system must have one entry per human score")
    means = np.empty((2, systems, metrics.shape[1]))
    for metric, (y, x, both) in enumerate(_columns(human, metrics)):
        counts = np.bincount(system[both], minlength=systems)
        for side, values in enumerate((y, x)):
            sums = np.bincount(system[both], values[both], systems)
            means[side, :, metric] = grouped_ranks.divide(sums, counts)
    return means[0], means[1]


def complete_rows(human: Floats, metrics: Floats) -> NDArray[np.bool_]:
    """Captions with a human score and a score by every metric: what metrics are compared on."""
    _check(human, metrics)
    return np.isfinite(human) & np.isfinite(metrics).all(axis=1)


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's r of two columns that vary."""
    dx, dy = x - x.mean(), y - y.mean()
    # Scaled first: squares of very large or small scores would leave the range of floats.
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    r = np.sum(dx * dy) / np.sqrt(np.sum(dx**2) * np.sum(dy**2))
    return float(np.clip(r, -1, 1))


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1, ties averaged."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), np.float64)


def kendall(x: Floats, y: Floats) -> tuple[float, float]:
    """Kendall's τ-b and τ-c of two columns that vary, by scipy's O(n log n) counting."""
    from scipy.stats import kendalltau

    tau_b = float(kendalltau(x, y, method="asymptotic").statistic)
    (untied_x, distinct_x), (untied_y, distinct_y) = _untied(x), _untied(y)
    difference = round(tau_b * np.sqrt(untied_x) * np.sqrt(untied_y))  # a whole number of pairs
    m = min(distinct_x, distinct_y)
    return tau_b, 2 * difference * m / (len(x) ** 2 * (m - 1))


def _columns(human: Floats, metrics: Floats) -> Iterator[tuple[Floats, Floats, NDArray[np.bool_]]]:
    """Human scores, the scores of each metric, and where both are there."""
    _check(human, metrics)
    columns = human[:, None] if human.ndim == 1 else human
    for y, x in zip(np.broadcast_to(columns, metrics.shape).T, metrics.T, strict=True):
        yield y, x, np.isfinite(y) & np.isfinite(x)


def _check(human: Floats, metrics: Floats) -> None:
    if metrics.ndim != 2:
        raise ValueError("metrics must be a table of captions × metrics")
    if len(human) != len(metrics):
        raise ValueError("human and metrics must have the same number of captions")


def _undefined(y: Floats, x: Floats) -> str:
    """Why no coefficient is defined, or ""."""
    if len(y) < FEWEST:
        return f"fewer than {FEWEST} values"
    if y.min() == y.max():
        return "the human scores are constant"
    return "the metric is constant" if x.min() == x.max() else ""


def _untied(values: Floats) -> tuple[int, int]:
    """Pairs of different values, and how many values there are."""
    ties = np.unique(values, return_counts=True)[1]
    n = len(values)
    return n * (n - 1) // 2 - int(np.sum(ties * (ties - 1) // 2)), len(ties)


def _within(y: Floats, x: Floats, group: NDArray[np.int64], groups: int) -> NDArray[Any]:
    """Four coefficients and the number of values, for each group."""
    sizes = np.bincount(group, minlength=groups)
    codes_y, codes_x = _codes(group, y), _codes(group, x)
    pairs = grouped_ranks.count_pairs(group, codes_x, codes_y, sizes)
    found = np.array(
        [
            grouped_ranks.pearson(group, x, y, sizes),
            grouped_ranks.spearman(group, codes_x, codes_y, sizes),
            pairs.tau_b(),
            pairs.tau_c(),
        ]
    )
    undefined = (sizes < FEWEST) | np.isnan(found[2])
    return np.vstack([np.where(undefined, np.nan, found), sizes])


def _codes(group: NDArray[np.int64], values: Floats) -> NDArray[np.int64]:
    """The place of each value among the distinct values of its group, from 0."""
    order = np.lexsort((values, group))
    one, value = group[order], values[order]
    begins = np.diff(one, prepend=-1) != 0
    steps = np.cumsum(begins | (np.diff(value, prepend=np.inf) != 0))
    codes = np.empty_like(group)
    codes[order] = steps - np.repeat(
        steps[begins], np.diff(np.flatnonzero(np.append(begins, True)))
    )
    return codes


def _mean_defined(values: Floats) -> Floats:
    """Of each column. Columns are laid out one after the other first: the order in which NumPy adds
    depends on the layout, and the last digit on the order."""
    columns = np.ascontiguousarray(values.T)
    counts = np.count_nonzero(~np.isnan(columns), axis=1)
    return grouped_ranks.divide(np.nansum(columns, axis=1), counts)
