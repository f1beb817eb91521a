"""What is possible: how well would the human scores agree with those of another such crowd?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.stats.agreement import AnnotatorValues
from analysis.stats.correlation import Floats


@dataclass(frozen=True, slots=True)
class SplitHalf:
    """Correlation of two halves of each caption's ratings, and what it says about all of them."""

    half: float
    """Mean Pearson correlation of the halves over splits."""
    low: float
    high: float
    reliability: float
    """Stepped up to all ratings (Spearman–Brown)."""
    ceiling: float
    """√reliability: the correlation a metric without any error would reach."""
    captions: int
    splits: int


def split_half(
    shared: AnnotatorValues, *, rng: np.random.Generator, splits: int = 200
) -> SplitHalf:
    """Split the ratings of each caption in two at random and correlate the means.

    Take `shared` from `agreement.shared_ratings` (platform) or `annotator_values` (files).
    """
    raise NotImplementedError


def corrected_for_attenuation(r: Floats, reliability: float) -> Floats:
    """r / √reliability (Spearman 1904); NaN where the reliability is not above 0. May exceed 1."""
    raise NotImplementedError
