from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from analysis import sentences, trust
from analysis.pipeline import Settings, analyse
from analysis.stats.ratings import DEGRADED
from analysis.trust import assess_trust
from benchmarks.crowd import simulate

ABOUT_ANALYSIS = (
    sentences.ranking_sentence,
    sentences.quality_sentence,
    sentences.raw_sentence,
)
ABOUT_TRUST = (
    sentences.agreement_sentence,
    sentences.replication_sentence,
    sentences.sensitivity_sentence,
)
ABOUT_BOTH = (
    sentences.effective_sentence,
    sentences.separation_sentence,
    sentences.stopping_sentence,
    sentences.mixed_sentence,
)


def assessed(ratings, **settings):
    analysis = analyse(ratings, Settings(draws=20, **settings))
    return analysis, assess_trust(analysis, splits=30, draws=10)


def everything_said(analysis, found):
    said = [sentence(analysis) for sentence in ABOUT_ANALYSIS]
    said += [sentence(found) for sentence in ABOUT_TRUST]
    return said + [sentence(analysis, found) for sentence in ABOUT_BOTH]


@pytest.fixture(scope="module")
def crowd():
    return assessed(simulate(annotators=20, systems=5, videos=30, seed=1))


def test_the_same_seed_gives_the_same_trust(crowd):
    analysis, first = crowd
    second = assess_trust(analysis, splits=30, draws=10)
    assert second.replication == first.replication
    np.testing.assert_array_equal(second.sensitivity.tau_low, first.sensitivity.tau_low)


def test_annotators_who_failed_count_only_in_the_question_of_the_threshold():
    ratings = simulate(annotators=20, systems=5, videos=30, clickers=0.5, seed=3)
    analysis, found = assessed(ratings)
    assert found.replication.annotators == analysis.used.sum() < 20
    assert found.sensitivity.crowd == 20
    assert found.alpha_raw.ratings <= np.count_nonzero(analysis.used[ratings.annotator])


def test_ties_are_those_of_the_ranking(crowd):
    analysis, found = crowd
    order = analysis.ranking.order
    above, below = np.triu_indices(len(order), 1)
    tied = analysis.ranking.p[order[above], order[below]] >= 0.05
    assert len(found.separations) == tied.sum()


def test_the_stopping_rule_is_laid_out_for_the_captions_planned(crowd):
    analysis, found = crowd
    planned = dataclasses.replace(analysis.settings, planned_captions=3_000)
    later = assess_trust(dataclasses.replace(analysis, settings=planned), splits=2, draws=2)
    decidable = np.isfinite(found.anytime.low)
    assert decidable.any()
    assert (later.anytime.low[decidable] < found.anytime.low[decidable]).all()


def test_fluency_is_trusted_as_the_ranking_used_it():
    ratings = simulate(annotators=8, systems=4)
    rng = np.random.default_rng(0)
    fluency = rng.integers(0, 101, len(ratings)).astype(np.int16)
    _, one = assessed(ratings)
    _, both = assessed(dataclasses.replace(ratings, fluency=fluency))
    assert both.alpha_z.alpha < one.alpha_z.alpha


def test_without_degraded_captions_there_is_no_threshold():
    ratings = simulate(annotators=6)
    _, found = assessed(ratings.select(ratings.kind != DEGRADED), keep_all_annotators=True)
    assert found.sensitivity is None
    assert "no quality threshold" in sentences.sensitivity_sentence(found)


def test_a_mixed_model_too_large_is_left_out_and_says_so(monkeypatch, crowd):
    monkeypatch.setattr(trust, "MIXED_LEVELS", 5)
    analysis, _ = crowd
    found = assess_trust(analysis, splits=2, draws=2)
    assert found.mixed is None
    assert "left out" in sentences.mixed_sentence(analysis, found)


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
    said = everything_said(*assessed(ratings, keep_all_annotators=keep))
    assert all(sentence.endswith(".") and not sentence[0].islower() for sentence in said)
    assert not any("nan" in sentence.split() or "inf" in sentence for sentence in said)


def test_a_clear_winner_leads_and_a_tie_is_shared():
    ratings = simulate(annotators=30, systems=3, videos=60, clickers=0, seed=2)
    best = ratings.systems.index("S02")
    lifted = np.where(ratings.system == best, np.minimum(ratings.score + 30, 100), ratings.score)
    analysis = analyse(
        dataclasses.replace(ratings, score=lifted.astype(np.int16)), Settings(draws=5)
    )
    assert sentences.ranking_sentence(analysis).startswith("S02 leads")


def test_the_nearest_tie_is_named_with_a_round_number(crowd):
    said = sentences.separation_sentence(*crowd)
    nearest = min(crowd[1].separations, key=lambda pair: pair.more_ratings)
    names = crowd[0].ratings.systems
    assert f"{names[nearest.better]} over {names[nearest.worse]}" in said


def test_a_threshold_outside_its_band_is_named(crowd):
    analysis, found = crowd
    moved = dataclasses.replace(found.sensitivity, tau=found.sensitivity.tau_low - 0.1)
    changed = dataclasses.replace(found, sensitivity=moved)
    assert "p < 0.001, 0.01, 0.05, 0.1 and 2 more" in sentences.sensitivity_sentence(changed)
    assert analysis.settings.alpha == 0.05


def test_raw_scores_in_another_order_are_named(crowd):
    analysis, _ = crowd
    upside_down = dataclasses.replace(analysis.systems, raw=-analysis.systems.raw)
    changed = dataclasses.replace(analysis, systems=upside_down)
    assert "swap 10 of 10 pairs" in sentences.raw_sentence(changed)
    assert "same order" in sentences.raw_sentence(analysis)
