from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from analysis.results.findings import mixed_model
from analysis.results.findings.ranking import ranking_sentence
from analysis.results.findings.thresholds import thresholds_sentence
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
from analysis.stats.ratings import DEGRADED
from benchmarks.crowd import simulate


def assessed(ratings, **settings):
    analysis = analyse(ratings, Settings(draws=20, **settings))
    return analysis, summarise(analysis, splits=30, draws=10)


def everything_said(summary):
    lede = ranking_sentence(summary.numbers["ranking"], summary.context())
    return [lede, *(shown.sentence for _, shown in summary.shown() if shown.sentence)]


def said_of(summary, name):
    return next(shown.sentence for finding, shown in summary.shown() if finding.name == name)


@pytest.fixture(scope="module")
def crowd():
    return assessed(simulate(annotators=20, systems=5, videos=30, seed=1))


def test_the_same_seed_gives_the_same_trust(crowd):
    analysis, first = crowd
    second = summarise(analysis, splits=30, draws=10)
    assert second.as_json() == first.as_json()


def test_annotators_who_failed_count_only_in_the_question_of_the_threshold():
    ratings = simulate(annotators=20, systems=5, videos=30, clickers=0.5, seed=3)
    analysis, found = assessed(ratings)
    numbers = found.numbers
    assert numbers["replication"].z.annotators == analysis.used.sum() < 20
    assert max(row.kept for row in numbers["thresholds"].rows) > analysis.used.sum()
    counted = np.count_nonzero(analysis.used[ratings.annotator])
    assert numbers["agreement"].krippendorff_raw.ratings <= counted


def test_ties_are_those_of_the_ranking(crowd):
    analysis, found = crowd
    order = analysis.ranking.order
    above, below = np.triu_indices(len(order), 1)
    tied = analysis.ranking.p[order[above], order[below]] >= 0.05
    assert len(found.numbers["separation"].ties) == tied.sum()


def test_the_stopping_rule_is_laid_out_for_the_captions_planned(crowd):
    analysis, found = crowd
    planned = dataclasses.replace(analysis.settings, planned_captions=3_000)
    later = summarise(dataclasses.replace(analysis, settings=planned), splits=2, draws=2)
    now, then = (each.numbers["stopping"].differences for each in (found, later))
    decidable = [
        (one.low, other.low) for one, other in zip(now, then, strict=True) if np.isfinite(one.low)
    ]
    assert decidable
    assert all(other < one for one, other in decidable)


def test_fluency_is_trusted_as_the_ranking_used_it():
    ratings = simulate(annotators=8, systems=4)
    rng = np.random.default_rng(0)
    fluency = rng.integers(0, 101, len(ratings)).astype(np.int16)
    _, one = assessed(ratings)
    _, both = assessed(dataclasses.replace(ratings, fluency=fluency))
    alphas = [each.numbers["agreement"].krippendorff_z.alpha for each in (both, one)]
    assert alphas[0] < alphas[1]


def test_without_degraded_captions_there_is_no_threshold():
    ratings = simulate(annotators=6)
    _, found = assessed(ratings.select(ratings.kind != DEGRADED), keep_all_annotators=True)
    assert found.numbers["thresholds"] is None
    assert "no quality threshold" in said_of(found, "thresholds")


def test_a_mixed_model_too_large_is_left_out_and_says_so(monkeypatch, crowd):
    monkeypatch.setattr(mixed_model, "MIXED_LEVELS", 5)
    analysis, _ = crowd
    found = summarise(analysis, splits=2, draws=2)
    assert found.numbers["mixed_model"].model is None
    assert "left out" in said_of(found, "mixed_model")


@pytest.mark.parametrize(
    "ratings",
    [
        simulate(annotators=20, systems=5, videos=30),
        simulate(annotators=3, systems=2, clickers=1.0),
        simulate(annotators=1, systems=2),
        simulate(annotators=4, systems=1, videos=70),
    ],
    ids=["a crowd", "nobody passes", "one annotator", "one system"],
)
@pytest.mark.parametrize("keep", [True, False])
def test_every_sentence_can_be_said_of_any_crowd(ratings, keep):
    said = everything_said(assessed(ratings, keep_all_annotators=keep)[1])
    assert all(sentence.endswith(".") and not sentence[0].islower() for sentence in said)
    assert not any("nan" in sentence.split() or "inf" in sentence for sentence in said)


def test_a_clear_winner_leads_and_a_tie_is_shared():
    ratings = simulate(annotators=30, systems=3, videos=60, clickers=0, seed=2)
    best = ratings.systems.index("S02")
    lifted = np.where(ratings.system == best, np.minimum(ratings.score + 30, 100), ratings.score)
    analysis = analyse(
        dataclasses.replace(ratings, score=lifted.astype(np.int16)), Settings(draws=5)
    )
    assert everything_said(summarise(analysis, splits=2, draws=2))[0].startswith("S02 leads")


def test_the_nearest_tie_is_named_with_a_round_number(crowd):
    ties = crowd[1].numbers["separation"].ties
    nearest = min(ties, key=lambda pair: pair.more_ratings)
    assert f"{nearest.better} over {nearest.worse}" in said_of(crowd[1], "separation")


def test_a_threshold_outside_its_band_is_named(crowd):
    found = crowd[1].numbers["thresholds"]
    moved = tuple(dataclasses.replace(row, tau=row.low - 0.1) for row in found.rows)
    said = thresholds_sentence(dataclasses.replace(found, rows=moved))
    assert "p < 0.001, 0.01, 0.05, 0.1 and 2 more" in said


def test_raw_scores_in_another_order_are_named(crowd):
    analysis, found = crowd
    upside_down = dataclasses.replace(analysis.systems, raw=-analysis.systems.raw)
    changed = dataclasses.replace(analysis, systems=upside_down)
    assert "swap 10 of 10 pairs" in said_of(summarise(changed, splits=2, draws=2), "ranking")
    assert "same order" in said_of(found, "ranking")
