from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.captions import CaptionScores, score_systems
from analysis.stats.ranking import rank_systems


def captions(*groups) -> CaptionScores:
    z = np.concatenate([np.array(group, dtype=float) for group in groups])
    system = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    item = np.concatenate([np.arange(len(group)) for group in groups])
    return CaptionScores(system, item, 50 + z, z, np.ones(len(z), np.int64))


def ranked(*groups):
    scores = captions(*groups)
    return rank_systems(scores, score_systems(scores, len(groups)))


def test_systems_that_differ_stand_in_clusters_of_their_own():
    ranking = ranked(range(20), range(100, 120), range(50, 70))
    assert ranking.order.tolist() == [1, 2, 0]
    assert ranking.wins.tolist() == [0, 2, 1]
    assert ranking.rank_low.tolist() == ranking.rank_high.tolist() == [3, 1, 2]


def test_a_boundary_needs_every_system_above_to_beat_every_system_below():
    # The best beats the last, but not the middle one, which nobody can tell from either.
    best, middle, last = np.arange(12) + 4.0, np.arange(12) + 2.0, np.arange(12) * 1.0
    ranking = ranked(best, middle, last)
    assert ranking.p[0, 2] < 0.05 < min(ranking.p[0, 1], ranking.p[1, 2])
    assert ranking.wins.tolist() == [1, 0, 0]
    assert ranking.rank_low.tolist() == [1, 1, 1]
    assert ranking.rank_high.tolist() == [3, 3, 3]
    # By itself the last cannot be first, nor the best last, though one cluster holds all.
    assert ranking.range_low.tolist() == [1, 1, 2]
    assert ranking.range_high.tolist() == [2, 3, 3]


def test_float_noise_does_not_break_ties():
    noise = np.arange(10) * 1e-15
    exact, noisy = ranked([1.0] * 10, [1.0] * 9 + [0.0]), ranked(1 + noise, [*(1 - noise)[:9], 0.0])
    np.testing.assert_array_equal(exact.p, noisy.p)


def test_a_system_without_captions_is_not_ranked():
    ranking = ranked([1, 2, 3], [], [4, 5, 6])
    assert ranking.order.tolist() == [2, 0]
    assert np.isnan(ranking.rank_low[1])
    assert ranking.wins[1] == 0


def test_adjusted_p_cover_all_ordered_pairs():
    ranking = ranked(range(20), range(100, 120), range(50, 70))
    smallest = np.nanmin(ranking.p)
    assert np.nanmin(ranking.p_holm) == pytest.approx(6 * smallest)


def test_it_refuses_a_level_outside_0_and_1():
    scores = captions([1, 2], [3, 4])
    with pytest.raises(ValueError, match="alpha"):
        rank_systems(scores, score_systems(scores, 2), alpha=5)
