from __future__ import annotations

import numpy as np
import pytest

from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.bootstrap import bootstrap_annotators, bootstrap_captions
from analysis.stats.captions import CaptionScores, score_captions, score_systems
from analysis.stats.standardise import standardise
from benchmarks.crowd import simulate


def rng(seed=1):
    return np.random.default_rng(seed)


def captions(scores) -> CaptionScores:
    """Captions from a table items × systems, NaN where a system has none."""
    item, system = np.nonzero(~np.isnan(scores))
    order = np.lexsort((item, system))
    item, system = item[order], system[order]
    z = scores[item, system]
    return CaptionScores(system, item, z, z, np.ones(len(z), np.int64))


def test_by_caption_it_is_the_mean_of_the_captions_drawn():
    scores = rng(2).normal(size=(30, 3))
    scores[rng(3).random(scores.shape) < 0.2] = np.nan
    ours = bootstrap_captions(captions(scores), 3, rng=rng(), draws=200)
    drawn = rng().integers(0, 30, size=(200, 30))
    means = np.array([np.nanmean(scores[draw], axis=0) for draw in drawn])
    np.testing.assert_allclose(ours.z_low, np.quantile(means, 0.025, axis=0), atol=1e-9)
    np.testing.assert_allclose(ours.z_high, np.quantile(means, 0.975, axis=0), atol=1e-9)
    ranks = (means[:, None, :] > means[:, :, None]).sum(axis=2) + 1
    expected = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    np.testing.assert_array_equal([ours.rank_low, ours.rank_high], expected)


def test_by_annotator_it_scores_the_annotators_drawn_anew():
    ratings = simulate(annotators=6, systems=3, videos=30)
    z = standardise(ratings).z
    everybody = np.ones(6, dtype=bool)
    ours = bootstrap_annotators(ratings, z, everybody, rng=rng(), draws=40)
    means = []
    for people in rng().integers(0, 6, size=(40, 6)):
        rows = np.concatenate([np.flatnonzero(ratings.annotator == person) for person in people])
        again = ratings.select(rows)
        scores = score_captions(again, again.score, z[rows], everybody)
        means.append(score_systems(scores, 4).z)
    expected = np.quantile(means, [0.025, 0.975], axis=0)
    np.testing.assert_allclose([ours.z_low, ours.z_high], expected, atol=1e-9)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    covered = 0
    for seed in range(200):
        scores = np.random.default_rng(seed).normal(size=(60, 1))
        interval = bootstrap_captions(captions(scores), 1, rng=rng(seed), draws=200)
        covered += bool(interval.z_low[0] <= 0 <= interval.z_high[0])
    assert 0.88 <= covered / 200 <= 0.99  # ± 4 standard errors of a share of 0.94


@pytest.mark.parametrize("unit", ["caption", "annotator"])
def test_the_same_seed_gives_the_same_interval_and_another_another(unit):
    ratings = simulate(annotators=8)

    def low(seed):
        return analyse(ratings, Settings(draws=50, resample=unit, seed=seed)).intervals.z_low

    np.testing.assert_array_equal(low(1), low(1))
    assert (low(1) != low(2)).any()


def test_a_block_of_draws_more_or_less_changes_nothing(monkeypatch):
    scores = captions(rng(2).normal(size=(30, 3)))
    whole = bootstrap_captions(scores, 3, rng=rng(), draws=50)
    monkeypatch.setattr("analysis.stats.bootstrap._PRODUCT", 400)
    np.testing.assert_array_equal(
        bootstrap_captions(scores, 3, rng=rng(), draws=50).z_low, whole.z_low
    )


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"confidence": 1.0}])
def test_it_refuses_a_choice_that_makes_no_sense(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        bootstrap_captions(captions(np.ones((3, 2))), 2, rng=rng(), **wrong)
