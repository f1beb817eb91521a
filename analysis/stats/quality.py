"""Quality control, one verdict per annotator (PROTOCOL §4).

Tests are made on the raw whole scores, never on z: float noise would break ties and flip verdicts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.paired import PairedTest, paired_t, signed_rank
from analysis.stats.ratings import DEGRADED, REPEAT, Ratings

Test = Literal["t", "wilcoxon"]
TESTS: Final = {"t": paired_t, "wilcoxon": signed_rank}

PASSED: Final = "passed"
FAILED: Final = "failed"
INSUFFICIENT: Final = "insufficient"


@dataclass(frozen=True, slots=True, eq=False)
class Quality:
    """One entry per annotator, in the order of `Ratings.annotators`; NaN where undefined."""

    pairs: PairedTest
    """Degraded against original ratings, one-sided."""
    degraded_mean: NDArray[np.float64]
    original_mean: NDArray[np.float64]
    repeats: PairedTest
    """Repeated against first ratings, two-sided."""
    repeat_distance: NDArray[np.float64]
    """Mean absolute difference between a repeated and its first rating."""
    status: tuple[str, ...]
    needed: int
    """Pairs without which nothing is decided about an annotator."""

    @property
    def passed(self) -> NDArray[np.bool_]:
        return np.array([status == PASSED for status in self.status], dtype=bool)

    @property
    def deciding_p(self) -> NDArray[np.float64]:
        """p of those with enough pairs; nobody else can pass, whatever the level."""
        return np.where(self.pairs.n < self.needed, np.nan, self.pairs.p)


def fewest_pairs(test: Test, alpha: float) -> int:
    """Pairs below which the test cannot say anything at this level.

    A t-test needs a variance. The exact signed-rank p of n pairs is 2⁻ⁿ at the least.

    >>> fewest_pairs("t", 0.05), fewest_pairs("wilcoxon", 0.05), fewest_pairs("wilcoxon", 0.01)
    (2, 5, 7)
    """
    return 2 if test == "t" else math.floor(-math.log2(alpha)) + 1


def check_quality(
    ratings: Ratings, *, test: Test = "t", alpha: float = 0.05, minimum_pairs: int = 0
) -> Quality:
    """Ask of every annotator whether degraded captions were rated below their originals.

    Parameters
    ----------
    test
        Paired t-test, or the exact Wilcoxon signed-rank test.
    alpha
        An annotator passes when p < alpha. An undefined p (no pairs, all differences zero) fails.
    minimum_pairs
        With fewer pairs the status is "insufficient"; p is still given. Never fewer than the test
        needs (`fewest_pairs`), and by default no more, as the method's authors have it.

    Returns
    -------
    Quality
        Tests, means and the status of each annotator.
    """
    if test not in TESTS:
        raise ValueError(f"test must be one of {', '.join(TESTS)}, not {test!r}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    if minimum_pairs < 0:
        raise ValueError(f"minimum_pairs must not be negative, not {minimum_pairs}")
    needed = max(minimum_pairs, fewest_pairs(test, alpha))
    people = len(ratings.annotators)
    owner, degraded, original = _pairs(ratings, DEGRADED)
    pairs = TESTS[test](degraded - original, owner, people, "less")
    repeater, again, first = _pairs(ratings, REPEAT)
    return Quality(
        pairs=pairs,
        degraded_mean=group_means(degraded, owner, people),
        original_mean=group_means(original, owner, people),
        repeats=TESTS[test](again - first, repeater, people, "two-sided"),
        repeat_distance=group_means(np.abs(again - first), repeater, people),
        status=_statuses(pairs, alpha, needed),
        needed=needed,
    )


def group_means(values: NDArray[Any], group: NDArray[np.int32], groups: int) -> NDArray[np.float64]:
    """Mean of the values of each group; NaN for a group without any.

    >>> group_means(np.array([1, 2, 6]), np.array([0, 0, 2], np.int32), 3)
    array([1.5, nan, 6. ])
    """
    totals = np.bincount(group, weights=values, minlength=groups)
    with np.errstate(invalid="ignore"):
        return totals / np.bincount(group, minlength=groups)


def group_medians(
    values: NDArray[Any], group: NDArray[np.integer[Any]], groups: int
) -> NDArray[np.float64]:
    """Median of the values of each group; NaN for a group without any.

    >>> group_medians(np.array([1, 2, 6, 4]), np.array([0, 0, 2, 0]), 3)
    array([ 2., nan,  6.])
    """
    ordered = values[np.lexsort((values, group))]
    n = np.bincount(group, minlength=groups)
    first = np.cumsum(n) - n
    medians = np.full(groups, np.nan)
    low, high = (first + (n - 1) // 2)[n > 0], (first + n // 2)[n > 0]
    medians[n > 0] = (ordered[low] + ordered[high]) / 2
    return medians


def _pairs(ratings: Ratings, kind: int) -> tuple[NDArray[np.int32], NDArray[Any], NDArray[Any]]:
    """Annotator, score and original's score of every rating of a kind that has its original."""
    rows, originals = ratings.originals(kind)
    rows, originals = rows[originals >= 0], originals[originals >= 0]
    score = ratings.wide_score
    return ratings.annotator[rows], score[rows], score[originals]


def _statuses(pairs: PairedTest, alpha: float, needed: int) -> tuple[str, ...]:
    verdict = np.where(pairs.p < alpha, PASSED, FAILED)
    return tuple(np.where(pairs.n < needed, INSUFFICIENT, verdict).tolist())
