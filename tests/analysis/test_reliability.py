from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.agreement import annotator_values
from analysis.stats.reliability import corrected_for_attenuation, split_half
from analysis.stats.replication import spearman_brown


def crowd(captions=400, raters=10, noise=1.0, seed=0):
    """Ratings with error variance noise² about a quality of variance 1."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=captions)
    unit = np.repeat(np.arange(captions), raters)
    annotator = np.tile(np.arange(raters), captions)
    value = quality[unit] + noise * rng.normal(size=len(unit))
    return quality, annotator_values(annotator, unit, value)


def reliability(shared, splits=50):
    return split_half(shared, rng=np.random.default_rng(1), splits=splits)


def test_it_finds_the_share_of_variance_that_is_quality():
    _, shared = crowd(captions=4_000, noise=2)
    found = reliability(shared)
    assert found.reliability == pytest.approx(1 / (1 + 4 / 10), abs=0.02)
    assert found.half == pytest.approx(1 / (1 + 4 / 5), abs=0.02)
    assert found.low < found.half < found.high
    assert found.captions == 4_000


def test_the_ceiling_is_what_the_true_quality_reaches():
    quality, shared = crowd(noise=2, seed=2)
    means = shared.value.reshape(400, 10).mean(axis=1)
    r = np.corrcoef(quality, means)[0, 1]
    found = reliability(shared)
    assert found.ceiling == pytest.approx(r, abs=0.03)
    corrected = corrected_for_attenuation(np.array([r, r / 2]), found.reliability)
    np.testing.assert_allclose(corrected, [1, 0.5], atol=0.04)


def test_two_ratings_have_two_halves_whatever_the_split():
    shared = annotator_values(
        np.tile([0, 1], 4), np.repeat(np.arange(4), 2), np.array([1, 1, 2, 2, 3, 3, 7, 7])
    )
    found = reliability(shared)
    assert (found.half, found.reliability, found.ceiling) == pytest.approx((1, 1, 1))


def test_captions_with_different_numbers_of_ratings_are_split_each_in_two():
    rng = np.random.default_rng(3)
    sizes = rng.integers(2, 8, 60)
    unit = np.repeat(np.arange(60), sizes)
    annotator = np.concatenate([np.arange(size) for size in sizes])
    shared = annotator_values(annotator, unit, unit + 0.0)
    assert reliability(shared).half == pytest.approx(1)


def test_ratings_at_random_have_no_ceiling():
    found = reliability(crowd(captions=60, raters=2, noise=1e9, seed=5)[1], splits=200)
    assert abs(found.half) < 0.3
    assert found.reliability == spearman_brown(found.half)
    assert np.isnan(found.ceiling) == (found.reliability < 0)


def test_two_captions_are_too_few():
    found = reliability(crowd(captions=2)[1])
    assert np.isnan([found.half, found.reliability, found.ceiling]).all()


@pytest.mark.parametrize("value", [0.0, -0.2, np.nan])
def test_no_reliability_corrects_nothing(value):
    assert np.isnan(corrected_for_attenuation(np.array([0.3]), value)).all()


def test_it_refuses_no_splits():
    with pytest.raises(ValueError, match="splits"):
        reliability(crowd()[1], splits=0)
