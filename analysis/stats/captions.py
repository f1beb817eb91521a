"""Scores of captions and of systems (PROTOCOL §5.3, §5.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import Ratings


@dataclass(frozen=True, slots=True, eq=False)
class CaptionScores:
    """One entry per caption with a usable rating, ordered by system, then item."""

    system: NDArray[np.int64]
    item: NDArray[np.int64]
    raw: NDArray[np.float64]
    z: NDArray[np.float64]
    n: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SystemScores:
    """One entry per system, in the order of `Ratings.systems`; NaN without a caption."""

    raw: NDArray[np.float64]
    z: NDArray[np.float64]
    captions: NDArray[np.int64]
    ratings: NDArray[np.int64]


def usable(ratings: Ratings, z: NDArray[np.float64], use: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Ratings that count: of a caption, by an annotator in use, with a z score."""
    return use[ratings.annotator] & ratings.scores_a_caption & ~np.isnan(z)


def score_captions(
    ratings: Ratings, raw: NDArray[Any], z: NDArray[np.float64], use: NDArray[np.bool_]
) -> CaptionScores:
    """Mean raw and z score of each caption over its `system` and `repeat` ratings.

    Parameters
    ----------
    raw, z
        Score and standard score of each rating. A rating without z is left out altogether.
    use
        Annotators whose ratings count, one entry per annotator.
    """
    rows = np.flatnonzero(usable(ratings, z, use))
    captions, codes = _compact(ratings.caption[rows], len(ratings.systems) * len(ratings.items))
    n = np.bincount(codes, minlength=len(captions))
    mean_raw = np.bincount(codes, weights=raw[rows], minlength=len(captions)) / n
    mean_z = np.bincount(codes, weights=z[rows], minlength=len(captions)) / n
    system, item = np.divmod(captions, len(ratings.items))
    return CaptionScores(system, item, mean_raw, mean_z, n)


def score_systems(captions: CaptionScores, systems: int) -> SystemScores:
    """Mean of the caption scores of each system."""
    count = np.bincount(captions.system, minlength=systems)
    with np.errstate(invalid="ignore"):
        raw = np.bincount(captions.system, weights=captions.raw, minlength=systems) / count
        z = np.bincount(captions.system, weights=captions.z, minlength=systems) / count
    ratings = np.bincount(captions.system, weights=captions.n, minlength=systems)
    return SystemScores(raw, z, count, ratings.astype(np.int64))


def _compact(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes in order, and each code's place among them."""
    if size > 16 * len(codes) + 1024:
        return np.unique(codes, return_inverse=True)
    present = np.zeros(size, dtype=bool)
    present[codes] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]
