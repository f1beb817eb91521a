from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from analysis.stats.captions import score_captions, score_systems
from analysis.stats.replication import self_replication, spearman_brown
from analysis.stats.standardise import standardise
from analysis.stats.subsets import annotator_sums, half_scores, subset_scores
from benchmarks.crowd import simulate


def everyone(ratings):
    return np.ones(len(ratings.annotators), dtype=bool)


def replicate(ratings, *, use=None, splits=5, seed=0):
    used = everyone(ratings) if use is None else use
    rng = np.random.default_rng(seed)
    return self_replication(ratings, standardise(ratings).z, used, rng=rng, splits=splits)


def plain_scores(ratings, z, use):
    """The pipeline's own way from ratings to system scores."""
    captions = score_captions(ratings, ratings.score, z, use)
    return score_systems(captions, len(ratings.systems)).z


def test_scores_of_subsets_are_those_of_the_pipeline():
    ratings = simulate(annotators=9, hits_each=2, seed=3)
    z = standardise(ratings).z
    subsets = np.random.default_rng(3).random((9, 150)) < 0.5  # more than one block of columns
    subsets[:, 0] = False
    people = annotator_sums(ratings, z, everyone(ratings))
    expected = np.column_stack([plain_scores(ratings, z, subset) for subset in subsets.T])
    others = np.column_stack([plain_scores(ratings, z, ~subset) for subset in subsets.T])
    np.testing.assert_allclose(subset_scores(people, subsets), expected, atol=1e-12)
    first, second = half_scores(people, subsets)
    np.testing.assert_allclose(first, expected, atol=1e-12)
    np.testing.assert_allclose(second, others, atol=1e-12)


def test_annotators_not_in_use_and_undefined_scores_count_nowhere():
    ratings = simulate(annotators=6)
    z = standardise(ratings).z
    z[ratings.annotator == 2] = np.nan
    use = np.arange(6) != 4
    people = annotator_sums(ratings, z, use)
    assert people.taking_part.tolist() == [0, 1, 3, 5]


def test_it_refuses_subsets_of_other_people():
    ratings = simulate(annotators=3)
    people = annotator_sums(ratings, standardise(ratings).z, everyone(ratings))
    with pytest.raises(ValueError, match="subsets"):
        subset_scores(people, np.ones((4, 1), dtype=bool))


def test_one_split_is_the_correlation_of_two_halves():
    ratings = simulate(annotators=2, hits_each=4, clickers=0)
    z = standardise(ratings).z
    halves = [plain_scores(ratings, z, np.arange(2) == person)[1:] for person in (0, 1)]
    result = replicate(ratings, splits=20)
    assert result.annotators == 2
    assert result.pearson.mean == pytest.approx(pearsonr(*halves).statistic)
    assert result.spearman.mean == pytest.approx(spearmanr(*halves).statistic)
    assert result.pearson.low == pytest.approx(result.pearson.high)
    assert result.pearson.reliability == pytest.approx(spearman_brown(result.pearson.mean))


def test_the_reliability_of_half_a_crowd_foretells_that_of_the_whole():
    """Two crowds of 40 should correlate as the halves of one of 40, stepped up, promise."""
    ratings = simulate(annotators=80, systems=8, videos=20, clickers=0.3, seed=5)
    promised = replicate(ratings, use=np.arange(80) < 40, splits=400).pearson.reliability
    found = replicate(ratings, splits=400).pearson.mean
    assert promised == pytest.approx(found, abs=0.05)


def test_honest_people_replicate_and_clickers_do_not():
    def mean_correlation(clickers):
        crowds = [simulate(systems=6, clickers=clickers, seed=seed) for seed in range(16)]
        return np.mean([replicate(crowd, splits=50).pearson.mean for crowd in crowds])

    assert mean_correlation(clickers=0) > 0.7
    assert abs(mean_correlation(clickers=1)) < 0.3


def test_the_same_seed_gives_the_same_splits_and_another_seed_others():
    ratings = simulate(annotators=7)
    assert replicate(ratings, seed=1) == replicate(ratings, seed=1)
    assert replicate(ratings, seed=1) != replicate(ratings, seed=2)


@pytest.mark.parametrize("people", [0, 1])
def test_a_crowd_that_cannot_be_split_has_no_correlation(people):
    result = replicate(simulate(annotators=4), use=np.arange(4) < people)
    assert np.isnan(result.pearson.mean)
    assert np.isnan(result.spearman.reliability)


def test_two_systems_are_too_few_to_correlate():
    assert np.isnan(replicate(simulate(annotators=6, systems=2, videos=70)).pearson.mean)


def test_it_refuses_no_splits():
    with pytest.raises(ValueError, match="splits"):
        replicate(simulate(annotators=3), splits=0)


def test_spearman_brown_has_no_answer_for_perfect_disagreement():
    assert np.isnan(spearman_brown(-1.0))
    assert spearman_brown(1.0) == 1.0
