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

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CLUSTERS: Final = 4_000
"""Up to so many clusters the quadratic form is faster than counting pairs resample by resample."""
_CELLS: Final = 1 << 24
"""Cells of G held at once."""
_SOME: Final = 0.1
"""Left out of all captions on average: below this share it is faster to count those."""
_BYTE: Final = 127
"""Signs a byte can add up."""
_WHOLE: Final = 1 << 24
"""What a 32-bit float can count to."""


def pair_differences(
    human: Ints, metrics: Ints, cluster: Ints, counts: NDArray[np.integer]
) -> Floats:
    """Concordant − discordant pairs of each resample (rows) with each metric (columns).

    Values come as codes in their order, metrics one row each. O(captions²) comparisons for each
    metric, made once, and O(clusters²) for each resample. With many clusters, resamples that leave
    out some captions cost O(left out · log), others O(captions · log captions).
    """
    if counts.shape[1] <= _CLUSTERS:
        return _by_form(human, metrics, cluster, counts)
    weights = counts[:, cluster]
    if weights.max(initial=0) <= 1 and weights.mean() > 1 - _SOME:
        return _by_remainder(human, metrics, weights == 0)
    rows = (np.repeat(np.arange(len(human)), weight) for weight in weights)
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
    code = np.int16 if len(human) <= np.iinfo(np.int16).max else np.int32
    y, x = human.astype(code), metrics.astype(code, order="C")
    above = np.empty(x.shape, np.int8)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        total = np.zeros(x.shape, np.int8 if end - start <= _BYTE else np.int32)
        for caption in range(start, end):
            sign = (y > y[caption]).view(np.int8) - (y < y[caption]).view(np.int8)
            np.greater(x, x[:, caption, None], out=above.view(np.bool_))
            total += np.multiply(above, sign, out=above)
        yield total


def _by_remainder(human: Ints, metrics: Ints, left_out: NDArray[np.bool_]) -> Floats:
    """All pairs, less those of the captions left out with all others, and not twice with each
    other."""
    starts = np.arange(0, len(human), _BYTE)
    ends = np.minimum(starts + _BYTE, len(human))
    of_each = np.zeros(metrics.shape, np.int64)
    for turn in (1, -1):  # [x_j > x_i] and [x_j < x_i] are one comparison, turned round
        for total in _signs(turn * human, turn * metrics, starts, ends):
            of_each += total
    rest = np.array([_differences(human[out], metrics[:, out]) for out in left_out])
    lost = np.array([of_each[:, out].sum(axis=1) for out in left_out])
    return np.asarray(of_each.sum(axis=1) / 2 - lost + rest)


def _differences(human: Ints, metrics: Ints) -> Floats:
    """Of one resample written out, by scipy."""
    from scipy.stats import kendalltau

    people = np.sqrt(_untied(human))
    pairs = ((kendalltau(x, human, method="asymptotic").statistic, x) for x in metrics)
    found = np.array([tau * people * np.sqrt(_untied(x)) for tau, x in pairs])
    return np.asarray(np.rint(np.nan_to_num(found)))


def _untied(codes: Ints) -> int:
    """Pairs of different values."""
    return int(len(codes) ** 2 - np.sum(np.bincount(codes) ** 2)) // 2
