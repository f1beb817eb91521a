from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from analysis.stats.separation import ratings_to_separate

ORDER = np.array([0, 1])
RATINGS = np.array([100, 100])


def one_pair(p, **arguments):
    matrix = np.array([[np.nan, p], [1 - p, np.nan]])
    return ratings_to_separate(matrix, ORDER, RATINGS, **arguments)


def test_a_pair_already_separated_is_not_listed():
    assert one_pair(0.049) == []


def test_every_tied_pair_is_listed_once_better_system_first():
    p = np.full((3, 3), 0.2)
    found = ratings_to_separate(p, np.array([2, 0, 1]), np.array([10, 10, 10]))
    assert [(pair.better, pair.worse) for pair in found] == [(2, 0), (2, 1), (0, 1)]


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_no_number_of_ratings_separates_systems_without_a_difference(p):
    [pair] = one_pair(p)
    assert pair.factor == pair.more_ratings == np.inf


@settings(deadline=None, max_examples=50)
@given(st.floats(0.05, 0.49), st.floats(0.05, 0.49))
def test_the_nearer_to_significance_the_fewer_ratings(p, q):
    [near], [far] = one_pair(min(p, q)), one_pair(max(p, q))
    assert near.factor <= far.factor
    assert near.more_ratings >= 0


def p_values(rng, campaigns, captions):
    """p values of many campaigns with a true difference."""
    first, second = rng.normal(0, 1, (2, campaigns, captions))
    return mannwhitneyu(
        first + 0.15, second, axis=1, alternative="greater", method="asymptotic"
    ).pvalue


def test_the_number_it_names_separates_as_often_as_the_power_says():
    """Take p of an average campaign, collect what is named, and test again many times."""
    rng = np.random.default_rng(87)
    [pair] = one_pair(float(np.median(p_values(rng, 3000, 60))), power=0.9)
    again = p_values(rng, 1500, round(60 * pair.factor))
    assert np.mean(again < 0.05) == pytest.approx(0.9, abs=0.04)


@pytest.mark.parametrize("argument", [{"alpha": 0}, {"power": 0.01}, {"power": 1}])
def test_it_refuses_levels_that_make_no_sense(argument):
    with pytest.raises(ValueError, match="alpha and power"):
        one_pair(0.2, **argument)
