"""Golden values: mt-metrics-eval, and enumeration of all 4,096 flips (data/golden/meta)."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.stats.pairwise_accuracy import pairwise_accuracy, soft_pairwise_accuracy

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "meta"
META = json.loads((GOLDEN / "input.json").read_text())
EXPECTED = json.loads((GOLDEN / "expected_python.json").read_text())
TIES = json.loads((GOLDEN / "ties_opt.json").read_text())
SYSTEM, ITEM = np.divmod(np.arange(48), 12)


@pytest.mark.parametrize("averaging", ["none", "item", "sys"])
def test_it_finds_mt_metrics_eval_s_threshold(averaging):
    system, item = np.divmod(np.arange(75), 15)
    group = {"none": None, "item": item, "sys": system}[averaging]
    found = pairwise_accuracy(np.array(TIES["gold"]), np.array(TIES["metric"]), group)
    expected = TIES["expected"][f"acc23_{averaging}"]
    np.testing.assert_allclose(found.accuracy, expected["value"], rtol=1e-12)
    np.testing.assert_allclose(found.plain, expected["eps0"], rtol=1e-12)
    # τ_23 = 2 acc − 1 is highest where the accuracy is. By system two thresholds do equally well,
    # and there it is rounding noise that decides between them; we take the smaller.
    same = TIES["expected"][f"23_{averaging}"]
    smaller = min(expected["epsilon"], same["epsilon"])
    np.testing.assert_allclose(found.epsilon, smaller, rtol=1e-12)
    assert found.groups == {"none": 1, "item": 15, "sys": 5}[averaging]


@pytest.mark.parametrize("metric", ["metric1", "metric2"])
def test_scores_without_ties_need_no_threshold(metric):
    found = pairwise_accuracy(np.array(META["gold"]), np.array(META[metric]), ITEM)
    expected = EXPECTED["item"][metric]
    np.testing.assert_allclose(found.plain, expected["acc23_eps0"], rtol=1e-12)
    np.testing.assert_allclose(found.accuracy, expected["acc_eq_opt"], rtol=1e-12)
    assert found.epsilon == expected["acc_eq_eps"]


def slow_accuracy(human, metric, group, epsilon):
    shares = []
    for one in set(group):
        rows = [row for row, other in enumerate(group) if other == one]
        right = [
            np.sign(human[i] - human[j])
            == (0 if abs(metric[i] - metric[j]) <= epsilon else np.sign(metric[i] - metric[j]))
            for i, j in combinations(rows, 2)
        ]
        shares += [np.mean(right)] if right else []
    return np.mean(shares) if shares else np.nan


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 2)), max_size=14))
def test_no_threshold_does_better(rows):
    human, metric, group = np.array(rows, float).reshape(-1, 3).T
    found = pairwise_accuracy(human, metric, group.astype(int))
    np.testing.assert_allclose(found.plain, slow_accuracy(human, metric, group, 0))
    best = max((slow_accuracy(human, metric, group, gap) for gap in range(13)), default=np.nan)
    np.testing.assert_allclose(found.accuracy, best)
    if found.pairs:
        np.testing.assert_allclose(
            slow_accuracy(human, metric, group, found.epsilon), found.accuracy
        )


def test_of_many_pairs_some_are_drawn():
    rng = np.random.default_rng(0)
    human = rng.integers(0, 20, 400).astype(float)
    metric = human + rng.normal(0, 8, 400)
    group = rng.integers(0, 4, 400)
    whole = pairwise_accuracy(human, metric, group)
    some = pairwise_accuracy(human, metric, group, rng=rng, max_pairs=10_000)
    assert some.pairs == 10_000 < whole.pairs
    assert some.plain == pytest.approx(whole.plain, abs=0.02)
    assert some.accuracy == pytest.approx(whole.accuracy, abs=0.02)
    with pytest.raises(ValueError, match="rng"):
        pairwise_accuracy(human, metric, max_pairs=10)


def test_missing_scores_make_no_pairs():
    human, metric = np.array([1.0, np.nan, 2, 3]), np.array([1.0, 2, np.inf, 3])
    assert pairwise_accuracy(human, metric).pairs == 1
    assert np.isnan(pairwise_accuracy(human, metric, np.arange(4)).accuracy)


def soft(metrics, draws, keep=slice(None), seed=0):
    return soft_pairwise_accuracy(
        np.array(META["gold"])[keep],
        np.column_stack([META[name] for name in metrics])[keep],
        ITEM[keep],
        SYSTEM[keep],
        rng=np.random.default_rng(seed),
        draws=draws,
    )


def test_all_flips_give_the_enumerated_soft_accuracy():
    found = soft(["metric1", "metric2"], draws=4096)
    expected = [EXPECTED["SPA"][f"metric{number}_exact_enumeration"] for number in (1, 2)]
    assert found.exact
    assert found.pairs.tolist() == [6, 6]
    np.testing.assert_allclose(found.accuracy, expected, rtol=1e-12)


def test_drawn_flips_come_near_it():
    found = soft(["metric1", "metric2"], draws=1000)
    expected = [EXPECTED["SPA"][f"metric{number}_exact_enumeration"] for number in (1, 2)]
    assert not found.exact
    np.testing.assert_allclose(found.accuracy, expected, atol=0.02)


def test_the_unit_of_a_metric_does_not_matter(monkeypatch):
    expected = soft(["metric1"], draws=4096).accuracy
    for unit in (1e-15, 1e15):
        monkeypatch.setitem(META, "metric1", [score * unit for score in META["metric1"]])
        np.testing.assert_array_equal(soft(["metric1"], draws=4096).accuracy, expected)
        monkeypatch.undo()


def test_the_human_scores_themselves_are_as_sure_as_people():
    assert soft(["gold"], draws=50).accuracy.tolist() == [1]


def test_systems_are_compared_on_the_videos_both_have():
    some = soft(["metric1"], draws=4096, keep=np.flatnonzero((SYSTEM > 0) | (ITEM > 3)))
    pair = soft(["metric1"], draws=4096, keep=np.flatnonzero((SYSTEM < 2) & (ITEM > 3)))
    alone = soft(["metric1"], draws=4096, keep=np.flatnonzero(SYSTEM == 1))
    assert some.pairs.tolist() == [6]
    assert pair.draws == 256
    assert np.isnan(alone.accuracy).all()
