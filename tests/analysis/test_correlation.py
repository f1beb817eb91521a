"""Golden values: R 4.2.2 cor and brute force, scipy, mt-metrics-eval (golden/kendall, meta)."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from analysis.stats.correlation import (
    COEFFICIENTS,
    complete_rows,
    correlations,
    correlations_by_group,
    system_means,
)

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
KENDALL = json.loads((GOLDEN / "kendall" / "input.json").read_text())
FROM_R = json.loads((GOLDEN / "kendall" / "expected_R.json").read_text())
META = json.loads((GOLDEN / "meta" / "input.json").read_text())
FROM_MTME = json.loads((GOLDEN / "meta" / "expected_python.json").read_text())

tied_scores = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40
)


def one(human, metric):
    return correlations(np.asarray(human, float), np.asarray(metric, float)[:, None])


def plain_kendall(x, y):
    """τ-b and τ-c by looking at every pair."""
    signs = [[np.sign(a - b) for a, b in combinations(side, 2)] for side in (x, y)]
    pairs = list(zip(*signs, strict=True))
    difference = sum(dx * dy for dx, dy in pairs)
    untied = np.prod([sum(pair[side] != 0 for pair in pairs) for side in (0, 1)])
    m = min(len(set(x)), len(set(y)))
    return difference / np.sqrt(untied), 2 * difference * m / (len(x) ** 2 * (m - 1))


@pytest.mark.parametrize("name", KENDALL)
def test_it_gives_r_s_coefficients(name):
    found = one(KENDALL[name]["y"], KENDALL[name]["x"])
    keys = {"kendall_b": "tau_b_R", "kendall_c": "tau_c"}
    for coefficient in COEFFICIENTS:
        expected = FROM_R[name][keys.get(coefficient, coefficient)]
        expected = np.nan if expected is None else expected
        np.testing.assert_allclose(found.of(coefficient), [expected], rtol=1e-12)
    assert found.reason == (("the metric is constant",) if name == "const" else ("",))


@pytest.mark.parametrize("metric", ["metric1", "metric2"])
def test_averages_over_items_and_over_systems_are_mt_metrics_eval_s(metric):
    human, scores = np.array(META["gold"]), np.array(META[metric])[:, None]
    system, item = np.divmod(np.arange(48), 12)
    found = {
        "none": correlations(human, scores),
        "item": correlations_by_group(human, scores, item, 12).means(),
        "sys": correlations_by_group(human, scores, system, 4).means(),
    }
    for averaging, result in found.items():
        for coefficient in COEFFICIENTS:
            expected = FROM_MTME[averaging][metric][coefficient]
            np.testing.assert_allclose(result.of(coefficient), [expected], rtol=1e-12)


@settings(deadline=None)
@given(tied_scores)
def test_it_agrees_with_scipy_and_with_looking_at_every_pair(rows):
    x, y, _ = np.array(rows, float).T
    found = one(y, x)
    if found.reason != ("",):
        assert len(x) < 3 or len(set(x)) == 1 or len(set(y)) == 1
        assert all(np.isnan(found.of(coefficient)[0]) for coefficient in COEFFICIENTS)
        return
    expected = [pearsonr(x, y).statistic, spearmanr(x, y).statistic, *plain_kendall(x, y)]
    expected_c = kendalltau(x, y, variant="c").statistic
    np.testing.assert_allclose(
        np.ravel([found.of(c) for c in COEFFICIENTS]), expected, rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(found.kendall_c, [expected_c], rtol=1e-12, atol=1e-14)


@settings(deadline=None)
@given(tied_scores)
def test_groups_give_what_each_gives_by_itself(rows):
    x, y, group = np.array(rows).T
    values = x.astype(float)
    found = correlations_by_group(y.astype(float), values[:, None], group, 5)
    for one_group in range(5):
        rows_of = group == one_group
        alone = one(y[rows_of], values[rows_of])
        assert found.n[one_group, 0] == np.count_nonzero(rows_of)
        for coefficient in COEFFICIENTS:
            np.testing.assert_allclose(
                found.of(coefficient)[one_group], alone.of(coefficient), rtol=1e-9, atol=1e-12
            )


def test_missing_and_infinite_scores_count_for_their_metric_only():
    rng = np.random.default_rng(0)
    human, metrics = rng.normal(size=20), rng.normal(size=(20, 3))
    metrics[2, 0], metrics[5, 0], human[9] = np.nan, -np.inf, np.nan
    found = correlations(human, metrics)
    assert found.n.tolist() == [17, 19, 19]
    rows = np.delete(np.arange(20), [2, 5, 9])
    np.testing.assert_allclose(found.pearson[0], one(human[rows], metrics[rows, 0]).pearson[0])
    assert np.flatnonzero(~complete_rows(human, metrics)).tolist() == [2, 5, 9]


@pytest.mark.parametrize(
    ("human", "metric", "reason"),
    [
        ([1, 2], [1, 2], "fewer than 3 values"),
        ([], [], "fewer than 3 values"),
        ([1, 1, 1], [1, 2, 3], "the human scores are constant"),
        ([1, 2, 3], [0.1, 0.1, 0.1], "the metric is constant"),
    ],
)
def test_what_is_not_defined_says_why(human, metric, reason):
    found = one(human, metric)
    assert found.reason == (reason,)
    assert np.isnan([found.of(coefficient) for coefficient in COEFFICIENTS]).all()


def test_scores_of_any_size_correlate():
    x, y = np.array([1.0, 2, 4, 3]), np.array([1.0, 3, 2, 4])
    for scale in (1e-200, 1e200):
        np.testing.assert_allclose(one(y, x * scale).pearson, one(y, x).pearson)


def test_system_means_are_over_the_captions_both_sides_have():
    human = np.array([1.0, 2, 3, 4, np.nan, 6])
    metrics = np.column_stack([np.arange(6.0), [0, np.nan, 2, 3, 4, np.nan]])
    means = system_means(human, metrics, np.array([0, 0, 1, 1, 1, 2]), 3)
    np.testing.assert_allclose(means[0], [[1.5, 1], [3.5, 3.5], [6, np.nan]])
    np.testing.assert_allclose(means[1], [[0.5, 0], [2.5, 2.5], [5, np.nan]])
    assert correlations(*means).n.tolist() == [3, 2]


def test_no_group_in_which_it_is_defined_says_so():
    found = correlations_by_group(np.arange(4.0), np.ones((4, 1)), np.array([0, 0, 1, 1]), 2)
    assert found.means().reason == ("not defined in any group",)
    assert np.isnan(found.means().pearson).all()


def test_it_refuses_tables_that_do_not_fit():
    with pytest.raises(ValueError, match="same number of captions"):
        correlations(np.arange(3.0), np.ones((4, 1)))
    with pytest.raises(ValueError, match="captions × metrics"):
        correlations(np.arange(3.0), np.ones(3))
    with pytest.raises(ValueError, match="coefficient must be one of"):
        correlations(np.arange(3.0), np.ones((3, 1))).of("phi")
