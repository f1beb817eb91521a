"""Golden values: R 4.2.2 p.adjust and statsmodels (data/golden/padjust)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats.adjust import benjamini_hochberg, holm

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "padjust"
P = np.array(json.loads((GOLDEN / "input.json").read_text())["p"])
FROM_R = json.loads((GOLDEN / "expected_R.json").read_text())
FROM_PYTHON = json.loads((GOLDEN / "expected_python.json").read_text())

probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("adjust", "in_r", "in_python"), [(holm, "holm", "holm"), (benjamini_hochberg, "BH", "fdr_bh")]
)
def test_it_gives_r_s_adjusted_p(adjust, in_r, in_python):
    np.testing.assert_allclose(adjust(P), FROM_R[in_r], rtol=1e-12)
    np.testing.assert_allclose(adjust(P), FROM_PYTHON[in_python], rtol=1e-12)


@settings(deadline=None)
@given(probabilities)
def test_adjusting_never_makes_a_finding_stronger(p):
    values = np.array(p)
    assert (holm(values) >= benjamini_hochberg(values)).all()
    assert (benjamini_hochberg(values) >= values).all()
    assert (holm(values) <= 1).all()


@settings(deadline=None)
@given(probabilities)
def test_undefined_p_stay_undefined_and_are_not_counted(p):
    values = np.array([np.nan, *p, np.nan])
    for adjust in (holm, benjamini_hochberg):
        np.testing.assert_array_equal(adjust(values), [np.nan, *adjust(np.array(p)), np.nan])


def test_a_matrix_keeps_its_shape():
    assert holm(P.reshape(2, 5)).tolist() == holm(P).reshape(2, 5).tolist()
