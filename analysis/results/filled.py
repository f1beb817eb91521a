"""What becomes of marks that were filled in, and what filling them in does to people. Pure.

People are dealt into two groups by a hash of who they are: one finds marks filled in, the other
none. They are compared on the captions that came with marks for the first. Intervals draw people,
because it is people who were dealt.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hits.protocols.filling import FilledMark

BAND = (0.025, 0.975)
FEWEST = 2  # people of a group, or nothing can be said of how they differ


class Fate(StrEnum):
    """What became of a mark."""

    KEPT = "kept"
    CHANGED = "changed"
    DELETED = "deleted"
    ADDED = "added"


@dataclass(frozen=True)
class FilledAnswer:
    """One person's answer about a caption that came with marks, or would have."""

    annotator: str
    video: str
    system: str
    sees_filled: bool
    filled: tuple[FilledMark, ...]
    marks: tuple[FilledMark, ...]
    score: int


@dataclass(frozen=True)
class Estimate:
    """A mean or a difference, with its interval; NaN where too few people answered."""

    value: float
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True)
class Compared:
    """A number of those with filled-in marks, of those without, and the difference."""

    name: str
    with_filled: Estimate
    without: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Filling:
    """What filling in did.

    Parameters
    ----------
    people, without : who found marks filled in and who did not
    answers, answers_without : theirs, about captions that come with marks
    filled : marks that the former found
    fates : how many of them were kept, changed and deleted; and marks added elsewhere
    shares : of kept, changed and deleted marks
    compared : marks in a caption and the mean score, with against without
    """

    people: int = 0
    without: int = 0
    answers: int = 0
    answers_without: int = 0
    filled: int = 0
    fates: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, Estimate] = field(default_factory=dict)
    compared: Sequence[Compared] = ()


def fates(
    filled: Sequence[FilledMark], marks: Sequence[FilledMark]
) -> list[tuple[FilledMark, Fate]]:
    """Every mark that was filled in, and every one that somebody added.

    Changed has another label, or holds other words, some of them among those of before.

    >>> had = [(0, 3, "minor"), (4, 8, "minor"), (9, 12, "minor")]
    >>> [fate.value for _, fate in fates(had, [(0, 3, "minor"), (4, 8, "major"), (14, 20, "x")])]
    ['kept', 'changed', 'deleted', 'added']
    """
    given = set(marks)
    found = [(mark, _fate(mark, given, marks)) for mark in filled]
    added = [mark for mark in marks if not any(_overlap(mark, other) for other in filled)]
    return found + [(mark, Fate.ADDED) for mark in added]


def _fate(mark: FilledMark, given: set[FilledMark], marks: Sequence[FilledMark]) -> Fate:
    if mark in given:
        return Fate.KEPT
    return Fate.CHANGED if any(_overlap(mark, other) for other in marks) else Fate.DELETED


def _overlap(one: FilledMark, other: FilledMark) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def filling(
    answers: Sequence[FilledAnswer], *, rng: np.random.Generator, draws: int = 1_000
) -> Filling | None:
    """What filling in did; nothing where no caption came with marks.

    >>> had = ((2, 5, "wrong"),)
    >>> both = [FilledAnswer("ann", "v", "s", True, had, had, 3),
    ...         FilledAnswer("ben", "v", "s", False, had, (), 5)]
    >>> found = filling(both, rng=np.random.default_rng(1))
    >>> found.shares["kept"].value, [each.difference.value for each in found.compared]
    (1.0, [1.0, -2.0])
    """
    if not answers:
        return None
    seeing = [each for each in answers if each.sees_filled]
    blind = [each for each in answers if not each.sees_filled]
    counts = Counter(fate for each in seeing for _, fate in fates(each.filled, each.marks))
    draw = _Draw(rng, draws)
    return Filling(
        people=len({each.annotator for each in seeing}),
        without=len({each.annotator for each in blind}),
        answers=len(seeing),
        answers_without=len(blind),
        filled=sum(len(each.filled) for each in seeing),
        fates={fate.value: counts[fate] for fate in Fate},
        shares={fate.value: _share(seeing, fate, draw) for fate in Fate if fate != Fate.ADDED},
        compared=(
            _compared("marks", seeing, blind, draw),
            _compared("score", seeing, blind, draw),
        ),
    )


@dataclass
class _Draw:
    """People drawn again and again, with what each adds to a sum and to what it is divided by."""

    rng: np.random.Generator
    draws: int

    def ratios(self, rows: Sequence[tuple[str, float, float]]) -> tuple[float, NDArray[np.float64]]:
        """Sum by size over all people, and over each draw of as many of them."""
        totals: defaultdict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(2))
        for person, value, size in rows:
            totals[person] += (value, size)
        if not totals:
            return float("nan"), np.full(self.draws, np.nan)
        own = np.array([totals[name] for name in sorted(totals)])
        people = len(own)
        count = self.rng.multinomial(people, np.full(people, 1 / people), size=self.draws)
        with np.errstate(divide="ignore", invalid="ignore"):
            value, drawn = own.sum(axis=0), count @ own
            ratio = drawn[:, 0] / drawn[:, 1] if people >= FEWEST else np.full(self.draws, np.nan)
            return float(value[0] / value[1]), ratio


def _share(answers: Sequence[FilledAnswer], fate: Fate, draw: _Draw) -> Estimate:
    rows = [
        (each.annotator, float(sum(found == fate for _, found in fates(each.filled, each.marks))),
         float(len(each.filled)))
        for each in answers
    ]  # fmt: skip
    return _estimate(*draw.ratios(rows))


def _compared(
    name: str, seeing: Sequence[FilledAnswer], blind: Sequence[FilledAnswer], draw: _Draw
) -> Compared:
    (one, drawn), (other, others) = (
        draw.ratios([
            (each.annotator, float(len(each.marks) if name == "marks" else each.score), 1.0)
            for each in group
        ])
        for group in (seeing, blind)
    )  # fmt: skip
    difference = _estimate(one - other, drawn - others)
    return Compared(name, _estimate(one, drawn), _estimate(other, others), difference)


def _estimate(value: float, drawn: NDArray[np.float64]) -> Estimate:
    kept = drawn[~np.isnan(drawn)]
    if not kept.size:
        return Estimate(value)
    low, high = np.quantile(kept, BAND)
    return Estimate(value, float(low), float(high))
