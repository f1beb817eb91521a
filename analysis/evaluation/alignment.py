"""Do the rows of two files belong together?

Files that name a caption by its line count from 0 or from 1, and nothing in them says which. Scores
of the right captions go with a metric; scores of their neighbours do not. So the correlation is
taken at every shift, within systems: that some systems are better than others holds at any shift.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import ndtri

from analysis.evaluation.joining import line_numbers, shifted
from analysis.evaluation.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

SHIFTS: Final = (-2, -1, 0, 1, 2)
LEVEL: Final = 0.001
"""Chance of calling a shift clearly better where none is, over all metrics and shifts."""
FEWEST: Final = 10


@dataclass(frozen=True, slots=True)
class AtShift:
    """How well scores and captions go together when the score of video i goes to i + shift."""

    shift: int
    metric: str
    n: int
    r: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """What the check found.

    Parameters
    ----------
    rows : each metric at each shift; empty where videos are not numbered
    found : the shift that is clearly better than every other, if one is
    metric : the metric that tells
    same_text : share of captions with the same text on both sides by shift, where both have texts
    """

    rows: tuple[AtShift, ...] = ()
    found: int | None = None
    metric: str = ""
    same_text: tuple[tuple[int, float], ...] = ()

    def of(self, metric: str) -> dict[int, AtShift]:
        return {row.shift: row for row in self.rows if row.metric == metric}


def check_alignment(
    human: ScoreTable, metrics: ScoreTable, *, shifts: Sequence[int] = SHIFTS
) -> Alignment:
    """Correlate at every shift and see whether one stands out.

    A shift is clearly better when the metric that correlates best of all does so significantly
    better there than at every other shift (Fisher's z, corrected for all there are) and most
    metrics have their highest r there, too. Where both sides have texts, these decide.
    """
    if human.frame.index.has_duplicates:  # ratings as rows: no numbered lines to have slipped
        return Alignment()
    if line_numbers(human.frame.index) is None or line_numbers(metrics.frame.index) is None:
        return Alignment()
    score = human.frame["z" if "z" in human.frame else human.names[0]]
    rows = [
        row for shift in shifts for row in _at_shift(score.to_frame("score"), metrics.frame, shift)
    ]
    same = _same_text(human, metrics, shifts)
    if same and max(share for _, share in same) > 0.5:
        best = max(same, key=lambda pair: (pair[1], -abs(pair[0])))[0]
        return Alignment(tuple(rows), best, "", same)
    found, metric = _standing_out(rows)
    return Alignment(tuple(rows), found, metric, same)


def _at_shift(score: pd.DataFrame, metrics: pd.DataFrame, shift: int) -> list[AtShift]:
    both = shifted(score, shift).join(metrics, how="inner")
    centred = both - both.groupby(level="system").transform("mean")
    return [
        AtShift(shift, str(name), *_correlation(centred["score"], centred[name]))
        for name in metrics.columns
    ]


def _correlation(x: pd.Series[float], y: pd.Series[float]) -> tuple[int, float]:
    there = (x.notna() & y.notna()).to_numpy()
    n = int(there.sum())
    if n < FEWEST or np.ptp(x[there]) == 0 or np.ptp(y[there]) < 1e-12:
        return n, math.nan
    return n, float(np.corrcoef(x[there], y[there])[0, 1])


def _standing_out(rows: Sequence[AtShift]) -> tuple[int | None, str]:
    defined = [row for row in rows if not math.isnan(row.r)]
    if not defined:
        return None, ""
    best = max(defined, key=lambda row: row.r)
    rivals = [row for row in defined if row.metric == best.metric and row.shift != best.shift]
    metrics = {row.metric for row in defined}
    needed = -float(ndtri(LEVEL / (len(metrics) * max(len(rivals), 1))))
    clear = bool(rivals) and all(_margin(best, row) > needed for row in rivals)
    agreeing = sum(_best_shift(defined, metric) == best.shift for metric in metrics)
    return (best.shift if clear and 2 * agreeing > len(metrics) else None), best.metric


def _margin(one: AtShift, other: AtShift) -> float:
    """Standard errors between two correlations, taken as independent: neighbours nearly are."""
    if abs(one.r) == 1:
        return math.inf
    spread = math.sqrt(1 / (one.n - 3) + 1 / (other.n - 3))
    return (math.atanh(one.r) - math.atanh(other.r)) / spread


def _best_shift(rows: Sequence[AtShift], metric: str) -> int:
    return max((row for row in rows if row.metric == metric), key=lambda row: row.r).shift


def _same_text(
    human: ScoreTable, metrics: ScoreTable, shifts: Sequence[int]
) -> tuple[tuple[int, float], ...]:
    if human.texts is None or metrics.texts is None:
        return ()
    theirs = human.texts.to_frame("theirs")
    ours = metrics.texts.to_frame("ours")
    both = {shift: shifted(theirs, shift).join(ours, how="inner") for shift in shifts}
    return tuple(
        (shift, float((_plain(rows["theirs"]) == _plain(rows["ours"])).mean()))
        for shift, rows in both.items()
        if len(rows)
    )


def _plain(texts: pd.Series[str]) -> pd.Series[str]:
    return texts.str.lower().str.replace(r"\W+", " ", regex=True).str.strip()
