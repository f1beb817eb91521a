"""Do annotators agree? Krippendorff's alpha, and how many annotators the crowd is really worth.

Agreement is measured between people: one value per annotator and caption (`annotator_values`), only
over captions that at least two people rated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import SYSTEM, Ratings

Integers = NDArray[np.integer]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnnotatorValues:
    """One value per annotator and unit (a caption), sorted by unit, then annotator."""

    annotator: NDArray[np.int64]
    unit: NDArray[np.int64]
    value: Floats

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, slots=True)
class KrippendorffAlpha:
    """Alpha = 1 − observed / expected disagreement, over the ratings that can be paired."""

    alpha: float
    observed: float
    expected: float
    units: int
    ratings: int


def annotator_values(annotator: Integers, unit: Integers, value: NDArray[Any]) -> AnnotatorValues:
    """Average what one annotator gave one unit; drop undefined values, units with one annotator.

    O(N log N).

    >>> shared = annotator_values(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6]), np.arange(4.0))
    >>> shared.annotator.tolist(), shared.unit.tolist(), shared.value.tolist()
    ([0, 1], [5, 5], [0.5, 2.0])
    """
    if not len(annotator) == len(unit) == len(value):
        raise ValueError("annotator, unit and value must have the same length")
    defined = np.isfinite(value)
    people = int(annotator.max(initial=0)) + 1
    key = unit[defined].astype(np.int64) * people + annotator[defined]
    keys, cell, counts = np.unique(key, return_inverse=True, return_counts=True)
    means = np.bincount(cell, value[defined], len(keys)) / counts
    units, inverse, raters = np.unique(keys // people, return_inverse=True, return_counts=True)
    shared = raters[inverse] >= 2
    return AnnotatorValues(keys[shared] % people, units[inverse][shared], means[shared])


def shared_ratings(
    ratings: Ratings, value: NDArray[Any], use: NDArray[np.bool_]
) -> AnnotatorValues:
    """What several annotators in use gave the same captions; ``value`` is one per rating.

    Only ratings of kind `system`: a repeat says whether someone agrees with themselves; controls
    and degraded captions are made to be told apart and would flatter the crowd.
    """
    rows = (ratings.kind == SYSTEM) & use[ratings.annotator]
    return annotator_values(ratings.annotator[rows], ratings.caption[rows], value[rows])


def krippendorff_alpha(shared: AnnotatorValues) -> KrippendorffAlpha:
    """Krippendorff's alpha for interval data (Krippendorff 2011), in closed form.

    With δ² = (x − y)² a sum over pairs is a sum of squares about a mean. Observed disagreement is
    1/n · Σ 2 m q / (m − 1) over units of m ratings with sum of squares q about their own mean;
    expected disagreement 2 Q / (n − 1), Q the sum of squares of all n ratings. O(N log N), no
    coincidence matrix. NaN when no unit has two ratings or all ratings are equal.

    >>> shared = annotator_values(
    ...     np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4]))
    >>> result = krippendorff_alpha(shared)
    >>> result.observed, round(result.expected, 3), round(result.alpha, 3)
    (1.0, 3.333, 0.7)
    """
    value, n = shared.value, len(shared)
    units, unit, counts = np.unique(shared.unit, return_inverse=True, return_counts=True)
    if n == 0:
        return KrippendorffAlpha(np.nan, np.nan, np.nan, 0, 0)
    centred = value - value.mean()
    means = np.bincount(unit, centred) / counts
    within = np.bincount(unit, (centred - means[unit]) ** 2)
    observed = float(2 * np.sum(counts * within / (counts - 1)) / n)
    expected = float(2 * np.sum(centred**2) / (n - 1))
    constant = value.min() == value.max()
    alpha = np.nan if constant else 1 - observed / expected
    return KrippendorffAlpha(alpha, observed, expected, len(units), n)


def ordinal_alpha(shared: AnnotatorValues) -> KrippendorffAlpha:
    """Krippendorff's alpha for ordinal data (Krippendorff 2011): that of the ranks of all values.

    His distance between two levels is the number of values from the middle of the one to the middle
    of the other, which is the difference of their mid-ranks.

    >>> shared = annotator_values(
    ...     np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([1, 2, 3, 9]))
    >>> round(ordinal_alpha(shared).alpha, 3)  # as of 1, 2, 3, 4
    0.7
    """
    from scipy.stats import rankdata

    return krippendorff_alpha(replace(shared, value=rankdata(shared.value)))


def effective_annotators(annotator: Integers) -> float:
    """How many annotators sharing the work equally these ratings are worth: (Σ n)² / Σ n².

    Kish's effective sample size with an annotator's number of ratings as weight (the inverse
    Simpson index of ecology). Ten people of whom one did nearly everything are worth little more
    than one: any quirk of theirs is a quirk of the ranking. O(N).

    >>> effective_annotators(np.array([0, 0, 0, 1, 1, 1]))
    2.0
    >>> round(effective_annotators(np.array([0] * 98 + [1, 2])), 2)
    1.04
    """
    counts = np.bincount(annotator).astype(float)
    return float(counts.sum() ** 2 / np.sum(counts**2)) if len(annotator) else np.nan
