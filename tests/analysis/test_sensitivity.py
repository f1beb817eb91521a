from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from analysis.stats.captions import score_captions, score_systems
from analysis.stats.quality import check_quality
from analysis.stats.sensitivity import threshold_sensitivity
from analysis.stats.standardise import standardise
from benchmarks.crowd import simulate


@pytest.fixture(scope="module")
def crowd():
    ratings = simulate(annotators=40, systems=6, videos=30, clickers=0.4, seed=11)
    return ratings, standardise(ratings).z, check_quality(ratings).pairs.p


def sensitivity(crowd, **arguments):
    return threshold_sensitivity(*crowd, **{"rng": np.random.default_rng(4), **arguments})


def test_scores_at_a_threshold_are_those_of_a_pipeline_with_that_threshold(crowd):
    ratings, z, p = crowd
    result = sensitivity(crowd, thresholds=[0.05], draws=5)
    captions = score_captions(ratings, ratings.score, z, p < 0.05)
    expected = score_systems(captions, len(ratings.systems)).z
    np.testing.assert_allclose(result.scores[0], expected, atol=1e-12)
    assert result.kept.tolist() == [np.count_nonzero(p < 0.05)]
    assert result.tau[0] == pytest.approx(
        kendalltau(result.everyone, expected, nan_policy="omit").statistic
    )


def test_thresholds_are_sorted_and_keep_ever_more(crowd):
    result = sensitivity(crowd, thresholds=[0.5, 0.001, 0.05], draws=5)
    assert result.thresholds.tolist() == [0.001, 0.05, 0.5]
    assert np.all(np.diff(result.kept) >= 0)
    assert result.crowd == 40


def test_a_threshold_that_ignores_quality_stays_inside_the_band(crowd):
    ratings, z, _ = crowd
    rng = np.random.default_rng(9)
    inside = [
        not threshold_sensitivity(
            ratings, z, rng.random(40), rng=rng, thresholds=[0.5], draws=60
        ).outside[0]
        for _ in range(40)
    ]
    assert np.mean(inside) > 0.85


def test_dropping_those_who_invert_the_scale_shows_outside_the_band():
    ratings = simulate(annotators=60, systems=6, clickers=0, seed=2)
    liars = ratings.annotator < 20
    z = np.where(liars, -3 * standardise(ratings).z, standardise(ratings).z)
    p = np.where(np.arange(60) < 20, 0.9, 0.001)
    result = threshold_sensitivity(
        ratings, z, p, rng=np.random.default_rng(0), thresholds=[0.05], draws=200
    )
    system = np.nanargmax(result.scores[0])
    assert result.scores[0, system] > result.scores_high[0, system]
    assert result.outside.all()


def test_keeping_everyone_leaves_the_ranking_and_the_band_where_they_are(crowd):
    ratings, z, _ = crowd
    result = threshold_sensitivity(
        ratings, z, np.zeros(40), rng=np.random.default_rng(0), thresholds=[0.5], draws=7
    )
    assert [result.tau[0], result.tau_low[0], result.tau_high[0]] == [1, 1, 1]
    np.testing.assert_allclose(result.scores_low[0], result.everyone, atol=1e-12)


def test_keeping_nobody_is_undefined(crowd):
    ratings, z, _ = crowd
    undefined_p = np.full(40, np.nan)
    result = threshold_sensitivity(
        ratings, z, undefined_p, rng=np.random.default_rng(0), thresholds=[0.5], draws=3
    )
    assert result.kept.tolist() == [0]
    assert np.isnan(result.tau[0])
    assert not result.outside[0]


@pytest.mark.parametrize(
    "argument", [{"draws": 0}, {"thresholds": []}, {"thresholds": [0.0]}, {"thresholds": [1.5]}]
)
def test_it_refuses_settings_that_make_no_sense(crowd, argument):
    with pytest.raises(ValueError, match=next(iter(argument))):
        sensitivity(crowd, **argument)


def test_a_draw_that_leaves_nothing_to_rank_does_not_hide_the_others():
    """One of the annotators rated a single system: where chance keeps only them, no ranking is
    defined, and the band is that of the other draws."""
    ratings = simulate(annotators=3, systems=4, videos=20, clickers=0, seed=5)
    z = standardise(ratings).z
    kept = (ratings.annotator != 0) | (ratings.system == 1)
    few = ratings.select(kept)
    found = threshold_sensitivity(
        few, z[kept], np.array([0.9, 0.01, 0.9]), rng=np.random.default_rng(1),
        thresholds=[0.05], draws=60,
    )  # fmt: skip
    assert found.kept.tolist() == [1]
    assert not np.isnan([found.tau_low[0], found.tau_high[0]]).any()
