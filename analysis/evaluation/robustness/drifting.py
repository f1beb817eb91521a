"""Sets of better and of worse captions (emscore-2022 §5.1.2): does a metric judge both?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.robustness.findings import Finding, summarise
from analysis.evaluation.scores import Floats
from analysis.stats.correlation import correlations

if TYPE_CHECKING:
    import pandas as pd

LEVELS = 5
REPEATS = 20


def quality_levels(human: Floats) -> NDArray[np.int64]:
    """Levels 1 … 5. Where people gave levels, the nearest to the mean of theirs; other scores are
    cut into fifths of the captions, so that one extreme score moves no other.

    >>> quality_levels(np.array([1.0, 1.67, 2.33, 4.5, 5])).tolist()
    [1, 2, 2, 5, 5]
    >>> quality_levels(np.array([-0.5, -0.2, 0.1, 0.4, 90])).tolist()
    [1, 2, 3, 4, 5]
    """
    if human.min() >= 1 and human.max() <= LEVELS:
        return np.asarray(np.floor(human + 0.5), np.int64)
    from scipy.stats import rankdata

    share_below = (rankdata(human) - 0.5) / len(human)
    return np.asarray(np.floor(LEVELS * share_below) + 1, np.int64)


def check_quality_drift(
    human: pd.Series[float], metrics: pd.DataFrame, rng: np.random.Generator
) -> list[Finding]:
    """Set I keeps a caption of level k with probability 1 / (|I − k| + 1); drawn 20 times."""
    scores, values = np.asarray(human, np.float64), np.asarray(metrics, np.float64)
    levels = quality_levels(scores)
    names = [str(name) for name in metrics.columns]
    findings = []
    for centre in range(1, LEVELS + 1):
        chance = 1 / (np.abs(centre - levels) + 1)
        kept = [rng.random(len(levels)) < chance for _ in range(REPEATS)]
        found = [correlations(scores[rows], values[rows]) for rows in kept]
        findings += summarise("quality drift", f"set {centre}", names, found)
    return findings
