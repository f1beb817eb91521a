"""Do two annotators order the captions they both rated the same way?

Ranks do not change with an annotator's scale, so raw scores and z scores give the same answer. All
pairs are computed at once: scipy needs half a millisecond for each, and a crowd has thousands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.stats.agreement import AnnotatorValues

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
    return PairwiseAgreement(
        first, second, counts, _spearman(pair, x, y, counts), _kendall(pair, x, y, counts), pairs
    )


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


def _spearman(pair: Ints, x: Ints, y: Ints, counts: Ints) -> Floats:
    """Pearson's correlation of mean ranks, within each pair."""
    ranks = [_mean_ranks(pair, codes) for codes in (x, y)]
    dx, dy = (rank - (np.bincount(pair, rank, len(counts)) / counts)[pair] for rank in ranks)
    xy, xx, yy = (np.bincount(pair, product, len(counts)) for product in (dx * dy, dx**2, dy**2))
    return _divide(xy.astype(float), np.sqrt(xx * yy))


def _mean_ranks(pair: Ints, codes: Ints) -> Floats:
    """Ranks over all pairs together, ties averaged; within a pair they differ as they should."""
    key = pair * (codes.max(initial=0) + 1) + codes
    _, place, ties = np.unique(key, return_inverse=True, return_counts=True)
    return (np.cumsum(ties) - (ties - 1) / 2)[place]


def _kendall(pair: Ints, x: Ints, y: Ints, counts: Ints) -> Floats:
    """τ-b = (concordant − discordant) / sqrt(pairs untied in x · pairs untied in y)."""
    size = max(x.max(initial=0), y.max(initial=0)) + 1
    everything = counts * (counts - 1) // 2
    tied_x, tied_y, tied_both = (
        _tied(key, size**power, len(counts))
        for key, power in (
            (pair * size + x, 1),
            (pair * size + y, 1),
            ((pair * size + x) * size + y, 2),
        )
    )
    order = np.lexsort((y, x, pair))
    discordant = _inversions(pair, y[order], len(counts))
    difference = everything - tied_x - tied_y + tied_both - 2 * discordant
    untied = (everything - tied_x).astype(float) * (everything - tied_y)
    return _divide(difference.astype(float), np.sqrt(untied))


def _tied(key: Ints, keys_per_pair: int, pairs: int) -> Ints:
    """How many pairs of ratings have equal keys, for each pair of annotators."""
    keys, ties = np.unique(key, return_counts=True)
    tied = np.bincount(keys // keys_per_pair, ties * (ties - 1) // 2, pairs)
    return tied.astype(np.int64)


def _inversions(group: Ints, codes: Ints, groups: int) -> Ints:
    """How often a larger code stands before a smaller one, in each group (groups lie together).

    A radix sort from the highest bit down that counts what it moves: two codes first differ in one
    bit, and are inverted when the 1 stands before the 0. O(n) per bit.

    >>> _inversions(np.array([0, 0, 0, 1, 1]), np.array([3, 1, 2, 5, 4]), 2).tolist()
    [2, 1]
    """
    total = np.zeros(groups, np.int64)
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        ones = (codes >> bit) & 1
        block = np.flatnonzero(_starts(group, codes >> (bit + 1)))
        size = np.diff(np.append(block, len(codes)))
        before = np.cumsum(ones) - ones  # ones before this place, from the beginning
        before_in_block = before - np.repeat(before[block], size)
        moved = np.where(ones == 0, before_in_block, 0)
        total += np.bincount(group, moved, groups).astype(np.int64)
        zeros = size - np.add.reduceat(ones, block) if len(block) else size
        place = np.repeat(block + zeros, size) + before_in_block
        stay = np.arange(len(codes)) - before_in_block
        sorted_codes = np.empty_like(codes)
        sorted_codes[np.where(ones == 1, place, stay)] = codes
        codes = sorted_codes
    return total


def _starts(group: Ints, prefix: Ints) -> NDArray[np.bool_]:
    starts = np.ones(len(group), bool)
    starts[1:] = (group[1:] != group[:-1]) | (prefix[1:] != prefix[:-1])
    return starts


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    quotient = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def _mean(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else np.nan
