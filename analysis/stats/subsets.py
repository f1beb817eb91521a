"""System scores of many subsets of the annotators at once.

Whatever asks "what if other people had done the work" (split halves, another threshold, annotators
dropped or drawn at random) needs PROTOCOL §5.3-4 again and again with some annotators left out, or
counted more than once. z scores do not change by that, so the sums per caption and annotator are
taken once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.stats.captions import usable
from analysis.stats.ratings import Ratings

Floats = NDArray[np.float64]

# What a processor cache holds of a captions × subsets table: twice as fast as all of it at once.
CAPTIONS_AT_ONCE = 2_500
SUBSETS_AT_ONCE = 128


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorSums:
    """Sum and number of ratings per caption (rows, system by system) and annotator (columns)."""

    sums: csr_array
    counts: csr_array
    system_ends: NDArray[np.int64]  # the row after each system's last caption

    @property
    def annotators(self) -> int:
        return int(self.sums.shape[1])

    @property
    def taking_part(self) -> NDArray[np.intp]:
        """Annotators with a rating that counts."""
        return np.flatnonzero(self.counts.sum(axis=0))


def annotator_sums(ratings: Ratings, z: Floats, use: NDArray[np.bool_]) -> AnnotatorSums:
    """Gather the z (or other) scores of rows that count, by annotators in use. O(N log N)."""
    rows = np.flatnonzero(usable(ratings, z, use))
    captions, caption = np.unique(ratings.caption[rows], return_inverse=True)
    shape = (len(captions), len(ratings.annotators))
    place = (caption, ratings.annotator[rows])
    systems = np.arange(len(ratings.systems))
    return AnnotatorSums(
        sums=csr_array((z[rows].astype(float), place), shape=shape),
        counts=csr_array((np.ones(len(rows)), place), shape=shape),
        system_ends=np.searchsorted(captions // len(ratings.items), systems, side="right"),
    )


def subset_scores(people: AnnotatorSums, subsets: NDArray[np.bool_] | Floats) -> Floats:
    """System scores (systems × subsets) where only some annotators count.

    Parameters
    ----------
    subsets
        Annotators × subsets: whether each counts, or how often. A caption nobody in the subset
        rated does not count; a system without a caption has no score (NaN).

    O(subsets · N): a second for 1,000 subsets of a million ratings.
    """
    return np.hstack([inside for inside, _ in _scores_by_block(people, subsets)])


def half_scores(people: AnnotatorSums, halves: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """System scores by the annotators of each subset, and by all the others."""
    first, second = zip(*_scores_by_block(people, halves), strict=True)
    return np.hstack(first), np.hstack(second)


def random_subsets(
    among: NDArray[np.intp], annotators: int, size: int, draws: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Annotators × draws: ``size`` of the annotators ``among``, drawn at random each time."""
    order = rng.permuted(np.tile(among, (draws, 1)), axis=1)
    chosen = np.zeros((annotators, draws), dtype=bool)
    chosen[order[:, :size].T, np.arange(draws)] = True
    return chosen


def _scores_by_block(
    people: AnnotatorSums, subsets: NDArray[np.bool_] | Floats
) -> Iterator[tuple[Floats, Floats]]:
    if subsets.ndim != 2 or len(subsets) != people.annotators or not subsets.shape[1]:
        raise ValueError("subsets must have a row per annotator and at least one column")
    everyone = np.ones((people.annotators, 1))
    whole_sums, whole_counts = people.sums @ everyone, people.counts @ everyone
    for begin in range(0, subsets.shape[1], SUBSETS_AT_ONCE):
        chosen = subsets[:, begin : begin + SUBSETS_AT_ONCE].astype(float)
        inside, outside = np.zeros((2, 2, len(people.system_ends), chosen.shape[1]))
        for system, rows in _caption_blocks(people.system_ends):
            sums, counts = people.sums[rows] @ chosen, people.counts[rows] @ chosen
            outside[:, system] += _total(whole_sums[rows] - sums, whole_counts[rows] - counts)
            inside[:, system] += _total(sums, counts)
        yield _mean(*inside), _mean(*outside)


def _caption_blocks(system_ends: NDArray[np.int64]) -> Iterator[tuple[int, slice]]:
    begin = 0
    for system, end in enumerate(system_ends.tolist()):
        for row in range(begin, end, CAPTIONS_AT_ONCE):
            yield system, slice(row, min(row + CAPTIONS_AT_ONCE, end))
        begin = end


def _total(sums: Floats, counts: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Sum of caption means and number of captions, per subset. Writes over its arguments."""
    captions = np.count_nonzero(counts, axis=0)
    sums /= np.maximum(counts, 1, out=counts)  # a sum of no ratings is 0 already
    return sums.sum(axis=0), captions


def _mean(total: Floats, captions: Floats) -> Floats:
    return np.divide(total, captions, out=np.full_like(total, np.nan), where=captions > 0)
