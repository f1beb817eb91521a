"""Does the ranking hang on the quality threshold, or only on how many annotators are left?

A stricter threshold always moves the ranking, because it leaves fewer ratings. So beside each
threshold stands what dropping as many annotators at random does: only a threshold outside that
band says something about quality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import Ratings
from analysis.stats.subsets import annotator_sums, random_subsets, subset_scores

Floats = NDArray[np.float64]

THRESHOLDS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
BAND = (0.025, 0.975)


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdSensitivity:
    """One entry (or row) per threshold; system columns in the order of `Ratings.systems`.

    ``tau`` is Kendall's τ-b between the scores left by the threshold and those of ``everyone``; low
    and high bound the middle 95 % of random drops of as many annotators.
    """

    thresholds: Floats
    kept: NDArray[np.int64]
    crowd: int
    everyone: Floats
    scores: Floats
    scores_low: Floats
    scores_high: Floats
    tau: Floats
    tau_low: Floats
    tau_high: Floats

    @property
    def outside(self) -> NDArray[np.bool_]:
        """Thresholds that change the ranking more than chance would."""
        return self.tau < self.tau_low


def threshold_sensitivity(
    ratings: Ratings,
    z: Floats,
    p: Floats,
    *,
    rng: np.random.Generator,
    thresholds: Sequence[float] = THRESHOLDS,
    draws: int = 200,
) -> ThresholdSensitivity:
    """System scores and their order under each threshold, and under random drops as large.

    Parameters
    ----------
    z
        Standard score of each rating; it belongs to the annotator and stays when others leave.
    p
        Quality-control p value of each annotator. One below a threshold is kept; an undefined p is
        below none.
    draws
        Random drops per threshold.

    O(thresholds · draws · N).
    """
    if draws < 1:
        raise ValueError("draws must be at least 1")
    if not thresholds or not all(0 < threshold <= 1 for threshold in thresholds):
        raise ValueError("thresholds must lie above 0 and not above 1")
    people = annotator_sums(ratings, z, np.ones(people_count := len(ratings.annotators), bool))
    crowd = people.taking_part
    levels = np.sort(np.array(thresholds, dtype=float))
    keep = np.zeros((people_count, len(levels)), dtype=bool)
    keep[crowd] = p[crowd, None] < levels
    kept = keep.sum(axis=0)
    drawn = [random_subsets(crowd, people_count, size, draws, rng) for size in kept.tolist()]
    columns = [np.ones((people_count, 1), bool), keep, *drawn]
    scores = subset_scores(people, np.hstack(columns))
    everyone, at_level, by_chance = np.split(scores, [1, 1 + len(levels)], axis=1)
    tau = _kendall(everyone, scores[:, 1:])
    score_band = _band(by_chance.reshape(len(everyone), len(levels), draws))
    tau_band = _band(tau[len(levels) :].reshape(len(levels), draws))
    return ThresholdSensitivity(
        thresholds=levels,
        kept=kept,
        crowd=len(crowd),
        everyone=everyone[:, 0],
        scores=at_level.T,
        scores_low=score_band[0].T,
        scores_high=score_band[1].T,
        tau=tau[: len(levels)],
        tau_low=tau_band[0],
        tau_high=tau_band[1],
    )


def _kendall(reference: Floats, scores: Floats) -> Floats:
    """τ-b of each column with the one reference column, over systems that have both scores."""
    first, second = np.triu_indices(len(scores), 1)
    x = np.sign(reference[first] - reference[second])
    y = np.sign(scores[first] - scores[second])
    x = np.where(np.isnan(y), np.nan, x)
    scale = np.sqrt(np.nansum(x**2, axis=0) * np.nansum(y**2, axis=0))
    agreement = np.nansum(x * y, axis=0)
    tau = np.full(len(scale), np.nan)
    np.divide(agreement, scale, out=tau, where=scale > 0)
    return tau


def _band(by_chance: Floats) -> Floats:
    """Quantiles over the draws (the last axis) that left a score defined; NaN where none did."""
    never = np.asarray(np.isnan(by_chance).all(axis=-1))
    found = np.nanquantile(np.where(never[..., None], 0.0, by_chance), BAND, axis=-1)
    return np.asarray(np.where(never, np.nan, found))
