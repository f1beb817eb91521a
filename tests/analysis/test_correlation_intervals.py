from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats import resampled_pairs
from analysis.stats.correlation import COEFFICIENTS, correlations, system_means
from analysis.stats.correlation_intervals import (
    bootstrap_correlations,
    bootstrap_system_correlations,
    draw_counts,
)
from analysis.stats.resampled_correlation import resampled_correlations, resampled_pearson

captions = st.lists(
    st.tuples(*(st.integers(0, 5),) * 3, st.sampled_from([0.0, 0.5, 3.25, np.nan])),
    min_size=4,
    max_size=40,
)


def random_table(seed, n=60, videos=12):
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 9, n).astype(float)
    metrics = np.column_stack(
        [human + rng.normal(size=n), rng.integers(0, 4, n), rng.normal(size=n)]
    )
    return human, metrics, rng.integers(0, videos, n)


def written_out(human, metrics, cluster, count):
    rows = np.repeat(np.arange(len(human)), count[cluster])
    return correlations(human[rows], metrics[rows])


def assert_exact(human, metrics, cluster, counts):
    found = resampled_correlations(human, metrics, cluster, counts)
    for draw, count in enumerate(counts):
        expected = written_out(human, metrics, cluster, count)
        for name in COEFFICIENTS:
            np.testing.assert_allclose(
                found.of(name)[draw], expected.of(name), rtol=1e-9, atol=1e-12
            )


@settings(deadline=None, max_examples=50)
@given(captions, st.integers(0, 2**32 - 1))
def test_a_resample_has_the_coefficients_of_its_captions_written_out(rows, seed):
    human, cluster, *metrics = np.array(rows).T
    counts = draw_counts(6, 5, np.random.default_rng(seed))
    assert_exact(human, np.column_stack(metrics), cluster.astype(int), counts)


@pytest.mark.parametrize("clusters_at_most", [0, 4_000])
def test_both_ways_of_counting_pairs_are_exact(monkeypatch, clusters_at_most):
    monkeypatch.setattr(resampled_pairs, "_CLUSTERS", clusters_at_most)
    human, metrics, video = random_table(1)
    metrics[3, 2] = np.nan
    assert_exact(human, metrics, video, draw_counts(12, 20, np.random.default_rng(1)))


def test_large_clusters_do_not_overflow_small_numbers():
    human, metrics, video = random_table(2, n=900, videos=2)
    assert_exact(human, metrics, video, np.array([[1, 1], [2, 0], [40, 3]]))


def test_many_metrics_in_parts_are_those_in_one(monkeypatch):
    human, metrics, video = random_table(3)
    counts = draw_counts(12, 4, np.random.default_rng(3))
    whole = resampled_correlations(human, metrics, video, counts)
    monkeypatch.setattr(resampled_pairs, "_CELLS", 150)
    parts = resampled_correlations(human, metrics, video, counts)
    np.testing.assert_array_equal(parts.kendall_b, whole.kendall_b)


def test_intervals_hold_the_estimate_and_narrow_with_more_videos():
    rng = np.random.default_rng(4)

    def width(videos):
        human = rng.normal(size=videos * 4)
        metrics = human[:, None] + rng.normal(size=(videos * 4, 1))
        draws = bootstrap_correlations(
            human, metrics, np.repeat(np.arange(videos), 4), rng=rng, draws=300
        )
        low, high = draws.interval()
        found = correlations(human, metrics)
        for name in COEFFICIENTS:
            assert low.of(name)[0] < found.of(name)[0] < high.of(name)[0]
        return high.pearson[0] - low.pearson[0]

    assert width(20) > 1.5 * width(200)


def test_captions_that_repeat_a_video_do_not_narrow_an_interval():
    rng = np.random.default_rng(5)
    human = rng.normal(size=50)
    metrics = human[:, None] + rng.normal(size=(50, 1))

    def interval(times):
        many = np.repeat(np.arange(50), times)
        low, high = bootstrap_correlations(
            human[many], metrics[many], many, rng=np.random.default_rng(6), draws=400
        ).interval()
        return [low.pearson[0], high.pearson[0]]

    np.testing.assert_allclose(interval(1), interval(10))


def test_system_level_draws_are_means_of_the_videos_drawn():
    rng = np.random.default_rng(7)
    video, system = (side.ravel() for side in np.meshgrid(np.arange(9), np.arange(5)))
    human = rng.normal(size=45) + system
    metrics = human[:, None] + rng.normal(size=(45, 2))
    metrics[4, 1] = np.nan
    found = bootstrap_system_correlations(
        human, metrics, video, system, 5, rng=np.random.default_rng(8), draws=20
    )
    counts = draw_counts(9, 20, np.random.default_rng(8))
    for draw, count in enumerate(counts):
        rows = np.repeat(np.arange(45), count[video])
        expected = correlations(*system_means(human[rows], metrics[rows], system[rows], 5))
        for name in COEFFICIENTS:
            np.testing.assert_allclose(found.of(name)[draw], expected.of(name), rtol=1e-9)


def test_the_same_seed_gives_the_same_draws():
    human, metrics, video = random_table(9)
    first, again = (
        bootstrap_correlations(human, metrics, video, rng=np.random.default_rng(1), draws=9)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.spearman, again.spearman)


def test_one_video_has_no_interval():
    human, metrics, _ = random_table(10)
    draws = bootstrap_correlations(
        human, metrics, np.zeros(60, int), rng=np.random.default_rng(0), draws=9
    )
    assert draws.videos == 1
    assert np.isnan(draws.interval()[0].pearson).all()


@pytest.mark.parametrize("rows", [0, 2])
def test_next_to_nothing_has_no_interval(rows):
    human, metrics, video = (side[:rows] for side in random_table(12))
    rng = np.random.default_rng(0)
    draws = bootstrap_correlations(human, metrics, video, rng=rng, draws=5)
    system = np.zeros(rows, int)
    means = bootstrap_system_correlations(human, metrics, video, system, 1, rng=rng, draws=5)
    for found in (draws, means):
        assert np.isnan(found.interval()[1].kendall_b).all()


def test_it_refuses_no_draws_and_an_odd_confidence():
    human, metrics, video = random_table(11)
    with pytest.raises(ValueError, match="draws"):
        bootstrap_correlations(human, metrics, video, rng=np.random.default_rng(0), draws=0)
    draws = bootstrap_correlations(human, metrics, video, rng=np.random.default_rng(0), draws=2)
    with pytest.raises(ValueError, match="confidence"):
        draws.interval(95)


def test_a_resample_in_which_a_side_is_constant_or_short_has_no_r():
    """Sums of floats give about 1e-8 there, which would count as no correlation at all."""
    rng = np.random.default_rng(3)
    human = rng.normal(size=48)
    metric = np.zeros(48)
    metric[[4, 30]] = 0.1, 0.7  # as sentence-wise BLEU-4 of short captions
    counts = draw_counts(48, 400, rng)
    found = resampled_pearson(human, metric[:, None], np.arange(48), counts)[:, 0]
    constant = counts[:, [4, 30]].sum(axis=1) == 0
    assert 10 < np.count_nonzero(constant) < 300
    assert np.isnan(found[constant]).all()
    assert not np.isnan(found[~constant]).any()
    few = resampled_pearson(human, metric[:, None], np.arange(48), np.eye(48, dtype=np.int64))
    assert np.isnan(few).all()
