"""What is possible: how well would the human scores agree with those of another such crowd?

No metric correlates with human scores better than the scores allow. A correlation of .5 where .6 is
possible is nearly all there is to find.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.agreement import AnnotatorValues
from analysis.stats.correlation import FEWEST, Floats, pearson
from analysis.stats.replication import spearman_brown


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Correlation of two halves of each caption's ratings, and what it says about all of them."""

    half: float
    """Mean Pearson correlation of the halves over splits; 95 % of them between low and high."""
    low: float
    high: float
    reliability: float
    """Stepped up to all ratings (Spearman–Brown): the correlation with another such crowd."""
    ceiling: float
    """√reliability: the correlation of a metric that knows the true quality of every caption."""
    captions: int
    splits: int


def split_half(
    shared: AnnotatorValues, *, rng: np.random.Generator, splits: int = 200
) -> SplitHalf:
    """Split the ratings of each caption in two at random and correlate the means.

    Parameters
    ----------
    shared
        From `agreement.shared_ratings`, or `agreement.annotator_values`: captions with at least two
        annotators. Of an odd number of ratings the second half has one more.

    O(splits · N log N). NaN below three captions.
    """
    if splits < 1:
        raise ValueError(f"splits must be at least 1, not {splits}")
    _, sizes = np.unique(shared.unit, return_counts=True)
    if len(sizes) < FEWEST:
        return SplitHalf(np.nan, np.nan, np.nan, np.nan, np.nan, len(sizes), splits)
    unit = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(unit)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = place < np.repeat(sizes // 2, sizes)
    found = np.array([_half(shared.value, unit, sizes, first, rng) for _ in range(splits)])
    half = float(found.mean())
    low, high = np.quantile(found, [0.025, 0.975]).tolist()
    reliability = spearman_brown(half)
    ceiling = float(np.sqrt(reliability)) if reliability >= 0 else np.nan
    return SplitHalf(half, low, high, reliability, ceiling, len(sizes), splits)


def corrected_for_attenuation(r: Floats, reliability: float) -> Floats:
    """r / √reliability (Spearman 1904): the correlation with scores free of error.

    NaN where the reliability is not above 0. It may exceed 1, which says that the reliability was
    underestimated, or by luck; it is not cut off.

    >>> corrected_for_attenuation(np.array([0.5]), 0.64).tolist()
    [0.625]
    """
    return r / np.sqrt(reliability) if reliability > 0 else np.full_like(r, np.nan)


def _half(
    value: Floats,
    unit: NDArray[np.intp],
    sizes: NDArray[np.intp],
    first: NDArray[np.bool_],
    rng: np.random.Generator,
) -> float:
    """Correlation of the halves when the ratings of each caption are shuffled."""
    shuffled = value[np.argsort(unit + rng.random(len(unit)))]
    one = np.bincount(unit, np.where(first, shuffled, 0)) / (sizes // 2)
    other = np.bincount(unit, np.where(first, 0, shuffled)) / (sizes - sizes // 2)
    varies = one.min() < one.max() and other.min() < other.max()
    return pearson(one, other) if varies else np.nan
