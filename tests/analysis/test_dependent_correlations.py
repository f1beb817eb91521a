"""Golden values: R 4.2.2 by hand formula and psych 2.2.9, mt-metrics-eval (data/golden/williams).

Steiger's and Meng's Z are single-source (R). psych and mt-metrics-eval test |t|; we keep the sign.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from analysis.stats.dependent import compare_metrics, meng_test, steiger_test, williams_test

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "williams"
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())
FROM_PYTHON = json.loads((GOLDEN / "expected_python.json").read_text())
RAW = json.loads((GOLDEN / "raw_vectors.json").read_text())
HUMAN = np.array(RAW["human"])
METRICS = np.column_stack([RAW["metric_a"], RAW["metric_b"]])


def triple(case):
    return (*(np.array(case[name]) for name in ("r12", "r13", "r23")), case["n"])


@pytest.mark.parametrize("case", FROM_R["cases"], ids=str)
def test_it_gives_r_s_statistics_and_p(case):
    williams, steiger, meng = (
        test(*triple(case)) for test in (williams_test, steiger_test, meng_test)
    )
    found = [
        *(williams.statistic, williams.p, williams.p_two_sided),
        *(steiger.statistic, steiger.p_two_sided, meng.statistic, meng.p_two_sided),
    ]
    names = ["t", "p_one_sided_r12_gt_r13", "p_two_sided"]
    names += ["steiger_Z", "steiger_p_two_sided", "meng_Z", "meng_p_two_sided"]
    np.testing.assert_allclose(found, [case[name] for name in names], rtol=1e-12)


@pytest.mark.parametrize("case", FROM_PYTHON, ids=lambda case: case["note"] or str(case["n"]))
def test_the_smaller_of_both_directions_is_mt_metrics_eval_s_p(case):
    p = williams_test(*triple(case)).p
    # The near-collinear case loses two digits to cancellation in any implementation.
    np.testing.assert_allclose(min(p, 1 - p), case["mtme_one_sided"], rtol=2e-12)


def test_a_metric_that_correlates_negatively_is_turned_round():
    found, expected = compare_metrics(HUMAN, METRICS), FROM_R["raw"]["abs_correct_flip_metric_b"]
    assert found.flipped.tolist() == [False, True]
    np.testing.assert_allclose(found.statistic[0, 1], expected["t"], rtol=1e-12)
    np.testing.assert_allclose(found.p[0, 1], expected["p_one"], rtol=1e-12)
    np.testing.assert_allclose(found.r, [FROM_R["raw"]["r12"], -FROM_R["raw"]["r13"]], rtol=1e-12)
    turned = compare_metrics(HUMAN, METRICS * [1, -1])
    np.testing.assert_allclose(turned.p, found.p)
    assert not turned.flipped.any()


def test_signed_correlations_give_r_s_signed_p():
    raw = FROM_R["raw"]
    np.testing.assert_allclose(williams_test(*triple(raw)).p, raw["signed"]["p_one"], rtol=1e-12)


def test_correlations_that_cannot_occur_together_have_no_p():
    test = williams_test(np.array(0.92), np.array(0.79), np.array(-0.91), 6)
    assert np.isnan(test.statistic)
    assert np.isnan(test.p)


@pytest.mark.parametrize("test", ["williams", "steiger", "meng"])
def test_both_directions_of_a_comparison_add_up_to_one(test):
    rng = np.random.default_rng(3)
    human = rng.normal(size=40)
    metrics = human[:, None] + rng.normal(size=(40, 4))
    found = compare_metrics(human, metrics, test=test)
    np.testing.assert_allclose((found.p + found.p.T)[~np.eye(4, dtype=bool)], 1)
    np.testing.assert_allclose(found.statistic, -found.statistic.T)
    assert np.isnan(np.diag(found.p)).all()
    better = found.r[:, None] > found.r
    assert (found.p[better] < 0.5).all()
    assert (found.p_holm[better] >= found.p[better]).all()


def test_captions_that_one_metric_lacks_count_for_none():
    rng = np.random.default_rng(4)
    human, metrics = rng.normal(size=30), rng.normal(size=(30, 3))
    metrics[3, 1], metrics[7, 2], human[9] = np.nan, np.inf, np.nan
    rows = np.delete(np.arange(30), [3, 7, 9])
    found, expected = compare_metrics(human, metrics), compare_metrics(human[rows], metrics[rows])
    assert found.n == 27
    np.testing.assert_allclose(found.p, expected.p)


def test_a_constant_metric_cannot_be_compared():
    rng = np.random.default_rng(5)
    metrics = np.column_stack([rng.normal(size=9), np.full(9, 0.1), rng.normal(size=9)])
    found = compare_metrics(rng.normal(size=9), metrics)
    assert np.isnan(found.p[1]).all()
    assert np.isnan(found.p[:, 1]).all()
    assert np.isfinite(found.p[0, 2])


@pytest.mark.parametrize("test", [williams_test, steiger_test, meng_test])
def test_three_values_are_too_few(test):
    assert np.isnan(test(np.array(0.5), np.array(0.3), np.array(0.1), 3).p)


def test_other_coefficients_enter_the_same_formula():
    rng = np.random.default_rng(6)
    human = rng.normal(size=25)
    metrics = human[:, None] + rng.normal(size=(25, 2))
    r12, r13 = (spearmanr(human, column).statistic for column in metrics.T)
    r23 = spearmanr(*metrics.T).statistic
    expected = williams_test(np.array(r12), np.array(r13), np.array(r23), 25)
    found = compare_metrics(human, metrics, coefficient="spearman")
    np.testing.assert_allclose(found.p[0, 1], expected.p)


@settings(deadline=None)
@given(st.floats(0.05, 0.9), st.floats(0.05, 0.9), st.floats(-0.1, 0.9), st.integers(5, 3000))
def test_the_better_correlation_has_the_positive_statistic(r12, r13, r23, n):
    tests = [
        test(np.array(r12), np.array(r13), np.array(r23), n) for test in (williams_test, meng_test)
    ]
    for found in tests:
        assert np.isnan(found.statistic) or np.sign(found.statistic) == np.sign(r12 - r13)


def test_it_refuses_an_unknown_test():
    with pytest.raises(ValueError, match="test must be one of"):
        compare_metrics(HUMAN, METRICS, test="hotelling")
