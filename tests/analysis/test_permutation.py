"""Golden values: PERM-BOTH over all 1,024 exchanges, enumerated in Python (data/golden/meta)."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from analysis.stats.adjust import holm
from analysis.stats.correlation import correlations, correlations_by_group
from analysis.stats.exchanges import Exchanges
from analysis.stats.permutation import permutation_test, permutation_test_by_item

GOLDEN = Path(__file__).parents[1] / "data" / "golden" / "meta"
SYSTEMS = json.loads((GOLDEN / "system_level.json").read_text())
EXPECTED = json.loads((GOLDEN / "expected_python.json").read_text())["PERM_BOTH_system_level"]


def rng(seed=0):
    return np.random.default_rng(seed)


def campaign(seed, videos=6, systems=4, metrics=3):
    """Human and metric scores with a difficulty that captions of one video share."""
    chance = rng(seed)
    video = np.repeat(np.arange(videos), systems)
    human = chance.normal(size=videos)[video] + chance.normal(size=len(video))
    return human, human[:, None] + chance.normal(size=(len(video), metrics)), video


def slow_p(human, metrics, video, coefficient):
    """ "Metric 0 correlates more than metric 1" by writing out every way of exchanging videos."""
    z = (metrics - metrics.mean(axis=0)) / metrics.std(axis=0)
    r = correlations(human, z).of(coefficient)
    z, delta, reached = z * np.sign(r), abs(r[0]) - abs(r[1]), 0
    ways = list(product([False, True], repeat=video.max() + 1))
    for way in ways:
        here = np.array(way)[video][:, None]
        r = correlations(human, np.where(here, z[:, [1, 0]], z[:, [0, 1]])).of(coefficient)
        reached += r[0] - r[1] >= delta - 1e-12
    return reached / len(ways)


@pytest.mark.parametrize(
    ("coefficient", "name"), [("pearson", "pearson"), ("kendall_b", "kendall")]
)
def test_it_gives_the_enumerated_p(coefficient, name):
    metrics = np.column_stack([SYSTEMS["metric1"], SYSTEMS["metric2"]])
    found = permutation_test(
        np.array(SYSTEMS["gold"]),
        metrics,
        np.arange(10),
        coefficient=coefficient,
        rng=rng(),
        draws=1024,
    )
    assert found.exact
    assert found.p[0, 1] == EXPECTED[name]["p_exact_1024"]
    np.testing.assert_allclose(found.delta[0, 1], EXPECTED[name]["delta_m1_minus_m2"], rtol=1e-12)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall_b", "kendall_c"])
def test_whole_videos_are_exchanged(coefficient):
    human, metrics, video = campaign(1)
    metrics[:, 1] *= -1
    found = permutation_test(human, metrics, video, coefficient=coefficient, rng=rng(), draws=64)
    assert found.exact
    assert found.flipped.tolist() == [False, True, False]
    assert found.p[0, 1] == slow_p(human, metrics, video, coefficient)


def test_draws_come_near_the_enumerated_p():
    human, metrics, video = campaign(2, videos=10)
    exact = permutation_test(human, metrics, video, rng=rng(), draws=1024)
    drawn = permutation_test(human, metrics, video, rng=rng(), draws=1023)
    assert (exact.exact, drawn.exact) == (True, False)
    np.testing.assert_allclose(drawn.p, exact.p, atol=0.06)


def test_large_campaigns_correlate_draw_by_draw_with_the_same_result(monkeypatch):
    human, metrics, video = campaign(3)
    few = permutation_test(human, metrics, video, coefficient="kendall_b", rng=rng(), draws=40)
    monkeypatch.setattr("analysis.stats.permutation._FEW", 0)
    many = permutation_test(human, metrics, video, coefficient="kendall_b", rng=rng(), draws=40)
    np.testing.assert_array_equal(few.p, many.p)


def test_by_item_the_two_coefficients_of_an_item_change_places():
    human, metrics, video = campaign(4, systems=5)
    found = permutation_test_by_item(human, metrics, video, rng=rng(), draws=64)
    taus = correlations_by_group(human, metrics, video, 6).kendall_b
    differences = taus[:, 0] - taus[:, 1]
    ways = np.array(list(product([1, -1], repeat=6)))
    null = ways @ differences / 6
    assert found.p[0, 1] == np.mean(null >= differences.mean() - 1e-12)
    np.testing.assert_allclose(found.delta[0, 1], differences.mean())


def test_an_item_counts_for_the_metrics_it_has_a_coefficient_for():
    human, metrics, video = campaign(5, videos=5, systems=4)
    metrics[video == 2, 1] = 0.5
    found = permutation_test_by_item(human, metrics, video, rng=rng(), draws=32)
    means = correlations_by_group(human, metrics, video, 5).means()
    assert means.n.tolist() == [5, 4, 5]
    np.testing.assert_allclose(found.delta[0, 1], means.kendall_b[0] - means.kendall_b[1])
    assert np.isfinite(found.p[0, 1])


def test_both_directions_share_their_draws_and_are_adjusted_together():
    human, metrics, video = campaign(6, videos=30)
    found = permutation_test(human, metrics, video, rng=rng(), draws=99)
    assert ((found.p + found.p.T)[~np.eye(3, dtype=bool)] >= 1).all()
    np.testing.assert_array_equal(found.delta, -found.delta.T)
    np.testing.assert_array_equal(found.p_holm, holm(found.p))
    assert np.nanmin(found.p) >= 1 / 100


def test_a_constant_metric_has_no_p_and_missing_captions_count_for_none():
    human, metrics, video = campaign(7)
    metrics[:, 2] = 0.1
    metrics[0, 1] = np.nan
    found = permutation_test(human, metrics, video, rng=rng(), draws=64)
    expected = permutation_test(human[1:], metrics[1:], video[1:], rng=rng(), draws=64)
    assert np.isnan(found.p[2]).all()
    np.testing.assert_array_equal(found.p, expected.p)


def test_the_same_metric_twice_is_never_better():
    human, metrics, video = campaign(8, videos=20)
    twice = metrics[:, [0, 0]] * [1, 3] + [0, 5]
    found = permutation_test(human, twice, video, rng=rng(), draws=99)
    assert found.p[0, 1] == found.p[1, 0] == 1


def pair_swapping_p(human, metrics, video, chance, draws):
    """The common form: every pair of systems of every video is exchanged by itself."""
    differences = []
    for one in range(video.max() + 1):
        y, x = human[video == one], metrics[video == one]
        for i, j in combinations(range(len(y)), 2):
            right = np.sign(x[i] - x[j]) == np.sign(y[i] - y[j])
            differences.append(int(right[0]) - int(right[1]))
    null = Exchanges.of(len(differences), draws).sums(np.array(differences, float)[:, None], chance)
    return (np.sum(null >= sum(differences)) + 1) / (draws + 1)


def test_whole_items_hold_the_level_where_pairs_do_not():
    chance, trials, draws = rng(9), 200, 99
    found = np.empty((trials, 2))
    for trial in range(trials):
        human, metrics, video = campaign(1000 + trial, videos=8, systems=20, metrics=2)
        whole = permutation_test_by_item(human, metrics, video, rng=chance, draws=draws)
        found[trial] = whole.p[0, 1], pair_swapping_p(human, metrics, video, chance, draws)
    errors = np.mean(found <= 0.05, axis=0)
    assert errors[0] < 0.08  # three standard errors above .05 would be .096
    assert errors[1] > 0.15


def test_exchanges_are_fair_and_drawn_anew_for_every_part():
    exchanges = Exchanges.of(10_000, 50)
    taken = np.hstack([part for _, part in exchanges.taken(rng())])
    assert taken.shape == (50, 10_000)
    assert set(np.unique(taken)) == {0, 1}
    assert abs(taken.mean() - 0.5) < 0.005
    assert len(np.unique(taken, axis=0)) == 50
    values = rng(1).normal(size=(10_000, 200))
    np.testing.assert_allclose(exchanges.sums(values, rng()), (1.0 - 2 * taken) @ values)


@pytest.mark.parametrize("test", [permutation_test, permutation_test_by_item])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall_b"])
def test_nothing_in_common_has_no_p(test, coefficient):
    human, metrics, video = campaign(1)
    found = test(human * np.nan, metrics, video, rng=rng(), coefficient=coefficient, draws=5)
    assert np.isnan(found.p).all()


def test_it_refuses_no_draws():
    with pytest.raises(ValueError, match="draws"):
        permutation_test(*campaign(0), rng=rng(), draws=0)
