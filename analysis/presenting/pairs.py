"""Two systems side by side: who wins, how surely, and on which videos. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.presenting.charts import Chart, Row, plain_spec, quantity
from analysis.presenting.listings import matching
from analysis.presenting.sentences import number, p_is, probability

if TYPE_CHECKING:
    import pyarrow as pa

    from analysis.results.findings.significance import Pair

ADJUSTMENTS: Final = {"": "p", "holm": "p_holm", "bh": "p_bh"}
"""Members of a `Pair` by how p is adjusted for many tests."""
BINS: Final = 24


@dataclass(frozen=True)
class PairTest:
    """Is ``better`` better than ``worse``? p of the one-sided rank-sum test."""

    better: str
    worse: str
    p: float | None
    is_win: bool

    @property
    def short(self) -> str:
        """For a narrow cell."""
        return "–" if self.p is None else probability(self.p)

    @property
    def sentence(self) -> str:
        """To be read aloud.

        >>> PairTest("A", "B", 0.0004, True).sentence
        'A is significantly better than B: p < 0.001'
        >>> PairTest("A", "B", 0.24, False).sentence
        'A is not significantly better than B: p = 0.240'
        """
        if self.p is None:
            return f"Whether {self.better} is better than {self.worse} cannot be tested"
        verb = "is significantly better" if self.is_win else "is not significantly better"
        return f"{self.better} {verb} than {self.worse}: p {p_is(self.p)}"

    @property
    def chance(self) -> str:
        """What p means, for those who do not read p values every day.

        >>> PairTest("A", "B", 0.0004, True).chance
        'If they were equally good, A would come out this far ahead less than once in 1,000 \
campaigns.'
        >>> PairTest("A", "B", 0.24, False).chance
        'If they were equally good, A would come out this far ahead in 24 of 100 campaigns: too \
often to be sure that A is better.'
        """
        if self.p is None:
            return ""
        doubt = "" if self.is_win else f": too often to be sure that {self.better} is better"
        return (
            f"If they were equally good, {self.better} would come out this far ahead "
            f"{_often(self.p)} campaigns{doubt}."
        )


def pair_tests(
    pairs: Sequence[Pair], *, adjustment: str, alpha: float
) -> dict[tuple[str, str], PairTest]:
    """Every ordered pair, with p adjusted as asked for."""
    return {
        (pair.better, pair.worse): PairTest(
            pair.better, pair.worse, None if math.isnan(p) else p, p < alpha
        )
        for pair in pairs
        for p in [getattr(pair, ADJUSTMENTS[adjustment])]
    }


def verdict(test: PairTest, converse: PairTest) -> PairTest:
    """Of the two tests of a pair the one that speaks for the system ahead."""
    is_behind = converse.p is not None and test.p is not None and converse.p < test.p
    return converse if is_behind else test


def wins_matrix(
    systems: Sequence[str], tests: Mapping[tuple[str, str], PairTest]
) -> list[tuple[str, list[PairTest | None]]]:
    """A row for each system, with its test against every other; None against itself."""
    return [(better, [tests.get((better, worse)) for worse in systems]) for better in systems]


def shared_videos(captions: pa.Table, first: str, second: str) -> pa.Table:
    """Videos of which both systems' captions are scored, with both texts and z(first) − z(second).

    ``captions`` are those of `analysis.presenting.listings`; the largest differences come first.
    """
    import pyarrow as pa

    one, other = (matching(captions, "system", [name]) for name in (first, second))
    videos = (one["video"].to_numpy(), other["video"].to_numpy())
    _, place, other_place = np.intersect1d(*videos, assume_unique=True, return_indices=True)
    one, other = one.take(place), other.take(other_place)
    difference = one["z"].to_numpy() - other["z"].to_numpy()
    columns = {"video": one["video"], "item": one["item"], "difference": pa.array(difference)}
    for suffix, side in (("first", one), ("second", other)):
        columns |= {f"{name}_{suffix}": side[name] for name in ("caption", "text", "z", "raw", "n")}
    return pa.table(columns).take(np.argsort(-np.abs(difference), kind="stable"))


def differences_chart(differences: np.ndarray, first: str, second: str) -> Chart:
    """On how many videos which of two systems is ahead, and by how much."""
    widest = max(float(np.abs(differences).max(initial=0)), 0.1)
    counts, edges = np.histogram(differences, BINS, (-widest, widest))
    rows: list[Row] = [
        {"from": float(low), "to": float(high), "videos": int(count)}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    spec = plain_spec(f"On how many videos {first} is ahead of {second}, right of 0.", 220)
    bars = {
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": quantity("from", f"z of {first} less z of {second}"),
            "x2": {"field": "to"},
            "y": quantity("videos", "Videos"),
            "y2": {"datum": 0},
        },
    }
    zero = {"mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}}
    spec |= {"data": {"values": rows}, "layer": [bars, zero]}
    return Chart("Video by video", spec, {"from": "From", "to": "to", "videos": "Videos"}, rows)


def videos_sentence(differences: np.ndarray, first: str, second: str) -> str:
    """
    >>> videos_sentence(np.array([0.5, 0.1, -0.2]), "A", "B")
    'A is ahead on 2 of 3 videos, B on 1. On average A lies 0.13 z above B.'
    """
    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    mean = float(differences.mean()) if len(differences) else np.nan
    where = "above" if mean >= 0 else "below"
    return (
        f"{first} is ahead on {ahead:,} of {len(differences):,} videos, {second} on {behind:,}. "
        f"On average {first} lies {number(abs(mean))} z {where} {second}."
    )


def _often(p: float) -> str:
    """
    >>> _often(0.0004), _often(0.0316), _often(0.31)
    ('less than once in 1,000', 'in 32 of 1,000', 'in 31 of 100')
    """
    if p < 0.001:
        return "less than once in 1,000"
    return f"in {1000 * p:.0f} of 1,000" if p < 0.1 else f"in {100 * p:.0f} of 100"
