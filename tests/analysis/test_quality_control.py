from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.flags import Evidence, raise_flags
from analysis.stats.quality import check_quality
from analysis.stats.ratings import Ratings


def crowd(rows, **further) -> Ratings:
    """Ratings by one annotator "w" in one HIT, given as (system, item, kind, score)."""
    system, item, kind, score = zip(*rows, strict=True)
    columns = {"system": system, "item": item, "kind": kind, "score": score}
    fixed = {"annotator": ["w"] * len(rows), "hit": ["h"] * len(rows)}
    return Ratings.from_columns(fixed | {"seconds": [None] * len(rows)} | columns | further)


def pairs(differences, original=50):
    return [
        line
        for item, difference in enumerate(differences)
        for line in (
            ("Human-a", item, "reference", original),
            ("Human-a", item, "degraded", original + difference),
        )
    ]


def flags(ratings, evidence=None):
    return raise_flags(ratings, check_quality(ratings), evidence or Evidence())[0]


class TestVerdicts:
    def test_equal_differences_below_zero_pass_with_p_0(self):
        quality = check_quality(crowd(pairs([-20] * 10)))
        assert quality.pairs.p[0] == 0
        assert quality.status == ("passed",)

    def test_differences_all_zero_fail_with_p_undefined(self):
        quality = check_quality(crowd(pairs([0] * 10)))
        assert np.isnan(quality.pairs.p[0])
        assert quality.status == ("failed",)

    def test_the_wrong_direction_fails(self):
        assert check_quality(crowd(pairs([5, 10, 15] * 4))).status == ("failed",)

    @pytest.mark.parametrize(
        ("test", "differences", "status"),
        [
            ("t", [-20], "insufficient"),
            ("t", [-20, -21], "passed"),
            ("wilcoxon", [-20] * 4, "insufficient"),
            ("wilcoxon", [-20] * 5, "passed"),
        ],
    )
    def test_it_asks_for_no_more_pairs_than_the_test_needs(self, test, differences, status):
        assert check_quality(crowd(pairs(differences)), test=test).status == (status,)

    def test_fewer_pairs_than_a_campaign_asks_for_are_too_few_but_p_is_shown(self):
        quality = check_quality(crowd(pairs([-20, -30, -25] * 3)), minimum_pairs=10)
        assert quality.status == ("insufficient",)
        assert quality.pairs.p[0] < 0.05
        assert np.isnan(quality.deciding_p[0])
        assert check_quality(crowd(pairs([-20] * 9)), minimum_pairs=9).status == ("passed",)

    def test_an_annotator_without_pairs_is_insufficient_and_has_no_p(self):
        quality = check_quality(crowd([("A", 1, "system", 50)]))
        assert quality.status == ("insufficient",)
        assert np.isnan(quality.pairs.p[0])
        assert np.isnan(quality.repeat_distance[0])

    def test_the_signed_rank_test_judges_by_exact_p(self):
        quality = check_quality(crowd(pairs([-3, -2, -2, 1] + [0] * 6)), test="wilcoxon")
        assert quality.pairs.p[0] == 2 / 16
        assert quality.status == ("failed",)

    @pytest.mark.parametrize(
        "wrong", [{"test": "sign"}, {"alpha": 0}, {"alpha": 1.5}, {"minimum_pairs": -1}]
    )
    def test_it_refuses_a_choice_that_makes_no_sense(self, wrong):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            check_quality(crowd(pairs([-1] * 10)), **wrong)


class TestFlags:
    def test_good_work_raises_none(self):
        scores = [("A", item, "system", 30 + item) for item in range(10)]
        assert flags(crowd(scores + pairs([-65] * 10, original=90))) == ()

    def test_degraded_captions_rated_like_systems(self):
        rows = [("A", 1, "system", 50), ("R", 1, "reference", 90), ("R", 1, "degraded", 50)]
        assert flags(crowd(rows)) == ("scores",)

    def test_systems_rated_like_control_captions(self):
        rows = [("A", 1, "system", 90), ("R", 1, "reference", 90), ("R", 1, "degraded", 5)]
        assert flags(crowd(rows)) == ("scores",)

    def test_a_hit_timed_as_a_whole_and_done_in_under_three_seconds_a_caption(self):
        rows = [("A", item, "system", item) for item in range(100)]
        assert flags(crowd(rows, seconds=[299.0] * 100)) == ("time",)
        assert flags(crowd(rows, seconds=[300.0] * 100)) == ()

    def test_ratings_timed_one_by_one_are_added_up(self):
        rows = [("A", item, "system", item) for item in range(100)]
        assert flags(crowd(rows, seconds=[2.8, 3.0] * 50)) == ("time",)
        assert flags(crowd(rows, seconds=[2.9, 3.2] * 50)) == ()

    def test_time_is_shared_out_among_hits_open_at_once(self):
        rows = [("A", item, "system", item % 90) for item in range(200)]
        hits = {"hit": ["h1"] * 100 + ["h2"] * 100, "seconds": [500.0] * 200}
        apart = ["2026-01-01T10:00:00Z"] * 100 + ["2026-01-01T11:00:00Z"] * 100
        assert flags(crowd(rows, **hits, submitted_at=apart)) == ()
        together = ["2026-01-01T10:00:00Z"] * 200
        assert flags(crowd(rows, **hits, submitted_at=together)) == ("time",)

    def test_unknown_times_raise_no_flag(self):
        rows = [("A", item, "system", item) for item in range(100)]
        assert flags(crowd(rows, seconds=[None] * 100)) == ()

    def test_nine_equal_ratings_in_a_row(self):
        def shown(scores, positions):
            rows = [("A", item, "system", score) for item, score in enumerate(scores)]
            return flags(crowd(rows, position=positions))

        nine = [70] * 9 + [10, 20, 30]
        assert shown(nine, range(12)) == ("constant",)
        assert shown(nine, [*range(8), 10, 8, 9, 11]) == ()
        assert shown([70] * 8 + [10, 20, 30], range(11)) == ()

    def test_repeats_rated_lower_than_the_first_time(self):
        rows = [("A", item, "system", 50 + item) for item in range(40)]
        rows += [("A", item, "repeat", 50 + item - 2 - item % 2) for item in range(10)]
        assert flags(crowd(rows)) == ("repeats",)

    def test_repeats_as_far_off_as_any_two_ratings(self):
        rows = [("A", item, "system", 50 + 10 * (-1) ** item) for item in range(10)]
        rows += [("A", item, "repeat", 50 - 10 * (-1) ** item) for item in range(10)]
        assert flags(crowd(rows)) == ("repeats",)

    def test_earlier_rejections(self):
        assert flags(crowd([("A", 1, "system", 5)]), Evidence(rejected=["w"])) == ("rejected",)

    def test_a_rating_given_before_the_video_could_be_seen(self):
        rows = crowd([("A", 1, "system", 5), ("A", 2, "system", 6)])
        assert flags(rows, Evidence(unwatched=["w"])) == ("unwatched",)
        assert flags(rows, Evidence(unwatched=["somebody else"])) == ()
