"""Rank correlations within groups, all groups at once.

A crowd has thousands of pairs of annotators and a campaign thousands of videos: one at a time,
scipy needs half a millisecond for each. Values come as codes in their order (equal values, equal
codes), groups as 0 … groups − 1 with their sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Pairs of values of each group: what every Kendall's τ is made of."""

    size: Ints
    difference: Ints
    """Concordant minus discordant pairs."""
    untied_x: Ints
    untied_y: Ints
    distinct: Ints
    """Distinct values of x or of y, whichever are fewer."""

    def tau_b(self) -> Floats:
        """(concordant − discordant) / sqrt(pairs untied in x · pairs untied in y)."""
        return divide(self.difference, np.sqrt(self.untied_x.astype(float) * self.untied_y))

    def tau_c(self) -> Floats:
        """2 (concordant − discordant) / (n² (m − 1) / m), m the fewer distinct values."""
        square = self.size.astype(float) ** 2
        return divide(2 * self.difference * self.distinct, square * (self.distinct - 1))


def spearman(group: Ints, x: Ints, y: Ints, sizes: Ints) -> Floats:
    """Spearman's ρ of each group: Pearson's correlation of mean ranks."""
    return pearson(group, mean_ranks(group, x), mean_ranks(group, y), sizes)


def pearson(group: Ints, x: Floats, y: Floats, sizes: Ints) -> Floats:
    """Pearson's r of each group; NaN where x or y does not vary by more than rounding."""
    dx, dy = (v - divide(np.bincount(group, v, len(sizes)), sizes)[group] for v in (x, y))
    xy, xx, yy = (np.bincount(group, product, len(sizes)) for product in (dx * dy, dx**2, dy**2))
    varies = varying(group, x, len(sizes)) & varying(group, y, len(sizes))
    return np.clip(divide(xy, np.where(varies, np.sqrt(xx * yy), 0)), -1, 1)


def count_pairs(group: Ints, x: Ints, y: Ints, sizes: Ints) -> PairCounts:
    """Count the pairs of every group. O(n log n)."""
    size = max(x.max(initial=0), y.max(initial=0)) + 1
    pairs = sizes * (sizes - 1) // 2
    tied_x, distinct_x = _ties(group * size + x, size, len(sizes))
    tied_y, distinct_y = _ties(group * size + y, size, len(sizes))
    tied_both, _ = _ties((group * size + x) * size + y, size**2, len(sizes))
    order = np.lexsort((y, x, group))
    discordant = inversions(group[order], y[order], len(sizes))
    return PairCounts(
        size=sizes,
        difference=pairs - tied_x - tied_y + tied_both - 2 * discordant,
        untied_x=pairs - tied_x,
        untied_y=pairs - tied_y,
        distinct=np.minimum(distinct_x, distinct_y),
    )


def mean_ranks(group: Ints, codes: Ints) -> Floats:
    """Ranks over all groups together, ties averaged; within a group they differ as they should."""
    key = group * (codes.max(initial=0) + 1) + codes
    _, place, ties = np.unique(key, return_inverse=True, return_counts=True)
    return (np.cumsum(ties) - (ties - 1) / 2)[place]


def varying(group: Ints, values: NDArray[np.generic], groups: int) -> NDArray[np.bool_]:
    """Whether the values of each group are not all equal."""
    order = np.argsort(group, kind="stable")
    one, value = group[order], values[order]
    changes = (value[1:] != value[:-1]) & (one[1:] == one[:-1])
    return np.bincount(one[1:][changes], minlength=groups) > 0


def inversions(group: Ints, codes: Ints, groups: int) -> Ints:
    """How often a larger code stands before a smaller one, in each group (groups lie together).

    >>> inversions(np.array([0, 0, 0, 1, 1]), np.array([3, 1, 2, 5, 4]), 2).tolist()
    [2, 1]
    """
    both_ends = np.bincount(group, inversions_of_each(group, codes), groups)
    return both_ends.astype(np.int64) // 2


def inversions_of_each(group: Ints, codes: Ints) -> Ints:
    """With how many others of its group, before it or after it, each code is inverted.

    A radix sort from the highest bit down that counts how far it moves a code: two codes first
    differ in one bit, and pass each other when the 1 stands before the 0. O(n) per bit.

    >>> inversions_of_each(np.zeros(3, int), np.array([3, 1, 2])).tolist()
    [2, 1, 1]
    """
    here = np.arange(len(codes))
    origin, passed = here, np.zeros_like(codes)
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        ones = (codes >> bit) & 1
        block = np.flatnonzero(_starts(group, codes >> (bit + 1)))
        size = np.diff(np.append(block, len(codes)))
        before = np.cumsum(ones) - ones  # ones before this place, from the beginning
        before_in_block = before - np.repeat(before[block], size)
        zeros = size - np.add.reduceat(ones, block) if len(block) else size
        place = np.where(
            ones == 1, np.repeat(block + zeros, size) + before_in_block, here - before_in_block
        )
        passed[origin] += np.abs(place - here)
        codes, origin = _moved(codes, place), _moved(origin, place)
    return passed


def divide(numerator: NDArray[np.generic], denominator: NDArray[np.generic]) -> Floats:
    """The quotient, NaN where the denominator is not above 0."""
    quotient = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=quotient, where=np.greater(denominator, 0))
    return quotient


def _ties(key: Ints, keys_per_group: int, groups: int) -> tuple[Ints, Ints]:
    """How many pairs have equal keys, and how many keys there are, for each group."""
    keys, ties = np.unique(key, return_counts=True)
    group = keys // keys_per_group
    tied = np.bincount(group, ties * (ties - 1) // 2, groups)
    return tied.astype(np.int64), np.bincount(group, minlength=groups)


def _moved(values: Ints, place: Ints) -> Ints:
    moved = np.empty_like(values)
    moved[place] = values
    return moved


def _starts(group: Ints, prefix: Ints) -> NDArray[np.bool_]:
    starts = np.ones(len(group), bool)
    starts[1:] = (group[1:] != group[:-1]) | (prefix[1:] != prefix[:-1])
    return starts
