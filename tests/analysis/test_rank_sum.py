"""Golden values: R 4.2.2 wilcox.test(exact = FALSE, correct = TRUE) and scipy (data/golden)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from analysis.stats.ranking import rank_sum_matrix

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "rank_sum"
CASES = json.loads((GOLDEN / "input.json").read_text())
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())
FROM_PYTHON = json.loads((GOLDEN / "expected_python.json").read_text())


def matrix(*groups):
    values = np.concatenate([np.array(group, dtype=float) for group in groups])
    group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return rank_sum_matrix(values, group, len(groups))


@pytest.mark.parametrize("case", CASES)
def test_it_gives_the_golden_p_in_both_directions(case):
    p = matrix(CASES[case]["a"], CASES[case]["b"])
    for cell, alternative in (((0, 1), "greater"), ((1, 0), "less")):
        expected = FROM_PYTHON[case][f"mannwhitneyu_asymptotic_{alternative}"]["p"]
        assert p[cell] == pytest.approx(expected, rel=1e-12)
        from_r = FROM_R[case][f"approx_cc_{alternative}"]["p"]
        if isinstance(from_r, float):  # R leaves it undefined when all values are the same
            assert p[cell] == pytest.approx(from_r, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=12), min_size=2, max_size=5))
def test_every_cell_is_scipy_s_p(groups):
    p = matrix(*groups)
    for i, j in np.ndindex(p.shape):
        if i == j:
            assert np.isnan(p[i, j])
            continue
        if len({*groups[i], *groups[j]}) > 1:
            expected = mannwhitneyu(
                groups[i], groups[j], alternative="greater", method="asymptotic"
            ).pvalue
            assert p[i, j] == pytest.approx(expected, rel=1e-12)


def test_values_all_the_same_never_beat_each_other():
    assert matrix([5, 5, 5], [5, 5])[0, 1] == 1.0


def test_a_group_without_values_is_undefined_and_harms_no_other():
    p = matrix([3, 4, 5], [], [1, 2])
    assert np.isnan(p[1]).all()
    assert np.isnan(p[:, 1]).all()
    assert p[0, 2] == matrix([3, 4, 5], [1, 2])[0, 1]
