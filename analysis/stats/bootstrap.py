"""How far scores and ranks would move with other captions, or other annotators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.captions import CaptionScores
from analysis.stats.ratings import Ratings

_PRODUCT: Final = 1 << 19
"""Multiplications in one matrix product: few enough for one thread. More would be shared out among
threads that wait for each other, for seconds where the machine is busy."""
_DIGITS: Final = 12
"""Decimals kept: matrix products may differ behind them from one machine to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Percentile intervals per system, in the order of `Ratings.systems`; NaN where undefined."""

    z_low: NDArray[np.float64]
    z_high: NDArray[np.float64]
    rank_low: NDArray[np.float64]
    rank_high: NDArray[np.float64]


def bootstrap_captions(
    captions: CaptionScores,
    systems: int,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    confidence: float = 0.95,
) -> Intervals:
    """Intervals of system scores and ranks under resampling of captions.

    Each draw takes as many items as there are, with replacement, and with an item the captions of
    every system: captions of one video share its difficulty, so systems must be compared on the
    same ones. For one system by itself that is the plain bootstrap of its captions.
    """
    _check(draws, confidence)
    items, row = np.unique(captions.item, return_inverse=True)
    ranked, column = np.unique(captions.system, return_inverse=True)
    scores = np.zeros((len(items), len(ranked)))
    scores[row, column] = captions.z
    absent = np.ones_like(scores)
    absent[row, column] = 0
    gaps = np.flatnonzero(absent.any(axis=1))
    means = np.full((draws, systems), np.nan)
    done = 0
    for counts in _drawn(len(items), draws, _PRODUCT // max(scores.size, 1), rng):
        with np.errstate(divide="ignore", invalid="ignore"):
            found = len(items) - counts[:, gaps] @ absent[gaps]
            means[done : done + len(counts), ranked] = (counts @ scores) / found
        done += len(counts)
    return _intervals(means, confidence)


def bootstrap_annotators(
    ratings: Ratings,
    z: NDArray[np.float64],
    use: NDArray[np.bool_],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    confidence: float = 0.95,
) -> Intervals:
    """Intervals of system scores and ranks under resampling of annotators.

    Each draw takes as many annotators as count, with replacement, each with all their ratings, and
    scores captions and systems anew. z scores stay: they belong to the annotator.
    """
    from analysis.stats.subsets import SUBSETS_AT_ONCE, annotator_sums, subset_scores

    _check(draws, confidence)
    people = annotator_sums(ratings, z, use)
    crowd = people.taking_part
    means = []
    for counts in _drawn(len(crowd), draws, SUBSETS_AT_ONCE, rng):
        weights = np.zeros((people.annotators, len(counts)))
        weights[crowd] = counts.T
        means.append(subset_scores(people, weights).T)
    return _intervals(np.concatenate(means), confidence)


def _check(draws: int, confidence: float) -> None:
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")


def _drawn(
    size: int, draws: int, at_once: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """How often each of `size` things is drawn, one row per draw, some draws at a time."""
    at_once = max(1, at_once)
    for start in range(0, draws, at_once):
        rows = min(at_once, draws - start)
        picks = rng.integers(0, max(size, 1), size=(rows, size))
        picks += np.arange(rows)[:, None] * size
        counts = np.bincount(picks.ravel(), minlength=rows * size)
        yield counts.reshape(rows, size).astype(np.float64)


def _intervals(means: NDArray[np.float64], confidence: float) -> Intervals:
    """Percentiles over draws; a draw in which a system has no caption does not count for it."""
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    z = _quantiles(means, tails, "linear")
    ranks = _quantiles(_ranks(means.round(_DIGITS)), tails, "inverted_cdf")
    return Intervals(z[0].round(_DIGITS), z[1].round(_DIGITS), ranks[0], ranks[1])


def _ranks(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank of each system in each draw: 1 + the number of systems that score higher."""
    better = (means[:, None, :] > means[:, :, None]).sum(axis=2)
    return np.where(np.isnan(means), np.nan, better + 1.0)


def _quantiles(values: NDArray[np.float64], tails: list[float], method: str) -> NDArray[np.float64]:
    undefined = np.isnan(values)
    if not undefined.any():
        return np.asarray(np.quantile(values, tails, axis=0, method=method))  # type: ignore[call-overload]
    columns = [column[~gone] for column, gone in zip(values.T, undefined.T, strict=True)]
    return np.column_stack(
        [
            np.quantile(column, tails, method=method)  # type: ignore[call-overload]
            if len(column)
            else np.full(len(tails), np.nan)
            for column in columns
        ]
    )
