"""When the last rating may be expected, and the bars of the last day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.presenting.pace import HOUR, Pace, expected_finish, pace_chart

NOW = datetime(2026, 5, 1, 12, 20, tzinfo=UTC)


def test_the_finish_is_rounded_up_to_the_hour():
    finish = expected_finish(left=100, pace=Pace(10, 240, 24.0), now=NOW)
    assert finish.when == datetime(2026, 5, 1, 23, tzinfo=UTC)  # ten hours from 12:20
    assert finish.has_hour
    assert "as in the last 24 hours (10 ratings an hour)" in finish.sentence


def test_far_ahead_only_the_day_is_told():
    finish = expected_finish(left=1000, pace=Pace(10, 240, 24.0), now=NOW)
    assert finish.when == datetime(2026, 5, 6, tzinfo=UTC)  # a hundred hours: 5 May, 16:20
    assert not finish.has_hour


def test_a_pace_below_one_an_hour_is_told_in_words():
    finish = expected_finish(left=1, pace=Pace(0, 2, 24.0), now=NOW)
    assert "fewer than one rating an hour" in finish.sentence


@pytest.mark.parametrize(
    ("left", "pace", "sentence"),
    [(0, Pace(1, 1, 1.0), "ratings are in"), (5, Pace(0, 0, 0.0), "nobody has rated")],
)
def test_without_a_finish_it_says_why(left, pace, sentence):
    finish = expected_finish(left=left, pace=pace, now=NOW)
    assert finish.when is None
    assert sentence in finish.sentence


@given(left=st.integers(1, 10**6), ratings=st.integers(1, 10**5), hours=st.floats(1, 24))
def test_the_finish_never_lies_before_the_work_can_be_done(left, ratings, hours):
    finish = expected_finish(left=left, pace=Pace(0, ratings, hours), now=NOW)
    earliest = NOW + HOUR * (left * hours / ratings)
    assert finish.when is not None
    assert earliest - timedelta(seconds=1) <= finish.when <= earliest + timedelta(days=1, seconds=1)


def test_the_hour_under_way_stands_last():
    hour = NOW.replace(minute=0)
    chart = pace_chart({hour: 3, hour - 23 * HOUR: 2, hour - 24 * HOUR: 9}, now=NOW)
    assert [row["ratings"] for row in chart.rows] == [2, *[0] * 22, 3]
    assert (chart.rows[0]["hour"], chart.rows[-1]["hour"]) == ("13:00", "12:00")
    assert chart.spec["data"]["values"] == chart.rows
