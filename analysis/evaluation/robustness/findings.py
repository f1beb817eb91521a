"""One number for each check, condition and metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analysis.evaluation.scores import ScoreTable
from analysis.stats.correlation import Correlations, correlations

if TYPE_CHECKING:
    import pandas as pd


Progress = Callable[[str, int, int], None]
"""Told before each piece of work: the check, how many pieces are done, and of how many."""


def untold(check: str, done: int, total: int) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How a metric did under one condition; NaN where a check does not measure something.

    Parameters
    ----------
    pearson, kendall_b : correlation with people, the mean over `repeats`
    low, high : lowest and highest r of them
    spearman : rank correlation with people, the mean over `repeats`
    accuracy : share of pairs in which the true caption outscores the altered one; a tie is lost
    ties : pairs in which both score the same
    """

    check: str
    condition: str
    metric: str
    n: int
    pearson: float = math.nan
    kendall_b: float = math.nan
    low: float = math.nan
    high: float = math.nan
    accuracy: float = math.nan
    repeats: int = 1
    spearman: float = math.nan
    ties: float = math.nan


def correlate(human: pd.Series[float], table: ScoreTable) -> Correlations:
    """Each metric with people, over the captions both have."""
    rated = human[human.index.isin(table.frame.index)]
    return correlations(
        np.asarray(rated, np.float64), np.asarray(table.frame.loc[rated.index], np.float64)
    )


def summarise(
    check: str, condition: str, metrics: Sequence[str], found: Sequence[Correlations]
) -> list[Finding]:
    """The mean over repeats, and how far they lie apart."""
    pearson = np.array([one.pearson for one in found])
    kendall = np.array([one.kendall_b for one in found])
    spearman = np.array([one.spearman for one in found])
    n = np.array([one.n for one in found])
    return [
        Finding(
            check,
            condition,
            metric,
            n=round(float(n[:, at].mean())),
            pearson=float(pearson[:, at].mean()),
            kendall_b=float(kendall[:, at].mean()),
            low=float(pearson[:, at].min()),
            high=float(pearson[:, at].max()),
            repeats=len(found),
            spearman=float(spearman[:, at].mean()),
        )
        for at, metric in enumerate(metrics)
    ]
