"""Do two annotators order the captions they both rated the same way?

Ranks do not change with an annotator's scale, so raw scores and z scores give the same answer. All
pairs are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.stats.agreement import AnnotatorValues
from analysis.stats.grouped_ranks import count_pairs, spearman

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairwiseAgreement:
    """Rank correlations of pairs of annotators, one entry per pair.

    ``pairs`` counts those that share enough captions, of which the entries may be a sample. NaN
    where one of the two gave all shared captions the same score.
    """

    first: Ints
    second: Ints
    shared: Ints
    spearman: Floats
    kendall: Floats
    pairs: int

    @property
    def mean_spearman(self) -> float:
        return _mean(self.spearman)

    @property
    def mean_kendall(self) -> float:
        return _mean(self.kendall)


def pairwise_agreement(
    shared: AnnotatorValues,
    *,
    rng: np.random.Generator,
    min_shared: int = 10,
    max_pairs: int = 2_000,
) -> PairwiseAgreement:
    """Spearman's ρ and Kendall's τ-b of two annotators over the captions both rated.

    Pairs that share fewer than ``min_shared`` captions are left out. Of more than ``max_pairs``
    pairs that many are drawn at random: the mean over 2,000 is good to about ±0.01. Finding the
    pairs costs Σ m² over captions with m annotators, the correlations O(n log n) in the ratings
    compared.
    """
    if min_shared < 2:
        raise ValueError("min_shared must be at least 2")
    if max_pairs < 1:
        raise ValueError("max_pairs must be at least 1")
    first, second, counts = _sharing_pairs(shared, min_shared)
    pairs = len(first)
    if pairs > max_pairs:
        drawn = np.sort(rng.choice(pairs, max_pairs, replace=False))
        first, second, counts = first[drawn], second[drawn], counts[drawn]
    pair, x, y = _scores_side_by_side(shared, first, second)
    rho, tau = spearman(pair, x, y, counts), count_pairs(pair, x, y, counts).tau_b()
    return PairwiseAgreement(first, second, counts, rho, tau, pairs)


def _sharing_pairs(shared: AnnotatorValues, min_shared: int) -> tuple[Ints, Ints, Ints]:
    """Pairs of annotators with at least so many captions in common, and how many."""
    units, unit = np.unique(shared.unit, return_inverse=True)
    shape = (int(shared.annotator.max(initial=0)) + 1, max(len(units), 1))
    rated = csr_array((np.ones(len(shared), np.int32), (shared.annotator, unit)), shape=shape)
    common = (rated @ rated.T).tocoo()
    first, second = common.coords
    keep = (first < second) & (common.data >= min_shared)
    order = np.lexsort((second[keep], first[keep]))
    found = first[keep][order], second[keep][order], common.data[keep][order]
    return found[0].astype(np.int64), found[1].astype(np.int64), found[2].astype(np.int64)


def _scores_side_by_side(
    shared: AnnotatorValues, first: Ints, second: Ints
) -> tuple[Ints, Ints, Ints]:
    """Pair number and both annotators' scores, as codes in the order of the scores."""
    units = int(shared.unit.max(initial=0)) + 1
    key = shared.annotator * units + shared.unit
    order = np.argsort(key)
    key, unit = key[order], shared.unit[order]
    _, code = np.unique(shared.value[order], return_inverse=True)
    start = np.searchsorted(key, first * units)
    length = np.searchsorted(key, (first + 1) * units) - start
    pair = np.repeat(np.arange(len(first)), length)
    row = np.arange(len(pair)) + np.repeat(start - np.cumsum(length) + length, length)
    wanted = second[pair] * units + unit[row]
    other = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    both = key[other] == wanted
    return pair[both], code[row[both]], code[other[both]]


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan
