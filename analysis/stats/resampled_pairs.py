"""Concordant minus discordant pairs in many resamples, for Kendall's τ.

A pair counts as often as its two captions' clusters count together. With G[u, v] the sum of
[x_j > x_i] · sign(y_j − y_i) over captions i of cluster u and j of cluster v, the difference of a
resample that counts clusters c times is the quadratic form c'Gc: pairs are looked at once, not once
for every resample, and ties on either side add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.grouped_ranks import inversions_of_each

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CLUSTERS: Final = 4_000
"""Up to so many clusters the quadratic form is faster than counting pairs resample by resample."""
_CELLS: Final = 1 << 24
"""Cells of G held at once."""
_SOME: Final = 0.1
"""Left out of all captions on average: below this share it is faster to count those."""
_FEW: Final = 500
"""Up to so many captions it is faster to compare each with each than to sort them."""
_BYTE: Final = 127
"""Signs a byte can add up."""
_WHOLE: Final = 1 << 24
"""What a 32-bit float can count to."""


def pair_differences(
    human: Ints, metrics: Ints, cluster: Ints, counts: NDArray[np.integer]
) -> Floats:
    """Concordant − discordant pairs of each resample (rows) with each metric (columns).

    Values come as codes in their order, metrics one row each. O(captions²) comparisons for each
    metric, made once, and O(clusters²) for each resample. Resamples that leave out some captions
    cost O(left out · log), and with many clusters others O(captions · log captions).
    """
    if counts.max(initial=0) <= 1 and counts.mean() > 1 - _SOME:
        return _by_remainder(human, metrics, counts[:, cluster] == 0)
    if counts.shape[1] <= _CLUSTERS:
        return _by_form(human, metrics, cluster, counts)
    rows = (np.repeat(np.arange(len(human)), weight) for weight in counts[:, cluster])
    return np.array([_differences(human[these], metrics[:, these]) for these in rows])


def _by_form(human: Ints, metrics: Ints, cluster: Ints, counts: NDArray[np.integer]) -> Floats:
    clusters = counts.shape[1]
    sizes = np.bincount(cluster, minlength=clusters)
    # No entry of c'G exceeds the largest cluster times the largest resample; then c once more.
    reach = sizes.max(initial=0) * (counts @ sizes).max(initial=0) * int(counts.max(initial=0))
    weights = counts.astype(np.float32 if reach < _WHOLE else np.float64)
    differences = np.empty((len(counts), len(metrics)))
    at_once = max(1, _CELLS // clusters**2)
    for begin in range(0, len(metrics), at_once):
        forms = _forms(human, metrics[begin : begin + at_once], cluster, sizes)
        for number, form in enumerate(forms.astype(weights.dtype), begin):
            differences[:, number] = np.sum((weights @ form) * weights, axis=1, dtype=np.float64)
    return differences


def _forms(human: Ints, metrics: Ints, cluster: Ints, sizes: Ints) -> NDArray[np.int32]:
    """G of every metric."""
    order = np.argsort(cluster, kind="stable")
    there = np.flatnonzero(sizes)
    ends = np.cumsum(sizes)[there]
    starts = ends - sizes[there]
    forms = np.zeros((len(metrics), len(sizes), len(sizes)), np.int32)
    totals = _signs(human[order], metrics[:, order], starts, ends)
    for row, total in zip(there, totals, strict=True):
        forms[:, row, there] = np.add.reduceat(total, starts, axis=1, dtype=np.int32)
    return forms


def _signs(human: Ints, metrics: Ints, starts: Ints, ends: Ints) -> Iterator[NDArray[np.integer]]:
    """For each run of captions i the sums of [x_j > x_i] · sign(y_j − y_i), metrics × captions j.

    Comparisons are made in bytes, all metrics and captions at a time.
    """
    y, x = _narrow(human), _narrow(metrics)
    above = np.empty(x.shape, np.int8)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        total = np.zeros(x.shape, np.int8 if end - start <= _BYTE else np.int32)
        for caption in range(start, end):
            sign = (y > y[caption]).view(np.int8) - (y < y[caption]).view(np.int8)
            np.greater(x, x[:, caption, None], out=above.view(np.bool_))
            total += np.multiply(above, sign, out=above)
        yield total


def _narrow(codes: Ints) -> NDArray[np.integer]:
    """Narrower codes are compared faster."""
    narrow = np.int16 if codes.max(initial=0) <= np.iinfo(np.int16).max else np.int32
    return codes.astype(narrow, order="C")


def _by_remainder(human: Ints, metrics: Ints, left_out: NDArray[np.bool_]) -> Floats:
    """All pairs, less those of the captions left out with all others, and not twice with each
    other."""
    of_each = np.array([_differences_of_each(human, metric) for metric in metrics])
    y, x = _narrow(human), _narrow(metrics)
    rest = np.array([_differences(y[out], x[:, out]) for out in left_out])
    lost = np.array([of_each[:, out].sum(axis=1) for out in left_out])
    return np.asarray(of_each.sum(axis=1) / 2 - lost + rest)


def _differences_of_each(human: Ints, metric: Ints) -> Ints:
    """Concordant − discordant pairs of each caption with all others."""
    both = np.unique(metric * (human.max(initial=0) + 1) + human, return_inverse=True)[1]
    tied = [np.bincount(codes)[codes] for codes in (human, metric, both)]
    order = np.lexsort((human, metric))
    discordant = np.empty_like(human)
    discordant[order] = inversions_of_each(np.zeros_like(human), human[order])
    return np.asarray(len(human) - tied[0] - tied[1] + tied[2] - 2 * discordant)


def _differences(human: NDArray[np.integer], metrics: NDArray[np.integer]) -> Floats:
    """Of one resample written out: each compared with each, or by scipy."""
    if len(human) <= _FEW:
        up, down = human > human[:, None], human < human[:, None]
        above = (metric > metric[:, None] for metric in metrics)
        counts = [(np.count_nonzero(one & up), np.count_nonzero(one & down)) for one in above]
        return np.array([concordant - discordant for concordant, discordant in counts], np.float64)
    from scipy.stats import kendalltau

    people = np.sqrt(_untied(human))
    pairs = ((kendalltau(x, human, method="asymptotic").statistic, x) for x in metrics)
    found = np.array([tau * people * np.sqrt(_untied(x)) for tau, x in pairs])
    return np.asarray(np.rint(np.nan_to_num(found)))


def _untied(codes: NDArray[np.integer]) -> int:
    """Pairs of different values."""
    return int(len(codes) ** 2 - np.sum(np.bincount(codes) ** 2)) // 2
