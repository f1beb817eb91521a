from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from analysis.stats.agreement import (
    AnnotatorValues,
    annotator_values,
    effective_annotators,
    krippendorff_alpha,
    shared_ratings,
)
from analysis.stats.icc import FORMS, intraclass_correlations
from analysis.stats.pairwise import pairwise_agreement
from analysis.stats.ratings import SYSTEM
from benchmarks.crowd import simulate

# Inputs, and expected values from R 4.2.2 (Krippendorff by its definition, psych::ICC 2.2.9) and
# Python (krippendorff 0.9.0, pingouin 0.7.0), which agree with each other to 2e-15.
GOLDEN = Path(__file__).parent.parent / "data" / "golden"
ALPHA_CASES = ["krippendorff_2011_example", "canonical_4x12", "da_25x4_missing", "z_3x12_float"]


def golden(*parts):
    return json.loads(GOLDEN.joinpath(*parts).read_text())


def of_table(table) -> AnnotatorValues:
    """Values of an annotators × units table; NaN is a missing rating."""
    table = np.array(table, dtype=float)
    annotator, unit = np.indices(table.shape)
    return annotator_values(annotator.ravel(), unit.ravel(), table.ravel())


def tables(values):
    """Annotators × units tables of some size, with holes."""
    return st.tuples(st.integers(2, 5), st.integers(1, 6)).flatmap(
        lambda shape: st.lists(
            st.lists(values, min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


holey_tables = tables(st.integers(0, 100) | st.just(np.nan))


def alpha_by_definition(table) -> float:
    """One minus the mean squared difference inside units over that between any two ratings."""
    columns = [column[~np.isnan(column)] for column in np.array(table, dtype=float).T]
    columns = [column for column in columns if len(column) > 1]
    n = sum(map(len, columns))
    if not n:
        return np.nan
    everything = np.concatenate(columns)
    observed = sum(np.sum((c[:, None] - c) ** 2) / (len(c) - 1) for c in columns) / n
    expected = np.sum((everything[:, None] - everything) ** 2) / (n * (n - 1))
    return 1 - observed / expected if expected else np.nan


@pytest.mark.parametrize("case", ALPHA_CASES)
def test_alpha_matches_two_other_implementations(case):
    result = krippendorff_alpha(of_table(golden("krippendorff", "input.json")[case]["data"]))
    r = golden("krippendorff", "expected_R.json")[case]["interval"]
    python = golden("krippendorff", "expected_python.json")[case]
    assert result.alpha == pytest.approx(r["alpha"], rel=1e-12)
    assert result.alpha == pytest.approx(python["krippendorff_interval"], rel=1e-12)
    assert result.observed == pytest.approx(r["Do"], rel=1e-12)
    assert result.expected == pytest.approx(r["De"], rel=1e-12)
    assert (result.units, result.ratings) == (r["n_units"], r["n_pairable"])


@pytest.mark.parametrize(
    "table",
    [
        golden("krippendorff", "input.json")["constant"]["data"],
        [[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]],  # a mean of these is not 0.1 in floating point
        [[1, np.nan], [np.nan, 2]],
        [[np.nan], [np.nan]],
    ],
)
def test_alpha_without_variance_or_shared_units_is_undefined(table):
    assert np.isnan(krippendorff_alpha(of_table(table)).alpha)


@settings(deadline=None, max_examples=50)
@given(holey_tables)
def test_alpha_is_its_definition(table):
    assert krippendorff_alpha(of_table(table)).alpha == pytest.approx(
        alpha_by_definition(table), abs=1e-9, nan_ok=True
    )


@settings(deadline=None, max_examples=50)
@given(holey_tables, st.integers(-50, 50), st.integers(1, 9))
def test_alpha_does_not_change_with_the_common_scale(table, shift, factor):
    moved = np.array(table, dtype=float) * factor + shift
    assert krippendorff_alpha(of_table(moved)).alpha == pytest.approx(
        krippendorff_alpha(of_table(table)).alpha, abs=1e-9, nan_ok=True
    )


def test_several_ratings_of_a_caption_by_one_person_count_once():
    values = annotator_values(np.array([3, 3, 1]), np.array([7, 7, 7]), np.array([10, 20, 40]))
    assert values.annotator.tolist() == [1, 3]
    assert values.value.tolist() == [40, 15]


def test_it_refuses_columns_of_different_lengths():
    with pytest.raises(ValueError, match="same length"):
        annotator_values(np.array([1]), np.array([1, 2]), np.array([1.0, 2.0]))


def test_only_system_ratings_of_annotators_in_use_are_compared():
    ratings = simulate(annotators=10, videos=20)
    use = np.arange(10) < 8
    shared = shared_ratings(ratings, ratings.score, use)
    counted = (ratings.kind == SYSTEM) & use[ratings.annotator]
    per_caption = np.bincount(ratings.caption[counted])
    assert len(shared) == per_caption[per_caption > 1].sum()
    assert set(shared.annotator.tolist()) <= set(range(8))


def test_the_six_coefficients_match_psych_and_pingouin():
    table = np.array(golden("icc", "input.json")["shrout_fleiss_1979"]["ratings"]).T
    results = intraclass_correlations(of_table(table))
    r, python = golden("icc", "expected_R.json"), golden("icc", "expected_python.json")
    assert [result.form for result in results] == r["type"]
    columns = {"icc": "ICC", "f": "F", "df1": "df1", "df2": "df2", "p": "p", "low": "lo"}
    for ours, theirs in (columns | {"high": "hi"}).items():
        found = [getattr(result, ours) for result in results]
        np.testing.assert_allclose(found, r[theirs], rtol=1e-12)
    np.testing.assert_allclose([result.icc for result in results], python["ICC"], rtol=1e-12)


@settings(deadline=None, max_examples=50)
@given(tables(st.integers(0, 100)))
def test_unbalanced_components_become_the_textbook_s_when_nothing_is_missing(table):
    """ICC2 and ICC3 written out with mean squares, as Shrout & Fleiss have them."""
    x = np.array(table, dtype=float).T
    n, k = x.shape
    if n == 1 or np.ptp(x) == 0:
        return
    between = k * x.mean(1).var(ddof=1)
    judges = n * x.mean(0).var(ddof=1)
    residual = x - x.mean(1, keepdims=True) - x.mean(0) + x.mean()
    error = np.sum(residual**2) / ((n - 1) * (k - 1))
    found = {result.form: result.icc for result in intraclass_correlations(of_table(table))}
    denominators = {
        "ICC2": between + (k - 1) * error + k * (judges - error) / n,
        "ICC3": between + (k - 1) * error,
    }
    for form, denominator in denominators.items():
        if denominator > 1e-6:
            assert found[form] == pytest.approx((between - error) / denominator, abs=1e-6)


def test_unbalanced_coefficients_recover_the_variances_that_made_the_data():
    rng = np.random.default_rng(1979)
    units, people = 4000, 60
    annotator = np.concatenate([rng.permutation(people)[:5] for _ in range(units)])
    unit = np.repeat(np.arange(units), 5)
    keep = rng.random(len(unit)) < 0.8
    value = rng.normal(0, 2, units)[unit] + rng.normal(0, 1, people)[annotator]
    value += rng.normal(0, 1.5, len(unit))
    shared = annotator_values(annotator[keep], unit[keep], value[keep])
    found = {result.form: result for result in intraclass_correlations(shared)}
    assert found["ICC2"].icc == pytest.approx(4 / 7.25, abs=0.04)
    assert found["ICC3"].icc == pytest.approx(4 / 6.25, abs=0.02)
    assert found["ICC3k"].icc > found["ICC3"].icc
    assert np.isnan(found["ICC3"].low)


@pytest.mark.parametrize("table", [[[5, 5], [5, 5]], [[np.nan], [1]], [[1], [2]]])
def test_coefficients_without_variance_or_captions_are_undefined(table):
    results = intraclass_correlations(of_table(table))
    assert [result.form for result in results] == list(FORMS)
    assert all(np.isnan(result.icc) for result in results)


def test_annotators_who_share_nothing_leave_the_two_way_forms_undefined():
    # Every annotator rated one caption: harsh people and poor captions look the same.
    shared = annotator_values(np.arange(6), np.repeat([0, 1, 2], 2), np.arange(6.0) ** 2)
    found = {result.form: result.icc for result in intraclass_correlations(shared)}
    assert np.isfinite(found["ICC1"])
    assert np.isnan(found["ICC2"])
    assert np.isnan(found["ICC3k"])


def test_it_refuses_a_confidence_outside_zero_and_one():
    with pytest.raises(ValueError, match="confidence"):
        intraclass_correlations(of_table([[1, 2], [2, 3]]), confidence=1)


@settings(deadline=None, max_examples=50)
@given(tables(st.integers(0, 4) | st.just(np.nan)))
def test_every_pair_of_annotators_matches_scipy(table):
    x = np.array(table, dtype=float)
    rng = np.random.default_rng(0)
    result = pairwise_agreement(of_table(x), rng=rng, min_shared=2)
    found = {
        (int(a), int(b)): (n, rho, tau)
        for a, b, n, rho, tau in zip(
            result.first, result.second, result.shared, result.spearman, result.kendall, strict=True
        )
    }
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            both = ~np.isnan(x[a]) & ~np.isnan(x[b])
            if both.sum() < 2:
                assert (a, b) not in found
                continue
            one, other = x[a, both], x[b, both]
            constant = np.ptp(one) == 0 or np.ptp(other) == 0
            rho = np.nan if constant else spearmanr(one, other).statistic
            tau = np.nan if constant else kendalltau(one, other).statistic
            assert found.pop((a, b)) == pytest.approx((both.sum(), rho, tau), nan_ok=True)
    assert not found


def test_a_crowd_of_many_pairs_is_sampled_and_says_so():
    table = np.random.default_rng(1).integers(0, 101, (30, 20))
    result = pairwise_agreement(of_table(table), rng=np.random.default_rng(2), max_pairs=50)
    assert result.pairs == 30 * 29 // 2
    assert len(set(zip(result.first.tolist(), result.second.tolist(), strict=True))) == 50
    assert result.mean_kendall == pytest.approx(np.mean(result.kendall))


def test_a_crowd_without_shared_captions_has_no_pairs():
    result = pairwise_agreement(of_table([[1, np.nan], [np.nan, 2]]), rng=np.random.default_rng(0))
    assert result.pairs == 0
    assert np.isnan(result.mean_spearman)


@pytest.mark.parametrize("argument", [{"min_shared": 1}, {"max_pairs": 0}])
def test_pairwise_refuses_limits_that_make_no_sense(argument):
    with pytest.raises(ValueError, match=next(iter(argument))):
        pairwise_agreement(of_table([[1, 2], [2, 3]]), rng=np.random.default_rng(0), **argument)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=20))
def test_the_effective_number_lies_between_one_and_the_number_of_annotators(loads):
    annotator = np.repeat(np.arange(len(loads)), loads)
    assert 1 - 1e-9 <= effective_annotators(annotator) <= len(loads) + 1e-9


def test_nobody_is_worth_no_number_of_annotators():
    assert np.isnan(effective_annotators(np.array([], dtype=np.int32)))
