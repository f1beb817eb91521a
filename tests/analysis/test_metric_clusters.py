from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.dependent import compare_metrics
from analysis.stats.metric_clusters import cluster_metrics


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
