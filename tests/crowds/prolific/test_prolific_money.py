"""Cents for rewards, dollars for bonuses; never the one for the other."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds.prolific.money import bonus_amount, cents, from_cents, hourly

sums = st.decimals(min_value="0.01", max_value="99999.99", places=2)


@given(sums)
def test_a_reward_survives_the_way_there_and_back(amount):
    assert from_cents(cents(amount)) == amount


@given(sums)
def test_a_bonus_is_a_hundredth_of_its_cents(amount):
    assert Decimal(bonus_amount(amount)) * 100 == cents(amount)


@given(sums)
def test_a_bonus_is_written_with_two_places(amount):
    assert bonus_amount(amount)[-3] == "."


@given(sums, st.decimals(min_value="0.001", max_value="0.009", places=3))
def test_no_fraction_of_a_cent_is_lost_in_silence(amount, rest):
    for convert in (cents, bonus_amount):
        with pytest.raises(ValueError, match="whole cents"):
            convert(amount + rest)


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-0.01"])
def test_it_refuses_what_is_no_sum(amount):
    with pytest.raises(ValueError, match="amount"):
        cents(Decimal(amount))


@given(st.floats(min_value=0, max_value=1e7))
def test_a_cost_is_never_stated_too_low(figure):
    assert Decimal(str(figure)) / 100 <= from_cents(figure) < Decimal(str(figure)) / 100 + 1


@given(sums, st.integers(min_value=1, max_value=600))
def test_an_hour_s_pay_is_never_stated_too_high(amount, minutes):
    assert hourly(amount, minutes) * minutes <= amount * 60


def test_five_dollars_for_half_an_hour_are_ten_an_hour():
    assert hourly(Decimal("5.00"), 30) == Decimal("10.00")
