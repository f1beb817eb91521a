"""What is said of a ranking is true of every pair it names."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from analysis.results.findings import ranking
from analysis.results.findings.thresholds import Threshold, Thresholds, thresholds_sentence
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
from analysis.stats.ratings import Ratings

VIDEOS = 12


def analysed(scores, *, pairs=(), **settings):
    """Systems with these scores, all rated by one person, and pairs of control and degraded."""
    rows = [
        (system, f"v{item:02}", "system", int(score))
        for system, column in scores.items()
        for item, score in enumerate(column)
    ]
    for item, difference in enumerate(pairs):
        rows += [("H", f"c{item}", "reference", 60), ("H", f"c{item}", "degraded", 60 + difference)]
    system, item, kind, score = zip(*rows, strict=True)
    columns = {"system": system, "item": item, "kind": kind, "score": score}
    fixed = {name: ["x"] * len(rows) for name in ("annotator", "hit")}
    ratings = Ratings.from_columns(fixed | columns | {"seconds": [None] * len(rows)})
    return analyse(ratings, Settings(draws=10, **settings))


STEPS = np.arange(VIDEOS) * 2


def said_of(analysis, name):
    shown = summarise(analysis, splits=5, draws=5).shown()
    return next(each.sentence for finding, each in shown if finding.name == name)


def ranking_sentence(analysis):
    summary = summarise(analysis, splits=5, draws=5)
    return ranking.ranking_sentence(summary.numbers["ranking"], summary.context())


def quality_sentence(analysis):
    return said_of(analysis, "annotators")


def test_only_pairs_that_are_not_told_apart_are_said_to_be_so():
    found = analysed({"A": STEPS + 58, "B": STEPS + 54, "C": STEPS + 50}, keep_all_annotators=True)
    assert set(found.ranking.rank_high[found.ranking.order]) == {3}  # one cluster
    said = ranking_sentence(found)
    assert "not significantly different from B" in said
    assert "better than 1 of the 2 others" in said
    assert "share" not in said
    assert "All 3 systems are in one cluster" in said
    assert "1 of 3 pairs differ significantly" in said


def test_two_systems_that_tie_are_not_called_a_cluster_too():
    said = ranking_sentence(analysed({"A": STEPS + 51, "B": STEPS + 50}, keep_all_annotators=True))
    assert "not significantly different from B" in said
    assert "cluster" not in said


def test_wins_inside_a_later_cluster_are_counted_behind_a_leader_who_beats_everybody():
    scores = {"A": STEPS + 76, "B": STEPS + 38, "C": STEPS + 34, "D": STEPS + 30, "E": STEPS}
    said = ranking_sentence(analysed(scores, keep_all_annotators=True))
    assert "A leads" in said
    assert "Among places 2 to 4, 1 of 3 pairs differ significantly." in said


def test_wins_inside_a_cluster_are_counted():
    scores = {"A": STEPS + 58, "B": STEPS + 54, "C": STEPS + 50, "D": STEPS}
    said = ranking_sentence(analysed(scores, keep_all_annotators=True))
    assert "first 3 systems" in said
    assert "1 of 3 pairs" in said


def test_a_win_against_the_order_of_the_means_is_remarked_on_and_is_no_tie():
    # One splendid caption lifts the mean of A, while B is better almost everywhere.
    scores = {"A": [100] * 3 + [1] * 17, "B": [2] * 20, "C": [0, 1] * 10}
    found = analysed(scores, keep_all_annotators=True)
    systems = dict(zip("ABC", range(3), strict=True))
    led = analysed(
        {"L": [100] * 20, "A": [90] * 3 + [1] * 17, "B": [2] * 20, "C": [0, 1] * 10},
        keep_all_annotators=True,
    )
    assert "L leads" in ranking_sentence(led)
    assert "B over A" in ranking_sentence(led)
    assert found.ranking.p[systems["B"], systems["A"]] < 0.05
    assert found.systems.z[systems["A"]] > found.systems.z[systems["B"]]
    assert "B over A" in ranking_sentence(found)
    ties = summarise(found, splits=5, draws=5).numbers["separation"].ties
    tied = {frozenset((systems[pair.better], systems[pair.worse])) for pair in ties}
    assert tied == {
        frozenset(pair)
        for pair in itertools.combinations(range(3), 2)
        if min(found.ranking.p[pair], found.ranking.p[pair[::-1]]) >= 0.05
    }
    assert str(len(tied)) in said_of(found, "separation") or len(tied) < 2


def test_whom_a_minimum_of_pairs_costs_is_said():
    scores = {"A": STEPS + 50, "B": STEPS}
    said = quality_sentence(analysed(scores, pairs=[-20, -25, -30], minimum_pairs=10))
    assert "fewer than the 10 pairs" in said
    assert "p < 0.05 for 1 of them" in said
    assert "1 of 1 annotators passed" in quality_sentence(analysed(scores, pairs=[-20, -25, -30]))


def test_without_degraded_captions_nobody_is_said_to_have_been_checked():
    said = quality_sentence(analysed({"A": STEPS + 50, "B": STEPS}, keep_all_annotators=True))
    assert "nobody was checked" in said
    assert "passed" not in said


def test_the_threshold_is_varied_under_the_rule_that_is_used():
    scores = {"A": STEPS + 50, "B": STEPS}
    found = analysed(scores, pairs=[-20, -25, -30], minimum_pairs=10, keep_all_annotators=True)
    thresholds = summarise(found, splits=5, draws=5).numbers["thresholds"]
    assert thresholds is None or max(row.kept for row in thresholds.rows) == 0
    assert "does not matter" not in said_of(found, "thresholds")


@pytest.mark.parametrize("alpha", [0.2, 1e-9])
def test_the_level_of_the_tests_does_not_decide_who_passes(alpha):
    scores = {"A": STEPS + 50, "B": STEPS}
    found = analysed(scores, pairs=[-20, -25, -30], alpha=alpha)
    assert found.quality.status == ("passed",)
    strict = analysed(scores, pairs=[-20, -25, -30], quality_alpha=0.001)
    assert strict.quality.status == ("failed",)


def test_the_level_that_is_used_is_among_the_thresholds():
    scores = {"A": STEPS + 50, "B": STEPS}
    found = analysed(scores, pairs=[-20, -25, -30], quality_alpha=0.03)
    thresholds = summarise(found, splits=5, draws=5).numbers["thresholds"]
    assert 0.03 in [row.threshold for row in thresholds.rows]


def test_a_threshold_without_a_band_is_not_said_to_make_no_difference():
    known = Threshold(0.05, 8, 0.9, 0.8, 1.0)
    unknown = Threshold(0.001, 1, 0.4, math.nan, math.nan)
    said = thresholds_sentence(Thresholds((unknown, known)))
    assert "none of the others changes" in said
    assert "At p < 0.001 too few annotators are left to judge." in said
