"""What pages list of an analysis: a row for each annotator, and for each caption. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.exports import Table
from analysis.results.pipeline import Analysis, answers
from analysis.stats.captions import usable
from analysis.stats.quality import group_medians
from analysis.stats.ratings import Ratings


def annotators_listing(analysis: Analysis) -> Table:
    """One row per annotator: how much, how well, how fast."""
    ratings, quality = analysis.ratings, analysis.quality
    return {
        "annotator": _texts(ratings.annotators),
        "hits": _hits(ratings),
        "ratings": analysis.standardised.ratings,
        "pairs": quality.pairs.n,
        "original": quality.original_mean,
        "degraded": quality.degraded_mean,
        "p": quality.pairs.p,
        "status": _texts(quality.status),
        "repeats": quality.repeats.n,
        "repeat_distance": quality.repeat_distance,
        "repeat_p": quality.repeats.p,
        "seconds": median_seconds(ratings),
        "mean": analysis.standardised.mean,
        "sd": analysis.standardised.sd,
        "flags": _texts([";".join(raised) for raised in analysis.flags]),
    }


def captions_listing(analysis: Analysis) -> Table:
    """One row per caption with a rating that counts; `disagreement` is the sd of its z scores."""
    ratings, captions = analysis.ratings, analysis.captions
    listed = {
        "system": _texts(ratings.systems)[captions.system],
        "item": _texts(ratings.items)[captions.item],
        "raw": captions.raw,
        "z": captions.z,
        "n": captions.n,
        "disagreement": disagreement(analysis),
    }
    return listed | ({"median": _medians(analysis)} if analysis.settings.scale.is_ordinal else {})


def median_seconds(ratings: Ratings) -> NDArray[np.float64]:
    """Median time each annotator took for a caption; NaN where no time is known."""
    known = np.flatnonzero(~np.isnan(ratings.seconds))
    return group_medians(ratings.seconds[known], ratings.annotator[known], len(ratings.annotators))


def disagreement(analysis: Analysis) -> NDArray[np.float64]:
    """Standard deviation (ddof 1) of the z scores behind each caption's; NaN for a single one."""
    captions = analysis.captions
    rows, place = _of_captions(analysis)
    _, z = answers(analysis.ratings, analysis.standardised, analysis.settings)
    squares = np.bincount(place, (z[rows] - captions.z[place]) ** 2, len(captions.n))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(captions.n > 1, np.sqrt(squares / (captions.n - 1)), np.nan)


def _medians(analysis: Analysis) -> NDArray[np.float64]:
    """Median of the ratings behind each caption's score."""
    rows, place = _of_captions(analysis)
    return group_medians(analysis.ratings.score[rows], place, len(analysis.captions.n))


def _of_captions(analysis: Analysis) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The ratings that count, and for each the place of its caption among the captions scored."""
    ratings, captions = analysis.ratings, analysis.captions
    _, z = answers(ratings, analysis.standardised, analysis.settings)
    rows = np.flatnonzero(usable(ratings, z, analysis.used))
    codes = captions.system * len(ratings.items) + captions.item  # ascending
    return rows, np.searchsorted(codes, ratings.caption[rows])


def _hits(ratings: Ratings) -> NDArray[np.int64]:
    """HITs of each annotator; in canonical order an annotator's HIT is one stretch of rows."""
    new = np.ones(len(ratings), dtype=bool)
    new[1:] = np.diff(ratings.annotator) != 0
    new[1:] |= np.diff(ratings.hit) != 0
    return np.bincount(ratings.annotator[new], minlength=len(ratings.annotators))


def _texts(labels: Sequence[str]) -> NDArray[Any]:
    return np.array(labels, dtype=object)
