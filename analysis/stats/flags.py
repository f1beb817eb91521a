"""Signs that a person should look at an annotator's work. Advice, never a filter (PROTOCOL §4)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.quality import Quality, group_means
from analysis.stats.ratings import DEGRADED, REFERENCE, SYSTEM, Ratings
from hits.protocols import Scale
from hits.protocols.direct_assessment import SCALE

SECONDS_PER_CAPTION: Final = 3.0
"""A HIT of 100 captions in under 300 seconds."""
LONGEST_RUN: Final = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the ratings themselves do not tell."""

    rejected: Collection[str] = ()
    """Annotators with work rejected earlier."""
    unwatched: Collection[str] = ()
    """Annotators with a rating that counts, given before its video could have been seen."""
    vouched: Collection[str] = ()
    """Annotators whose ratings are used whatever quality control says: a person looked."""

    @property
    def fingerprint(self) -> str:
        """Of the evidence, for the signature: flags, and who is used, depend on it."""
        known: tuple[object, ...] = (sorted(self.rejected), sorted(self.unwatched))
        known += (sorted(self.vouched),) if self.vouched else ()
        return hashlib.sha256(repr(known).encode()).hexdigest()[:8] if any(known) else "none"


def raise_flags(
    ratings: Ratings,
    quality: Quality,
    evidence: Evidence,
    *,
    alpha: float = 0.05,
    scale: Scale = SCALE,
) -> tuple[tuple[str, ...], ...]:
    """The flags of each annotator, in the order of `Ratings.annotators`.

    - `scores`: degraded captions rated no lower than systems' on average, or systems' no lower than
      the control captions;
    - `time`: under three seconds a caption spent on a HIT, or on what was rated of it;
    - `constant`: more than eight equal ratings in a row, on a scale where that is unlikely;
    - `repeats`: repeats rated significantly higher or lower than the first time, or on average as
      far from it as two of the annotator's ratings taken at random, unless all are alike;
    - `rejected`: earlier rejections;
    - `unwatched`: a rating given sooner than the video takes to play.

    What cannot be known (no `position`, no `seconds`, no evidence) raises no flag.
    """
    raised = {
        "scores": _scores(ratings),
        "time": _time(ratings),
        "constant": _constant(ratings, scale),
        "repeats": _repeats(ratings, quality, alpha),
        "rejected": np.isin(ratings.annotators, list(evidence.rejected)),
        "unwatched": np.isin(ratings.annotators, list(evidence.unwatched)),
    }
    return tuple(
        tuple(flag for flag, annotators in raised.items() if annotators[annotator])
        for annotator in range(len(ratings.annotators))
    )


def _scores(ratings: Ratings) -> NDArray[np.bool_]:
    means = {kind: _kind_means(ratings, kind) for kind in (SYSTEM, REFERENCE, DEGRADED)}
    disorder: NDArray[np.bool_] = means[DEGRADED] >= means[SYSTEM]
    return disorder | (means[SYSTEM] >= means[REFERENCE])


def _kind_means(ratings: Ratings, kind: int) -> NDArray[np.float64]:
    rows = ratings.kind == kind
    return group_means(ratings.wide_score[rows], ratings.annotator[rows], len(ratings.annotators))


def work_seconds(ratings: Ratings) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds per caption and hours in all of each annotator; NaN where a time is not known."""
    turns = _turns(ratings)
    owner = ratings.annotator[_first(turns)]
    total = np.bincount(owner, _work_time(ratings, turns), len(ratings.annotators))
    count = np.bincount(ratings.annotator, minlength=len(ratings.annotators))
    return total / count, total / 3600


def _time(ratings: Ratings) -> NDArray[np.bool_]:
    """Work time over captions, the time shared out among the HITs that were open at once."""
    turns = _turns(ratings)
    work = _work_time(ratings, turns)
    share = work / _open_at_once(ratings, turns, work)
    size = np.bincount(turns)
    hasty = share < SECONDS_PER_CAPTION * size
    return _any(ratings, _first(turns)[hasty])


def _turns(ratings: Ratings) -> NDArray[np.int64]:
    """Number of the (annotator, HIT) each row belongs to; canonical order keeps them together."""
    new = np.ones(len(ratings), dtype=bool)
    new[1:] = ratings.annotator[1:] != ratings.annotator[:-1]
    new[1:] |= ratings.hit[1:] != ratings.hit[:-1]
    return np.cumsum(new) - 1


def _first(turns: NDArray[np.int64]) -> NDArray[np.intp]:
    """The first row of each turn."""
    return np.flatnonzero(np.diff(turns, prepend=-1))


def _work_time(ratings: Ratings, turns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Seconds spent on each turn, NaN if unknown.

    Marketplaces know only the time of a whole HIT and files repeat it on every row; the platform
    records each rating's own. A HIT all of whose rows say the same was timed as a whole.
    """
    starts = _first(turns)
    low = np.minimum.reduceat(ratings.seconds, starts)
    high = np.maximum.reduceat(ratings.seconds, starts)
    return np.where(low == high, low, np.add.reduceat(ratings.seconds, starts))


def _open_at_once(
    ratings: Ratings, turns: NDArray[np.int64], work: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How many of the annotator's HITs were open, on average, while this one was; 1 if unknown."""
    if ratings.submitted_at is None:
        return np.ones(len(work))
    starts = _first(turns)
    known = ~np.isnat(ratings.submitted_at)
    ends = np.where(known, ratings.submitted_at.astype(np.int64) / 1e6, np.nan)
    end = np.maximum.reduceat(ends, starts)
    begin = end - work
    owner = ratings.annotator[starts]
    count = np.ones(len(work))
    for step in range(1, int(np.bincount(owner).max())):
        same = np.flatnonzero(owner[step:] == owner[:-step])
        earlier, later = same, same + step
        both = np.minimum(end[earlier], end[later]) - np.maximum(begin[earlier], begin[later])
        both = np.maximum(np.nan_to_num(both), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            count[earlier] += np.nan_to_num(both / work[earlier])
            count[later] += np.nan_to_num(both / work[later])
    return count


def _constant(ratings: Ratings, scale: Scale) -> NDArray[np.bool_]:
    """Whether a HIT has more than eight equal ratings in a row, in the order they were shown.

    Of a few levels anybody gives the same nine times: these are not looked at.
    """
    if ratings.position is None or scale.is_ordinal:
        return np.zeros(len(ratings.annotators), dtype=bool)
    turns = _turns(ratings)
    order = np.argsort(turns * (int(ratings.position.max()) + 1) + ratings.position)
    run = np.ones(len(order), dtype=bool)
    run[1:] = (np.diff(ratings.score[order]) != 0) | (np.diff(turns[order]) != 0)
    starts = np.flatnonzero(run)
    lengths = np.diff(starts, append=len(order))
    return _any(ratings, order[starts[lengths > LONGEST_RUN]])


def _repeats(ratings: Ratings, quality: Quality, alpha: float) -> NDArray[np.bool_]:
    shifted: NDArray[np.bool_] = quality.repeats.p < alpha
    distance = quality.repeat_distance
    return shifted | ((distance >= _random_distance(ratings)) & (distance > 0))


def _random_distance(ratings: Ratings) -> NDArray[np.float64]:
    """Mean absolute difference of two different caption ratings of the annotator (Gini's)."""
    rows = ratings.scores_a_caption
    if ratings.score.dtype.kind == "f":
        return _mean_difference(
            ratings.score[rows], ratings.annotator[rows], len(ratings.annotators)
        )
    bins = int(ratings.score.max()) + 1
    codes = ratings.annotator[rows].astype(np.int64) * bins + ratings.score[rows]
    counts = np.bincount(codes, minlength=len(ratings.annotators) * bins).reshape(-1, bins)
    below = counts.cumsum(axis=1)
    n = below[:, -1]
    # A pair differs by the number of levels that part its two ratings.
    parted = (below * (n[:, None] - below)).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance: NDArray[np.float64] = parted / (n * (n - 1) / 2)
    return distance


def _mean_difference(
    values: NDArray[np.float64], group: NDArray[np.int32], groups: int
) -> NDArray[np.float64]:
    """The same of numbers that are not whole: Gini's mean difference from the sorted values."""
    order = np.lexsort((values, group))
    n = np.bincount(group, minlength=groups)
    place = np.arange(len(order)) - np.repeat(np.cumsum(n) - n, n)
    own = n[group[order]]
    total = np.bincount(group[order], (2 * place - own + 1) * values[order], groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total / (n * (n - 1) / 2))


def _any(ratings: Ratings, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Annotators who own at least one of the rows."""
    return np.bincount(ratings.annotator[rows], minlength=len(ratings.annotators)) > 0
