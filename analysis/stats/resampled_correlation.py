"""Correlations of many resamples at once: whole clusters of captions left out, or counted again.

What a bootstrap by video and a placebo for a filter have in common. A resample is how often each
cluster counts; coefficients are exactly those of the captions written out that often, but nothing
is written out, and columns are sorted once for all resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.stats.correlation import FEWEST, Coefficients, Floats
from analysis.stats.resampled_pairs import pair_differences

Ints = NDArray[np.int64]
_CELLS: Final = 1 << 24
"""Cells of resamples × clusters worked on at once, for the sake of memory."""
_NEARLY: Final = 1e-9
"""Share of the squares below which a spread may be nothing but rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """How often values occur: over the values of a column (columns) that occur T > 0 times in a
    resample (rows), their number, Σ T² and Σ T³."""

    distinct: Floats
    squares: Floats
    cubes: Floats


def resampled_correlations(
    human: Floats, metrics: Floats, cluster: NDArray[np.integer], counts: NDArray[np.integer]
) -> Coefficients:
    """Coefficients of every resample (resamples × metrics), NaN where not defined.

    Parameters
    ----------
    cluster
        Cluster of each caption, 0 … clusters − 1: the video, or the caption itself.
    counts
        Resamples × clusters: how often each counts.
    """
    clusters = cluster.astype(np.int64)
    values = np.full((4, len(counts), metrics.shape[1]), np.nan)
    for columns, rows in same_captions(human, metrics):
        if len(rows):
            table = metrics[np.ix_(rows, columns)]
            values[:, :, columns] = _complete(human[rows], table, clusters[rows], counts)
    return Coefficients(*values)


def same_captions(human: Floats, metrics: Floats) -> Iterator[tuple[Ints, NDArray[np.intp]]]:
    """Metrics that miss the same captions, together, and the captions they have."""
    there = (np.isfinite(human)[:, None] & np.isfinite(metrics)).T
    alike: dict[bytes, list[int]] = {}
    for metric, captions in enumerate(there):
        alike.setdefault(captions.tobytes(), []).append(metric)
    for which in alike.values():
        yield np.array(which), np.flatnonzero(there[which[0]])


def _complete(human: Floats, metrics: Floats, cluster: Ints, counts: NDArray[np.integer]) -> Floats:
    codes = np.array([np.unique(column, return_inverse=True)[1] for column in (human, *metrics.T)])
    difference = pair_differences(codes[0], codes[1:], cluster, counts)
    values = np.empty((4, *difference.shape))
    at_once = max(1, _CELLS // counts.shape[1])
    for begin in range(0, len(counts), at_once):
        some = slice(begin, begin + at_once)
        times = counts[some].astype(np.int64)
        values[0, some] = resampled_pearson(human, metrics, cluster, times)
        values[1:, some] = _ranked(codes, cluster, times, difference[some])
    # Sums of floats do not show that a column is constant in a resample; counts of ties do.
    return np.where(np.isnan(values[2]), np.nan, np.clip(values, -1, 1))


def _ranked(codes: Ints, cluster: Ints, counts: Ints, difference: Floats) -> Floats:
    """Spearman's ρ, Kendall's τ-b and τ-c."""
    sizes = np.bincount(cluster, minlength=counts.shape[1])
    n = (counts @ sizes).astype(float)[:, None]
    ties = _ties(codes, cluster, counts)
    fewer = np.minimum(ties.distinct[:, :1], ties.distinct[:, 1:])
    untied = (n**2 - ties.squares[:, :1]) * (n**2 - ties.squares[:, 1:])
    spread = (n**3 - ties.cubes[:, :1]) * (n**3 - ties.cubes[:, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.array(
            [
                3 * rank_products(codes[0], codes[1:], cluster, counts) / np.sqrt(spread),
                2 * difference / np.sqrt(untied),
                2 * difference * fewer / (n**2 * (fewer - 1)),
            ]
        )
    return np.where((n >= FEWEST) & (fewer > 1), values, np.nan)


def resampled_pearson(human: Floats, metrics: Floats, cluster: Ints, counts: Ints) -> Floats:
    """From sums over each cluster of standard scores, their squares and products.

    NaN for a resample of fewer than three captions, or in which a side is constant.
    """
    y, x = _standard(human[:, None]), _standard(metrics)
    products = np.hstack([np.ones_like(y), y, y**2, x, x**2, x * y])
    members = csr_array((np.ones(len(y)), (cluster, np.arange(len(y)))), (counts.shape[1], len(y)))
    sums = counts @ np.asarray(members @ products)
    n, sum_y, square_y = (sums[:, [column]] for column in range(3))
    sum_x, square_x, both = np.split(sums[:, 3:], 3, axis=1)
    spread_x, spread_y = n * square_x - sum_x**2, n * square_y - sum_y**2
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip((n * both - sum_x * sum_y) / np.sqrt(spread_x * spread_y), -1, 1)
    still_x = _constant(metrics, cluster, counts, spread_x <= _NEARLY * n * square_x)
    still_y = _constant(human[:, None], cluster, counts, spread_y <= _NEARLY * n * square_y)
    return np.asarray(np.where((n < FEWEST) | still_x | still_y, np.nan, r))


def _constant(
    values: Floats, cluster: Ints, counts: Ints, suspected: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Resamples × columns in which all values are equal, of those suspected: sums of floats do not
    show it."""
    found = np.zeros_like(suspected)
    for draw, column in np.argwhere(suspected).tolist():
        drawn = values[counts[draw, cluster] > 0, column]
        found[draw, column] = bool(np.all(drawn == drawn[:1]))
    return found


def _standard(values: Floats) -> Floats:
    centred = values - values.sum(axis=0) / max(len(values), 1)
    scale = np.abs(centred).max(axis=0, initial=0)
    return np.asarray(centred / np.where(scale > 0, scale, 1))


def _ties(codes: Ints, cluster: Ints, counts: Ints) -> Ties:
    """Of every column. Values that occur once are counted by cluster, the others one by one."""
    often = [np.bincount(column)[column] for column in codes]
    single = np.column_stack(
        [np.bincount(cluster[n == 1], minlength=counts.shape[1]) for n in often]
    ).astype(float)
    times_drawn = counts.astype(float)
    squares = times_drawn**2
    drawn = (squares > 0).astype(float)
    sums = np.array([drawn @ single, squares @ single, (squares * times_drawn) @ single])
    weights = np.ascontiguousarray(times_drawn.T)
    for number, (column, n) in enumerate(zip(codes, often, strict=True)):
        values, value = np.unique(column[n > 1], return_inverse=True)
        members = csr_array(
            (np.ones(len(value)), (value, cluster[n > 1])), (len(values), len(weights))
        )
        times = members @ weights
        squares = times**2
        powers = (
            np.count_nonzero(times, axis=0),
            squares.sum(axis=0),
            np.sum(squares * times, axis=0),
        )
        sums[:, :, number] += np.array(powers)
    return Ties(*sums)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """Places of the captions from the lowest to the highest value, and where each value ends."""

    order: NDArray[np.intp]
    ends: NDArray[np.intp]

    @property
    def tied(self) -> bool:
        return len(self.ends) < len(self.order)

    def twice_ranks(self, weight: Ints) -> Ints:
        """2 × the mean rank − 1 of each value, its captions counting `weight` times.

        With b captions before it and u up to it, the mean rank is (b + u + 1) / 2.
        """
        upto = np.cumsum(weight.take(self.order))
        if self.tied:
            upto = upto.take(self.ends)
        twice = upto.copy()
        twice[1:] += upto[:-1]
        return twice

    def sums(self, values: Ints) -> Ints:
        """Sum over the captions of each value."""
        ordered = values.take(self.order)
        if not self.tied:
            return ordered
        return np.add.reduceat(ordered, np.append(0, self.ends[:-1] + 1))


def rank_products(human: Ints, metrics: Ints, cluster: Ints, counts: Ints) -> Ints:
    """Σ (2 R_human − N − 1)(2 R_metric − N − 1) of each resample (rows) and metric (columns).

    Values come as codes in their order, metrics one row each. Whole numbers, and thus exact, up to
    two million captions.
    """
    people = _column(human)
    columns = [_column(column) for column in metrics]
    products = np.zeros((len(counts), len(columns)), np.int64)
    for draw, count in enumerate(counts):
        weight = count[cluster]
        centred = weight * (people.twice_ranks(weight)[human] - weight.sum())
        for number, column in enumerate(columns):
            # The weighted human ranks sum to 0, so that those of the metric need no centre.
            products[draw, number] = np.einsum(
                "i,i", column.sums(centred), column.twice_ranks(weight)
            )
    return products


def _column(codes: Ints) -> _Column:
    """Of codes 0, 1, … none of which is left out."""
    return _Column(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes)) - 1)
