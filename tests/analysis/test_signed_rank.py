"""Golden values: R 4.2.2 exactRankTests and an independent dynamic programme (data/golden)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats.paired import EXACT_PAIRS, signed_rank

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "wilcoxon_signed_rank"
CASES = json.loads((GOLDEN / "input.json").read_text())
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())
FROM_PYTHON = json.loads((GOLDEN / "expected_python.json").read_text())

small_differences = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def one(differences, alternative="less"):
    test = signed_rank(np.array(differences), np.zeros(len(differences), int), 1, alternative)
    return test.statistic[0], test.p[0]


def enumerated(differences):
    """P(W ≤ w) and P(W ≥ w) over all patterns of signs, by brute force."""
    size = np.abs([d for d in differences if d])
    ranks = [((size < s).sum() + 1 + (size <= s).sum()) / 2 for s in size]
    observed = sum(r for r, d in zip(ranks, [d for d in differences if d], strict=True) if d > 0)
    sums = [
        sum(itertools.compress(ranks, signs))
        for signs in itertools.product([False, True], repeat=len(ranks))
    ]
    return np.mean(np.array(sums) <= observed), np.mean(np.array(sums) >= observed)


@pytest.mark.parametrize("case", CASES)
def test_it_gives_the_exact_p_of_the_golden_cases(case):
    statistic, p = one(np.array(CASES[case]["low"]) - np.array(CASES[case]["high"]))
    expected = FROM_PYTHON[case]["dp_exact_conditional_wilcox"]
    if expected is None:
        assert np.isnan(p)
        return
    assert p == pytest.approx(expected, rel=1e-12)
    assert p == pytest.approx(FROM_R[case]["exactRankTests_wilcox.exact"]["p"], rel=1e-12)
    assert statistic == FROM_R[case]["exactRankTests_wilcox.exact"]["statistic"]


@settings(deadline=None)
@given(small_differences.filter(any))
def test_it_counts_every_pattern_of_signs(differences):
    less, more = enumerated(differences)
    assert one(differences)[1] == pytest.approx(less, rel=1e-12)
    assert one(differences, "two-sided")[1] == pytest.approx(min(1, 2 * min(less, more)), rel=1e-12)


@settings(deadline=None)
@given(st.lists(small_differences, min_size=1, max_size=6))
def test_many_people_at_once_are_tested_as_one_by_one(people):
    group = np.repeat(np.arange(len(people)), [len(person) for person in people])
    together = signed_rank(np.concatenate(people), group, len(people), "less")
    alone = [one(person) for person in people]
    np.testing.assert_array_equal(together.statistic, [statistic for statistic, _ in alone])
    np.testing.assert_array_equal(together.p, [p for _, p in alone])


def test_zero_differences_alone_decide_nothing():
    statistic, p = one([0, 0, 0])
    assert np.isnan(statistic)
    assert np.isnan(p)


@pytest.mark.parametrize("alternative", ["less", "two-sided"])
def test_the_approximation_for_many_pairs_is_that_of_r(alternative):
    # R 4.2.2: wilcox.test(rep(c(-7, 3, -1, 0, 5), 60), alternative, exact = FALSE, correct = TRUE)
    # is the formula below; scipy's asymptotic method with correction implements it too.
    from scipy.stats import wilcoxon

    differences = np.tile([-7, 3, -1, 0, 5], 60)
    assert np.count_nonzero(differences) > EXACT_PAIRS
    expected = wilcoxon(
        differences, alternative=alternative, method="asymptotic", correction=True
    ).pvalue
    assert one(differences, alternative)[1] == pytest.approx(expected, rel=1e-12)


def test_exact_and_approximate_p_meet_where_one_takes_over(monkeypatch):
    differences = np.random.default_rng(3).integers(-50, 42, EXACT_PAIRS)
    exact = one(differences)[1]
    monkeypatch.setattr("analysis.stats.paired.EXACT_PAIRS", 0)
    assert one(differences)[1] == pytest.approx(exact, abs=5e-4)
