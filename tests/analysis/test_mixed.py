from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.regression.mixed_linear_model import MixedLM

from analysis.stats import mixed
from analysis.stats.mixed import MixedModel, mixed_model


def crowd(
    ratings=400, systems=3, annotators=8, items=25, *, harshness=10.0, difficulty=6.0, seed=3
):
    rng = np.random.default_rng(seed)
    sizes = {"system": systems, "annotator": annotators, "item": items}
    columns = {name: rng.integers(0, size, ratings) for name, size in sizes.items()}
    score = 50 + np.linspace(-5, 5, systems)[columns["system"]] + rng.normal(0, 15, ratings)
    score += rng.normal(0, harshness, annotators)[columns["annotator"]]
    score += rng.normal(0, difficulty, items)[columns["item"]]
    return {"score": score, **columns}


def fit(columns, systems=3) -> MixedModel:
    return mixed_model(**columns, systems=systems)


def dummies(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


def restricted_deviance(columns, sd_annotator, sd_item, sd_residual):
    """−2 log restricted likelihood and least squares, with matrices as long as the data."""
    x, a, v = (dummies(columns[name]) for name in ("system", "annotator", "item"))
    y, n = columns["score"], len(columns["score"])
    covariance = sd_residual**2 * np.eye(n) + sd_annotator**2 * a @ a.T + sd_item**2 * v @ v.T
    inverse = np.linalg.inv(covariance)
    precision = x.T @ inverse @ x
    mean = np.linalg.solve(precision, x.T @ inverse @ y)
    left = y - x @ mean
    deviance = (
        np.linalg.slogdet(covariance)[1]
        + np.linalg.slogdet(precision)[1]
        + left @ inverse @ left
        + (n - x.shape[1]) * np.log(2 * np.pi)
    )
    return deviance, mean, np.linalg.inv(precision)


@pytest.mark.parametrize(
    "columns",
    [crowd(), crowd(annotators=40, items=12, seed=4), crowd(harshness=1.5, seed=5)],
    ids=["more items", "more annotators", "little harshness"],
)
def test_it_agrees_with_the_definition_and_no_neighbour_is_better(columns):
    model = fit(columns)
    best = np.array([model.sd_annotator, model.sd_item, model.sd_residual])
    deviance, mean, covariance = restricted_deviance(columns, *best)
    assert model.deviance == pytest.approx(deviance, rel=1e-10)
    np.testing.assert_allclose(model.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(model.covariance, covariance, rtol=1e-8)
    np.testing.assert_allclose(model.standard_error, np.sqrt(np.diag(covariance)), rtol=1e-8)
    for step in 0.03 * np.vstack([np.eye(3), -np.eye(3)]):
        assert restricted_deviance(columns, *best * (1 + step))[0] > deviance


def test_it_agrees_with_statsmodels():
    columns = crowd()
    frame = pd.DataFrame(columns | {"everything": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it estimates standard errors of variances it cannot
        peer = MixedLM.from_formula(
            "score ~ 0 + C(system)",
            frame,
            groups="everything",
            re_formula="0",
            vc_formula={"annotator": "0 + C(annotator)", "item": "0 + C(item)"},
        ).fit(reml=True)
    model = fit(columns)
    np.testing.assert_allclose(model.mean, peer.fe_params, rtol=1e-5)
    np.testing.assert_allclose([model.sd_annotator, model.sd_item], np.sqrt(peer.vcomp), rtol=1e-3)
    assert model.sd_residual == pytest.approx(np.sqrt(peer.scale), rel=1e-4)
    assert model.deviance == pytest.approx(-2 * peer.llf, rel=1e-9)


def test_complete_tables_have_the_analysis_of_variance_as_solution():
    rng = np.random.default_rng(6)
    system, annotator, item = (index.ravel() for index in np.indices((2, 6, 15)))
    score = 10 * rng.normal(size=6)[annotator] + 5 * rng.normal(size=15)[item]
    score = score + 8 * rng.normal(size=len(item)) + 3 * system
    model = mixed_model(score, system, annotator, item, systems=2)
    table = score.reshape(2, 6, 15)
    np.testing.assert_allclose(model.mean, table.mean(axis=(1, 2)), rtol=1e-9)
    by_person = 30 * table.mean(axis=(0, 2)).var(ddof=1)
    by_item = 12 * table.mean(axis=(0, 1)).var(ddof=1)
    centred = table - table.mean(axis=(1, 2), keepdims=True)
    error = np.sum(centred**2) - 5 * by_person - 14 * by_item
    error /= 180 - 2 - 5 - 14
    expected = [(by_person - error) / 30, (by_item - error) / 12, error]
    found = np.array([model.sd_annotator, model.sd_item, model.sd_residual]) ** 2
    np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_a_sparse_and_a_dense_product_give_the_same(monkeypatch):
    columns = crowd()
    dense = fit(columns)
    monkeypatch.setattr(mixed, "SPARSE", 2.0)
    np.testing.assert_allclose(fit(columns).mean, dense.mean, rtol=1e-9)


def test_effects_that_are_not_there_are_estimated_as_nothing():
    columns = crowd(ratings=2000, harshness=0, difficulty=0, seed=10)
    model = fit(columns)
    plain = [columns["score"][columns["system"] == system].mean() for system in range(3)]
    assert model.sd_annotator < 1.5
    assert model.sd_item < 1.5
    np.testing.assert_allclose(model.mean, plain, atol=0.3)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.floats(-40, 40), st.floats(0.1, 5))
def test_another_scale_moves_the_estimates_with_it(seed, shift, factor):
    columns = crowd(ratings=150, seed=seed)
    model, moved = fit(columns), fit(columns | {"score": columns["score"] * factor + shift})
    np.testing.assert_allclose(moved.mean, model.mean * factor + shift, atol=0.02 * factor)
    assert moved.sd_residual == pytest.approx(model.sd_residual * factor, rel=1e-3)


def test_p_asks_whether_the_row_is_better_than_the_column():
    model = fit(crowd(ratings=3000))
    difference = model.mean[2] - model.mean[0]
    variance = model.covariance[0, 0] + model.covariance[2, 2] - 2 * model.covariance[0, 2]
    assert model.p[2, 0] == pytest.approx(norm.sf(difference / np.sqrt(variance)))
    assert model.p[2, 0] + model.p[0, 2] == pytest.approx(1)
    assert np.isnan(np.diag(model.p)).all()


def test_a_system_without_ratings_has_no_estimate():
    model = fit(crowd(), systems=4)
    assert np.isnan(model.mean[3])
    assert np.isnan(model.covariance[3]).all()
    np.testing.assert_allclose(model.mean[:3], fit(crowd()).mean)


def test_one_annotator_is_no_sample_of_annotators():
    columns = crowd(annotators=1)
    model = fit(columns)
    assert np.isnan(model.sd_annotator)
    assert np.isfinite(model.sd_item)
    assert np.isfinite(model.mean).all()


@pytest.mark.parametrize("score", [[7, 7, 7, 7], [1, 1, 9, 9]])
def test_without_variation_inside_systems_nothing_is_defined(score):
    codes = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 1, 0])
    model = mixed_model(np.array(score), *codes, systems=2)
    assert np.isnan(model.mean).all()
    assert np.isnan(model.sd_residual)


def test_without_ratings_nothing_is_defined():
    nobody = np.array([], dtype=int)
    assert np.isnan(mixed_model(nobody, nobody, nobody, nobody, systems=2).mean).all()


def test_it_refuses_columns_of_different_lengths():
    with pytest.raises(ValueError, match="same length"):
        mixed_model(np.zeros(2), np.zeros(2, int), np.zeros(2, int), np.zeros(3, int), systems=1)


def test_it_refuses_what_would_not_fit_into_a_machine(monkeypatch):
    monkeypatch.setattr(mixed, "MOST_LEVELS", 7)
    with pytest.raises(ValueError, match="levels"):
        fit(crowd())
