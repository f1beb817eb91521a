from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from analysis.stats.captions import CaptionScores
from analysis.stats.stopping import anytime_differences, half_width

CAMPAIGNS = 2000
LOOKS = np.arange(50, 1001, 50)  # captions per system: a look every 100 of 2,000 ratings


def looked_at(rng, draw):
    """Difference of two systems' means and its estimated variance at every look."""
    mean, variance = [], []
    for _ in range(2):
        scores = draw(rng, (CAMPAIGNS, LOOKS[-1]))
        total = np.cumsum(scores, axis=1)[:, LOOKS - 1]
        squares = np.cumsum(scores**2, axis=1)[:, LOOKS - 1]
        mean.append(total / LOOKS)
        variance.append((squares - total**2 / LOOKS) / (LOOKS - 1) / LOOKS)
    return mean[0] - mean[1], variance[0] + variance[1]


def normal(rng, shape):
    return rng.normal(0, 0.9, shape)


def crowded_at_the_ends(rng, shape):
    """As raters use the scale: mostly very good or very bad."""
    return rng.beta(0.4, 0.4, shape) * 3


@pytest.mark.parametrize("draw", [normal, crowded_at_the_ends])
def test_naive_peeking_is_wrong_a_quarter_of_the_time_and_the_sequence_is_not(draw):
    difference, variance = looked_at(np.random.default_rng(1970), draw)
    naive = np.abs(difference) > norm.isf(0.025) * np.sqrt(variance)
    at_the_end_only = naive[:, -1].mean()
    ever_naive = naive.any(axis=1).mean()
    outside = np.abs(difference) > half_width(variance, planned_information=500)
    assert at_the_end_only == pytest.approx(0.05, abs=0.02)
    assert 0.20 < ever_naive < 0.28
    assert outside.any(axis=1).mean() < 0.05


def test_a_real_difference_is_found_before_the_end():
    difference, variance = looked_at(np.random.default_rng(2), normal)
    planned = LOOKS[-1] / (2 * 0.9**2)
    found = difference + 0.25 > half_width(variance, planned_information=planned)
    assert found.any(axis=1).mean() > 0.95
    assert np.median(LOOKS[found.argmax(axis=1)]) < 700


@settings(deadline=None, max_examples=50)
@given(st.floats(1e-6, 1), st.floats(1, 1e6), st.floats(0.001, 0.2))
def test_the_interval_is_wider_than_that_of_a_single_look(variance, planned, alpha):
    single = norm.isf(alpha / 2) * np.sqrt(variance)
    assert half_width(variance, planned_information=planned, alpha=alpha) > single


def test_it_is_tightest_relative_to_a_single_look_where_it_was_planned():
    information = np.geomspace(10, 10000, 200)
    ratio = half_width(1 / information, planned_information=300) * np.sqrt(information)
    assert information[ratio.argmin()] == pytest.approx(300, rel=0.05)


def captions(*scores):
    system = np.repeat(np.arange(len(scores)), [len(column) for column in scores])
    z = np.concatenate(scores).astype(float)
    item = np.concatenate([np.arange(len(column)) for column in scores])
    return CaptionScores(system, item, z, z, np.ones(len(z), dtype=np.int64))


def test_every_two_systems_are_compared_both_ways():
    rng = np.random.default_rng(3)
    scored = captions(rng.normal(1, 1, 200), rng.normal(0, 1, 300), rng.normal(0, 1, 250))
    result = anytime_differences(scored, 3, planned_captions=200)
    np.testing.assert_allclose(result.difference, -result.difference.T)
    np.testing.assert_allclose(result.low, -result.high.T)
    assert result.better.tolist() == [[False, True, True], [False] * 3, [False] * 3]
    first, second = scored.z[:200], scored.z[200:500]
    variance = first.var(ddof=1) / 200 + second.var(ddof=1) / 300
    half = half_width(variance, planned_information=200 / (2 * 0.81))
    assert result.high[0, 1] - result.difference[0, 1] == pytest.approx(half)


def test_too_few_captions_decide_nothing():
    result = anytime_differences(captions([9.0, 9.1] * 10, [0.0, 0.1] * 100), 3, planned_captions=9)
    assert result.low[0, 1] == -np.inf
    assert not result.better.any()


@pytest.mark.parametrize(
    ("argument", "value"), [("alpha", 0), ("alpha", 1), ("planned_captions", 0)]
)
def test_it_refuses_settings_that_make_no_sense(argument, value):
    with pytest.raises(ValueError, match=argument):
        anytime_differences(captions([1, 2]), 1, **{"planned_captions": 10, argument: value})


def test_it_refuses_a_plan_without_information():
    with pytest.raises(ValueError, match="planned_information"):
        half_width(0.1, planned_information=0)
