"""No sentence about somebody's work is said of work for which it is false.

Each sentence has a row here that checks it the slow way, from the single ratings; a sentence
without a row fails. The work is that of people of all kinds, some of them as near to a sentence as
can be without its being true, and whatever else comes to hypothesis' mind.
"""

from __future__ import annotations

import itertools
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from analysis.presenting.listings import FLAGS
from analysis.presenting.person import REASONS, proposed_reason
from analysis.results.listings import annotators_listing
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings

WHO = "w"
SIZES = {"system": 10, "repeat": 5, "reference": 5, "degraded": 5}
SIZE = sum(SIZES.values())

HONEST = {
    "system": [35, 38, 41, 44, 47, 50, 53, 56, 59, 62],
    "repeat": [36, 37, 42, 43, 48],
    "reference": [88, 90, 92, 94, 96],
    "degraded": [10, 12, 14, 16, 18],
    "seconds": [8 + place / 100 for place in range(SIZE)],
    "rejected": False,
    "unwatched": False,
}
# What each kind of person does otherwise than an honest one, and which flags and reasons follow.
KINDS = {
    "honest": ({}, "", ""),
    "says 50 to everything": (
        {kind: [50] * size for kind, size in SIZES.items()}, "scores constant", "scores constant"
    ),
    "says 50 to eight in a row": (
        {"system": [50] * 8 + [40, 60], "repeat": [50, 49, 50, 51, 50]}, "", ""
    ),
    "says 50 to nine in a row": (
        {"system": [50] * 9 + [40], "repeat": [50, 49, 50, 51, 50]}, "constant", "constant"
    ),
    "finds damaged captions better": ({"degraded": [97, 98, 99, 98, 97]}, "scores", "scores"),
    "finds systems better than people": (
        {"system": [91, 92, 93, 94, 95, 96, 97, 98, 99, 100], "repeat": [92, 91, 94, 93, 95]},
        "scores",
        "",
    ),
    "finds systems worse than damaged captions": (
        {"system": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "repeat": [1, 0, 3, 2, 4]}, "scores", ""
    ),
    "one point higher the second time": ({"repeat": [36, 39, 42, 45, 48]}, "repeats", ""),
    "19 points off the second time": ({"repeat": [54, 19, 60, 25, 66]}, "repeats", ""),
    "20 points off the second time": ({"repeat": [55, 18, 61, 24, 67]}, "repeats", "repeats"),
    "as good as random, but all alike": (
        {"system": [50, 51] * 5, "repeat": [51, 50, 51, 50, 51]}, "repeats", ""
    ),
    "three seconds a caption": ({"seconds": [2.9, 3.1] * 12 + [3.0]}, "", ""),
    "under three seconds a caption": ({"seconds": [2.8, 3.1] * 12 + [3.0]}, "time", "time"),
    "one caption in no time": ({"seconds": [0.1] + [9.0] * 24}, "", ""),
    "rejected before": ({"rejected": True}, "rejected", ""),
    "rated before watching": ({"unwatched": True}, "unwatched", "unwatched"),
}  # fmt: skip


class Work:
    """What one person did, and what the platform says of it."""

    def __init__(self, done):
        self.done = done
        kinds = [(kind, place) for kind, size in SIZES.items() for place in range(size)]
        columns = {
            "annotator": [WHO] * SIZE,
            "hit": ["h"] * SIZE,
            "system": ["H" if kind in ("reference", "degraded") else "A" for kind, _ in kinds],
            "item": [f"v{place}" for _, place in kinds],
            "kind": [kind for kind, _ in kinds],
            "score": [done[kind][place] for kind, place in kinds],
            "position": list(range(SIZE)),
            "seconds": done["seconds"],
        }
        known = Evidence(rejected=[WHO] * done["rejected"], unwatched=[WHO] * done["unwatched"])
        self.shown = columns["score"]
        analysis = analyse(Ratings.from_columns(columns), Settings(draws=1), known)
        [self.flags] = analysis.flags
        row = {name: values[0] for name, values in annotators_listing(analysis).items()}
        self.reason = proposed_reason([row | {"flags": list(self.flags)}])

    @property
    def reasons(self):
        return {flag for flag, reason in REASONS.items() if reason.text in self.reason}

    def mean(self, kind):
        return fmean(self.done[kind])

    @property
    def second_looks(self):
        return list(zip(self.done["system"], self.done["repeat"], strict=False))

    @property
    def off_by(self):
        return fmean(abs(first - again) for first, again in self.second_looks)

    @property
    def off_at_random(self):
        scores = self.done["system"] + self.done["repeat"]
        return fmean(abs(one - other) for one, other in itertools.combinations(scores, 2))

    @property
    def is_shifted(self):
        first, again = zip(*self.second_looks, strict=True)
        if len({one - other for one, other in self.second_looks}) == 1:
            return first != again  # scipy divides by nothing there
        return ttest_rel(first, again).pvalue < 0.05


def nine_alike(work):
    windows = (work.shown[start : start + 9] for start in range(SIZE - 8))
    return any(len(set(window)) == 1 for window in windows)


def in_a_hurry(work):
    return sum(work.done["seconds"]) < 3 * SIZE


FLAG_IS_TRUE = {
    "scores": lambda work: (
        work.mean("degraded") >= work.mean("system")
        or work.mean("system") >= work.mean("reference")
    ),
    "time": in_a_hurry,
    "constant": nine_alike,
    "repeats": lambda work: work.is_shifted or work.off_by >= work.off_at_random > 0,
    "rejected": lambda work: work.done["rejected"],
    "unwatched": lambda work: work.done["unwatched"],
}
REASON_IS_TRUE = {
    "scores": lambda work: work.mean("degraded") >= work.mean("reference"),
    "time": in_a_hurry,
    "constant": nine_alike,
    "repeats": lambda work: work.off_by >= 20,
    "unwatched": lambda work: work.done["unwatched"],
}


def falsehoods(work):
    said = [("flag", flag, FLAG_IS_TRUE[flag]) for flag in work.flags]
    said += [("reason", flag, REASON_IS_TRUE[flag]) for flag in work.reasons]
    return [(what, flag) for what, flag, is_true in said if not is_true(work)]


def test_every_sentence_has_a_row():
    assert set(FLAG_IS_TRUE) == set(FLAGS)
    assert set(REASON_IS_TRUE) == set(REASONS)


@pytest.mark.parametrize("kind", KINDS)
def test_people_of_every_kind_are_told_what_is_true_of_them(kind):
    change, flags, reasons = KINDS[kind]
    work = Work(HONEST | change)
    assert falsehoods(work) == []
    assert (set(work.flags), work.reasons) == (set(flags.split()), set(reasons.split()))


@pytest.mark.parametrize("told", [1, 2])
def test_every_sentence_is_said_of_somebody_and_not_of_everybody(told):
    """1 for flags, 2 for reasons: a row that is never tried shows nothing."""
    sentences = FLAGS if told == 1 else REASONS
    said = [set(row[told].split()) for row in KINDS.values()]
    for sentence in sentences:
        assert 0 < sum(sentence in each for each in said) < len(said), sentence


def scores(size):
    """Anything, and more often than by chance few different scores."""
    few = st.lists(st.integers(0, 100), min_size=1, max_size=2)
    alike = few.flatmap(
        lambda chosen: st.lists(st.sampled_from(chosen), min_size=size, max_size=size)
    )
    return alike | st.lists(st.integers(0, 100), min_size=size, max_size=size)


@given(
    done=st.fixed_dictionaries(
        {kind: scores(size) for kind, size in SIZES.items()}
        | {
            # Times of their own: of equal ones nobody knows whether they are those of the HIT.
            "seconds": st.lists(
                st.integers(1, 9_999).map(lambda n: n / 1000),
                min_size=SIZE,
                max_size=SIZE,
                unique=True,
            ),
            "rejected": st.booleans(),
            "unwatched": st.booleans(),
        }
    )
)
def test_whatever_somebody_does_nothing_false_is_said(done):
    assert falsehoods(Work(done)) == []
