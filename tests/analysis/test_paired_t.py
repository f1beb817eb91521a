from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from analysis.stats.paired import paired_t

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "wilcoxon_signed_rank"
CASES = json.loads((GOLDEN / "input.json").read_text())
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())

scores = st.integers(0, 100)


def one(differences, alternative="less"):
    test = paired_t(np.array(differences), np.zeros(len(differences), int), 1, alternative)
    return test.statistic[0], test.p[0]


# R refuses "essentially constant" differences: those cases have no expected p (R 4.2.2, t.test).
WITH_T = [case for case in CASES if FROM_R[case]["r_t_paired"].get("p") is not None]


@pytest.mark.parametrize("case", WITH_T)
def test_it_gives_r_s_t_and_p(case):
    statistic, p = one(np.array(CASES[case]["low"]) - np.array(CASES[case]["high"]))
    assert statistic == pytest.approx(FROM_R[case]["r_t_paired"]["statistic"], rel=1e-12)
    assert p == pytest.approx(FROM_R[case]["r_t_paired"]["p"], rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(scores, scores), min_size=2, max_size=30))
def test_it_is_scipy_s_test_wherever_the_differences_vary(pairs):
    degraded, original = np.array(pairs).T
    difference = degraded - original
    if np.ptp(difference) == 0:
        return
    for alternative in ("less", "two-sided"):
        expected = ttest_rel(degraded, original, alternative=alternative)
        statistic, p = one(difference, alternative)
        assert statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
        assert p == pytest.approx(expected.pvalue, rel=1e-9)


def test_equal_differences_below_zero_are_certain():
    assert one([-7] * 10) == (-np.inf, 0.0)


def test_equal_differences_above_zero_are_certain_the_other_way():
    assert one([7] * 10) == (np.inf, 1.0)


def test_differences_all_zero_leave_p_undefined():
    assert np.isnan(one([0] * 10)).all()


@pytest.mark.parametrize("differences", [[], [-50]])
def test_fewer_than_two_pairs_leave_p_undefined(differences):
    assert np.isnan(one(np.array(differences, dtype=int))).all()
