"""A stopping rule that may be looked at every day.

Testing at p < 0.05 whenever new ratings are in, and stopping at the first success, is wrong far
more often than one time in twenty: nearly one time in four with a look every 100 of 2,000 ratings.
A confidence sequence is an interval that holds at all looks together, so that one may look, and
stop, at will.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import lambertw

from analysis.stats.captions import CaptionScores
from hits.power import Spread

Floats = NDArray[np.float64]

MINIMUM_CAPTIONS = 30  # per system: before that an estimated variance is not to be trusted


@dataclass(frozen=True, slots=True, eq=False)
class AnytimeDifferences:
    """``[i, j]``: score of system i minus that of j, and an interval that holds at every look."""

    difference: Floats
    low: Floats
    high: Floats

    @property
    def better(self) -> NDArray[np.bool_]:
        """``[i, j]``: i is better than j, and no more ratings are needed to say so."""
        return self.low > 0


def anytime_differences(
    captions: CaptionScores,
    systems: int,
    *,
    planned_captions: int,
    alpha: float = 0.05,
    minimum: int = MINIMUM_CAPTIONS,
) -> AnytimeDifferences:
    """Confidence sequences of the difference in z of every two systems, as of now. O(captions).

    Parameters
    ----------
    planned_captions
        Captions per system at which the interval shall be tightest. Any number is valid as long as
        it is not chosen by looking at the scores; the campaign's own is meant.
    alpha
        Chance, for each pair of systems, that the interval is ever wrong.
    minimum
        With fewer captions of either system the interval is the whole line.
    """
    if planned_captions < 1:
        raise ValueError("planned_captions must be at least 1")
    n = np.bincount(captions.system, minlength=systems).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(captions.system, captions.z, systems) / n
        squares = np.bincount(captions.system, (captions.z - mean[captions.system]) ** 2, systems)
        squared_error = squares / (n - 1) / n
    planned_information = planned_captions / (2 * Spread().sd ** 2)
    difference = mean[:, None] - mean
    half = half_width(
        squared_error[:, None] + squared_error, planned_information=planned_information, alpha=alpha
    )
    enough = np.minimum(n[:, None], n) >= minimum
    half = np.where(enough, half, np.inf)
    np.fill_diagonal(half, np.nan)
    return AnytimeDifferences(difference, difference - half, difference + half)


def half_width(variance: ArrayLike, *, planned_information: float, alpha: float = 0.05) -> Floats:
    """Half the width of a confidence sequence for an estimate that has this ``variance`` now.

    Normal mixture boundary (Robbins 1970; Howard et al. 2021): with information I = 1 /
    variance, sqrt((I + η) · log((I + η) / (η α²))) / I. It is exact for normal scores of known
    variance; with the variance estimated it holds asymptotically (Waudby-Smith et al. 2024).

    Parameters
    ----------
    planned_information
        Information at which the interval shall be tightest; η follows from it by
        η = I / (−W₋₁(−α²/e) − 1), W₋₁ the lower branch of Lambert's function.

    >>> half_width([0.01, 0.0025], planned_information=400).round(3).tolist()
    [0.325, 0.152]
    """
    if not 0 < alpha < 1:
        raise ValueError("alpha must lie between 0 and 1")
    if not planned_information > 0:
        raise ValueError("planned_information must be positive")
    eta = planned_information / (-lambertw(-(alpha**2) / math.e, -1).real - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        information = 1 / np.asarray(variance, dtype=float)
        grown = information + eta
        return np.asarray(np.sqrt(grown * np.log(grown / (eta * alpha**2))) / information)
