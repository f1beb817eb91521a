from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from analysis.stats.dependent import compare_metrics
from analysis.stats.metric_clusters import cluster_metrics, significance_ranks
from analysis.stats.permutation import accuracy_test

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "meta" / "system_accuracy.json"


def test_clearly_better_metrics_stand_above_metrics_alike():
    rng = np.random.default_rng(0)
    human = rng.normal(size=800)
    metrics = human[:, None] + rng.normal(size=(800, 4)) * [3, 0.5, 3, 0.5]
    compared = compare_metrics(human, metrics)
    found = cluster_metrics(compared.r, compared.p_holm)
    assert found.rank_low.tolist() == [3, 1, 3, 1]
    assert found.rank_high.tolist() == [4, 2, 4, 2]
    assert found.wins.tolist() == [0, 2, 0, 2]
    assert (np.diff(compared.r[found.order]) <= 0).all()


def test_a_metric_without_a_correlation_is_not_ranked():
    rng = np.random.default_rng(1)
    metrics = np.column_stack([rng.normal(size=30), np.ones(30), rng.normal(size=30)])
    compared = compare_metrics(rng.normal(size=30), metrics)
    found = cluster_metrics(compared.r, compared.p_holm)
    assert sorted(found.order.tolist()) == [0, 2]
    assert np.isnan(found.rank_low[1])
    assert found.rank_high[[0, 2]].tolist() == [2, 2]


def test_it_refuses_a_level_that_is_none():
    with pytest.raises(ValueError, match="alpha"):
        cluster_metrics(np.ones(2), np.ones((2, 2)), alpha=5)


def test_accuracy_over_systems_its_test_and_ranks_are_mt_metrics_eval_s():
    """mt-metrics-eval's own code over all 512 exchanges; people and one metric have a tie."""
    golden = json.loads(GOLDEN.read_text())
    names, table = list(golden["metrics"]), np.column_stack(list(golden["metrics"].values()))
    rng = np.random.default_rng(0)
    found = accuracy_test(np.array(golden["gold"]), table, rng=rng, draws=512)
    assert found.exact
    accuracy = np.array([golden["accuracy"][name] for name in names])
    np.testing.assert_allclose(found.delta, accuracy[:, None] - accuracy, atol=1e-12)
    for pair, p in golden["p"].items():
        better, worse = map(names.index, pair.split())
        assert found.p[better, worse] == p
    ranks = significance_ranks(accuracy, found.p)
    assert dict(zip(names, ranks.tolist(), strict=True)) == golden["rank"]


def test_drawn_exchanges_come_near_all_of_them():
    golden = json.loads(GOLDEN.read_text())
    table = np.column_stack(list(golden["metrics"].values()))
    found = accuracy_test(np.array(golden["gold"]), table, rng=np.random.default_rng(1), draws=400)
    assert not found.exact
    assert found.p[0, 2] == pytest.approx(golden["p"]["metric1 metric3"], abs=0.03)


def test_one_system_orders_nothing():
    found = accuracy_test(np.ones(1), np.ones((1, 2)), rng=np.random.default_rng(1))
    assert np.isnan(found.p).all()
    assert np.isnan(significance_ranks(np.full(2, np.nan), found.p)).all()
