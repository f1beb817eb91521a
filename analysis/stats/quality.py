"""Quality control, one verdict per annotator (PROTOCOL §4).

Tests are made on the raw whole scores, never on z: float noise would break ties and flip verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.paired import PairedTest, paired_t
from analysis.stats.ratings import DEGRADED, REPEAT, Ratings
from analysis.stats.signed_rank import signed_rank

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

    @property
    def passed(self) -> NDArray[np.bool_]:
        return np.array([status == PASSED for status in self.status], dtype=bool)


def check_quality(
    ratings: Ratings, *, test: Test = "t", alpha: float = 0.05, minimum_pairs: int = 10
) -> Quality:
    """Ask of every annotator whether degraded captions were rated below their originals.

    Parameters
    ----------
    test
        Paired t-test, or the exact Wilcoxon signed-rank test.
    alpha
        An annotator passes when p < alpha. An undefined p (no pairs, all differences zero) fails.
    minimum_pairs
        With fewer pairs the status is "insufficient"; p is still given.

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
        status=_statuses(pairs, alpha, minimum_pairs),
    )


def group_means(
    values: NDArray[np.int64], group: NDArray[np.int32], groups: int
) -> NDArray[np.float64]:
    """Mean of the values of each group; NaN for a group without any.

    >>> group_means(np.array([1, 2, 6]), np.array([0, 0, 2], np.int32), 3)
    array([1.5, nan, 6. ])
    """
    totals = np.bincount(group, weights=values, minlength=groups)
    with np.errstate(invalid="ignore"):
        return totals / np.bincount(group, minlength=groups)


def _pairs(
    ratings: Ratings, kind: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Annotator, score and original's score of every rating of a kind that has its original."""
    rows, originals = ratings.originals(kind)
    rows, originals = rows[originals >= 0], originals[originals >= 0]
    score = ratings.score
    return (
        ratings.annotator[rows],
        score[rows].astype(np.int64),
        score[originals].astype(np.int64),
    )


def _statuses(pairs: PairedTest, alpha: float, minimum_pairs: int) -> tuple[str, ...]:
    verdict = np.where(pairs.p < alpha, PASSED, FAILED)
    return tuple(np.where(pairs.n < minimum_pairs, INSUFFICIENT, verdict).tolist())
