"""Golden values: R 4.2.2 cooks.distance, statsmodels (data/golden/cooks).

R, statsmodels and the closed form all differ where the fit is perfect or a side is constant: there
the distance is defined as 0 (PROTOCOL §7), or not at all.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats import resampled_pairs
from analysis.stats.correlation import COEFFICIENTS, correlations
from analysis.stats.outliers import (
    DIRECTIONS,
    VARIANTS,
    cooks_distance,
    find_outliers,
    placebo,
    without,
)

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "cooks"
CASES = json.loads((GOLDEN / "input.json").read_text())
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())
REGULAR = ["n12_outlier", "n60_weak", "n30_heavy_ties"]


def sides(name):
    return np.array(CASES[name]["y_human"]), np.array(CASES[name]["x_metric"])[:, None]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", REGULAR)
def test_it_gives_r_s_distances_and_flags(name, variant, direction):
    expected = FROM_R[name][f"{variant}_{direction}"]
    found = find_outliers(*sides(name), variant=variant, direction=direction)
    # Residuals near 0 lose digits: of 60 captions one has D = 8e-8.
    np.testing.assert_allclose(found.distance[:, 0], expected["D"], rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(found.threshold, [expected["threshold_4mean"]], rtol=1e-12)
    assert np.flatnonzero(found.removed[:, 0]).tolist() == expected["removed_idx0"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", REGULAR)
def test_it_gives_r_s_coefficients_before_and_after(name, variant):
    human, metrics = sides(name)
    removed = find_outliers(human, metrics, variant=variant).removed
    after = without(human, metrics, removed)
    expected = FROM_R[name][f"after_{variant}_human_on_metric"]
    assert after.n.tolist() == [expected["n"]]
    for found, values in (
        (correlations(human, metrics), FROM_R[name]["before"]),
        (after, expected),
    ):
        tau = values["kendall"]
        np.testing.assert_allclose(
            np.ravel([found.of(name) for name in COEFFICIENTS]),
            [values["pearson"], values["spearman"], tau["tau_b_R"], tau["tau_c"]],
            rtol=1e-12,
        )


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_perfect_fit_has_no_distance(variant, direction):
    found = find_outliers(*sides("n5_perfect"), variant=variant, direction=direction)
    assert found.distance.ravel().tolist() == [0] * 5
    assert not found.removed.any()


def test_a_constant_metric_is_fitted_perfectly_and_predicts_nothing():
    human, metrics = sides("n6_const_x")
    assert (cooks_distance(human, metrics, direction="metric_on_human") == 0).all()
    found = find_outliers(human, metrics)
    assert np.isnan(found.distance).all()
    assert not found.removed.any()


def test_a_caption_that_holds_the_line_by_itself_has_no_distance():
    human, metrics = np.array([1.0, 2, 4, 9]), np.array([[0.0], [0], [0], [1]])
    distance = cooks_distance(human, metrics)
    assert np.isnan(distance[3, 0])
    assert np.isfinite(distance[:3]).all()


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=15))
def test_the_distance_is_how_far_the_line_moves_without_the_caption(points):
    x, y = np.array(points, float).T
    found = cooks_distance(y, x[:, None])[:, 0]
    design = np.column_stack([np.ones_like(x), x])
    for caption in np.flatnonzero(~np.isnan(found) & (found > 0)):
        beta = np.linalg.lstsq(design, y, rcond=None)[0]
        rest = np.arange(len(x)) != caption
        moved = np.linalg.lstsq(design[rest], y[rest], rcond=None)[0]
        variance = np.sum((y - design @ beta) ** 2) / (len(x) - 2)
        expected = np.sum((design @ (beta - moved)) ** 2) / (2 * variance)
        np.testing.assert_allclose(found[caption], expected, rtol=1e-6, atol=1e-12)


def test_captions_that_a_metric_lacks_are_left_alone():
    human, metric = sides("n60_weak")
    metrics = np.column_stack([metric, metric])
    metrics[[2, 5], 1] = np.nan
    rest = np.delete(np.arange(60), [2, 5])
    found = cooks_distance(human, metrics)
    np.testing.assert_allclose(found[:, :1], cooks_distance(human, metric))
    np.testing.assert_allclose(found[rest, 1:], cooks_distance(human[rest], metric[rest]))
    assert np.isnan(found[[2, 5], 1]).all()


def test_the_union_holds_the_captions_of_every_metric_and_a_larger_factor_removes_fewer():
    rng = np.random.default_rng(0)
    human, metrics = rng.normal(size=200), rng.normal(size=(200, 3))
    found = find_outliers(human, metrics)
    assert found.union().sum() > found.removed.sum(axis=0).max()
    assert (find_outliers(human, metrics, factor=8).removed <= found.removed).all()
    after = without(human, metrics, found.union())
    assert set(after.n.tolist()) == {200 - found.union().sum()}


@pytest.mark.parametrize(("number", "few"), [(7, 500), (7, 0), (40, 500)])
def test_a_placebo_is_the_correlation_without_captions_drawn_at_random(monkeypatch, number, few):
    monkeypatch.setattr(resampled_pairs, "_FEW", few)
    rng = np.random.default_rng(1)
    human = rng.integers(0, 30, 150).astype(float)
    metrics = np.column_stack([human + rng.normal(0, 9, 150), rng.integers(0, 9, 150)])
    removed = np.arange(150) < number
    found = placebo(human, metrics, removed, rng=np.random.default_rng(2), draws=20)
    rng = np.random.default_rng(2)
    for draw in range(20):
        kept = np.ones(150, bool)
        kept[rng.choice(150, number, replace=False)] = False
        expected = correlations(human[kept], metrics[kept])
        for name in COEFFICIENTS:
            np.testing.assert_allclose(found.of(name)[draw], expected.of(name), rtol=1e-9)


def test_filtering_on_the_metric_flatters_it_where_a_placebo_does_not():
    rng = np.random.default_rng(3)
    human = rng.normal(size=400)
    metrics = (human + rng.standard_t(3, size=400))[:, None]
    removed = find_outliers(human, metrics).removed
    before, after = correlations(human, metrics), without(human, metrics, removed)
    drawn = placebo(human, metrics, removed, rng=rng, draws=200)
    assert after.pearson[0] - before.pearson[0] > 0.02
    assert abs(drawn.pearson.mean() - before.pearson[0]) < 0.01


def test_each_metric_loses_as_many_in_the_placebo_as_it_lost():
    rng = np.random.default_rng(4)
    human, metrics = rng.normal(size=30), rng.normal(size=(30, 2))
    removed = np.zeros((30, 2), bool)
    removed[:28, 1] = True
    found = placebo(human, metrics, removed, rng=rng, draws=5)
    np.testing.assert_allclose(found.pearson[:, 0], correlations(human, metrics).pearson[0])
    assert np.isnan(found.pearson[:, 1]).all()


def test_no_captions_are_no_outliers():
    human, metrics = np.full(3, np.nan), np.ones((3, 1))
    found = find_outliers(human, metrics)
    assert not found.removed.any()
    drawn = placebo(human, metrics, found.removed, rng=np.random.default_rng(0), draws=2)
    assert np.isnan(drawn.pearson).all()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"variant": "cubic"}, "variant"),
        ({"direction": "sideways"}, "direction"),
        ({"factor": 0}, "factor"),
        ({"factor": float("nan")}, "factor"),
    ],
)
def test_it_refuses_odd_settings(choice, message):
    with pytest.raises(ValueError, match=message):
        find_outliers(*sides("n12_outlier"), **choice)


def test_it_refuses_a_filter_of_other_captions():
    human, metrics = sides("n12_outlier")
    with pytest.raises(ValueError, match="removed"):
        without(human, metrics, np.zeros(11, bool))
    with pytest.raises(ValueError, match="draws"):
        placebo(human, metrics, np.zeros(12, bool), rng=np.random.default_rng(0), draws=0)
