"""Standard scores: every annotator's ratings on one scale (PROTOCOL §5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import Ratings

Basis = Literal["all", "captions"]


@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """z of each rating and, per annotator, what it was computed from; NaN where undefined."""

    z: NDArray[np.float64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    ratings: NDArray[np.int64]


def standardise(
    ratings: Ratings, scores: NDArray[np.int16] | None = None, *, basis: Basis = "all"
) -> Standardised:
    """z = (score − annotator's mean) / annotator's standard deviation (ddof 1).

    Scores that are z scores already stay as they are; mean and deviation are then not known.
    Undefined for an annotator with one rating, or whose ratings are all equal. Sums of whole scores
    are exact, so that neither depends on the order of rows.

    Parameters
    ----------
    scores
        What to standardise: the scores of the ratings, or their fluency.
    basis
        Mean and standard deviation over "all" ratings of the annotator (control, degraded and
        repeats included, as the method's authors do) or over "captions": system and repeat only.

    >>> ratings = Ratings.from_columns({
    ...     "annotator": ["w"] * 3, "hit": ["h"] * 3, "system": ["A"] * 3, "item": [1, 2, 3],
    ...     "kind": ["system"] * 3, "score": [40, 50, 60], "seconds": [1, 1, 1]})
    >>> standardise(ratings).z.tolist()
    [-1.0, 0.0, 1.0]
    """
    if basis not in ("all", "captions"):
        raise ValueError(f"basis must be 'all' or 'captions', not {basis!r}")
    values = (ratings.score if scores is None else scores).astype(np.float64)
    if ratings.is_standardised:
        return _as_given(ratings, values)
    owner, counted = ratings.annotator, values
    if basis == "captions":
        rows = ratings.scores_a_caption
        owner, counted = owner[rows], values[rows]
    people = len(ratings.annotators)
    n = np.bincount(owner, minlength=people)
    total = np.bincount(owner, weights=counted, minlength=people)
    squares = np.bincount(owner, weights=counted**2, minlength=people)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / n
        sd = np.sqrt((n * squares - total**2) / (n * (n - 1.0)))
        z = (values - mean[ratings.annotator]) / np.where(sd > 0, sd, np.nan)[ratings.annotator]
    return Standardised(z, mean, sd, np.bincount(ratings.annotator, minlength=people))


def _as_given(ratings: Ratings, z: NDArray[np.float64]) -> Standardised:
    people = len(ratings.annotators)
    unknown = np.full(people, np.nan)
    return Standardised(z, unknown, unknown, np.bincount(ratings.annotator, minlength=people))
