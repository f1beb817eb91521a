from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from hits.planning import (
    PASS_RATE_RECENT,
    campaign_cost,
    captions_per_hit,
    hits_needed,
    marketplace_fee,
    plan_campaign,
    scored_captions,
)
from hits.power import (
    Spread,
    captions_needed,
    detection_power,
    minimal_difference,
    power_curve,
)

counts = st.integers(1, 5000)


def test_a_hit_of_the_protocol_holds_seventy_fresh_captions():
    assert captions_per_hit(100, 10, 10) == 70


def test_the_last_hit_is_filled_up_rather_than_left_out():
    assert [hits_needed(n, 70) for n in (1, 70, 71)] == [1, 1, 2]


def test_redundancy_needs_as_many_different_hits_however_few_the_captions():
    assert hits_needed(10, 70, redundancy=15) == 15


def test_the_paper_paid_ninety_annotators_within_its_110_dollars():
    # direct-assessment-2018: 90 annotators, 0.99 USD per HIT plus 20 %, "110 USD in total".
    cost = campaign_cost(90, Decimal("0.99"), marketplace_fee(1))
    assert (cost.reward, cost.fee, cost.total) == (
        Decimal("89.10"),
        Decimal("17.82"),
        Decimal("106.92"),
    )


@pytest.mark.parametrize(("people", "fee"), [(1, "0.20"), (9, "0.20"), (10, "0.40"), (29, "0.40")])
def test_the_fee_doubles_from_ten_people_per_hit(people, fee):
    assert marketplace_fee(people) == Decimal(fee)


def test_the_fee_is_rounded_up_so_that_the_budget_is_never_exceeded():
    assert campaign_cost(1, Decimal("0.99"), Decimal("0.20")).fee == Decimal("0.20")


def test_the_pass_rate_of_the_paper_gives_its_ninety_people_for_seventy_two():
    plan = plan_campaign(captions=72 * 70, systems=6, pass_rate=0.8)
    assert (plan.hits, plan.assignments_needed, plan.annotators_needed) == (72, 90, 90)


def test_people_who_do_two_hits_each_halve_the_people_needed():
    plan = plan_campaign(captions=72 * 70, systems=6, pass_rate=0.8, hits_per_annotator=2)
    assert plan.annotators_needed == 45


def test_no_hit_can_have_more_assignments_than_there_are_people():
    plan = plan_campaign(captions=70, systems=1, assignments=15, hits_per_annotator=100)
    assert plan.annotators_needed == 15


def test_a_crowd_that_charges_nothing_costs_the_reward_alone():
    plan = plan_campaign(captions=140, systems=2, fee_rate=Decimal(0))
    assert plan.cost.total == plan.cost.reward == Decimal("1.98")


def test_a_low_pass_rate_makes_the_plan_dearer_and_blunter():
    strong = plan_campaign(captions=7000, systems=10)
    weak = plan_campaign(captions=7000, systems=10, pass_rate=PASS_RATE_RECENT)
    assert weak.cost == strong.cost
    assert weak.cost_with_replacements.total > strong.cost_with_replacements.total
    assert weak.minimal_difference > strong.minimal_difference


def test_the_curve_passes_through_the_plan_with_the_power_it_promises():
    plan = plan_campaign(captions=7000, systems=10, power=0.9)
    again = plan_campaign(captions=7000, systems=10, differences=[plan.minimal_difference])
    (at_plan,) = (point for point in again.power_curve if point.hits == plan.hits)
    assert at_plan.captions_per_system == pytest.approx(plan.captions_per_system) == 560
    assert at_plan.power == pytest.approx(0.9)


@settings(deadline=None, max_examples=50)
@given(captions=counts, systems=counts, redundancy=st.integers(1, 30), people=st.integers(1, 30))
def test_every_plan_holds_every_caption_as_often_as_asked(captions, systems, redundancy, people):
    plan = plan_campaign(
        captions=captions, systems=systems, redundancy=redundancy, assignments=people
    )
    places = plan.hits * plan.captions_per_hit
    assert places >= captions * redundancy
    assert plan.hits == redundancy or places - plan.captions_per_hit < captions * redundancy
    assert plan.ratings == plan.hits * people * 100
    assert plan.assignments_needed * Decimal("0.8") >= plan.assignments
    assert plan.cost.fee >= plan.cost.reward * marketplace_fee(people)


@settings(deadline=None, max_examples=50)
@given(ratings=st.integers(1, 40), rate=st.floats(0.01, 1))
def test_passing_ratings_are_neither_lost_nor_made_up(ratings, rate):
    scored, per_caption = scored_captions(ratings, rate)
    assert 0 < scored <= 1
    assert scored * per_caption == pytest.approx(ratings * rate)


@settings(deadline=None, max_examples=50)
@given(
    difference=st.floats(0.01, 2),
    variance=st.floats(0.01, 4),
    alpha=st.floats(0.001, 0.2),
    power=st.floats(0.3, 0.99),
)
def test_sample_size_difference_and_power_are_one_formula(difference, variance, alpha, power):
    captions = captions_needed(difference, variance, alpha=alpha, power=power)
    by_hand = (norm.isf(alpha) + norm.ppf(power)) ** 2 * 2 * variance / (0.955 * difference**2)
    assert captions == math.ceil(by_hand)
    assert minimal_difference(by_hand, variance, alpha=alpha, power=power) == pytest.approx(
        difference
    )
    assert detection_power(difference, by_hand, variance, alpha=alpha) == pytest.approx(power)


def test_the_rank_sum_test_itself_has_the_promised_power():
    rng = np.random.default_rng(2018)
    captions = captions_needed(0.3, 1.0, power=0.8)
    first, second = rng.normal(0.3, 1, (2000, captions)), rng.normal(0, 1, (2000, captions))
    p = mannwhitneyu(first, second, axis=1, alternative="greater", method="asymptotic").pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)


def test_more_ratings_of_a_caption_shrink_only_the_annotators_share():
    spread = Spread(sd=1, correlation=0.1, reliability=0.4)
    assert spread.variance(1) == pytest.approx(0.9)
    assert spread.variance(1e12) == pytest.approx(0.3)


def test_a_curve_has_one_line_per_difference():
    points = power_curve([1, 2], [0.1, 0.2], captions_per_hit=7.0, variance=0.8)
    assert [(p.difference, p.hits) for p in points] == [(0.1, 1), (0.1, 2), (0.2, 1), (0.2, 2)]
    assert points[0].power < points[1].power < points[3].power


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("captions", 0),
        ("systems", 0),
        ("redundancy", 0),
        ("assignments", 0),
        ("hits_per_annotator", 0),
        ("pass_rate", 0.0),
        ("pass_rate", math.nan),
        ("hit_size", 30),
        ("reward", Decimal("0.995")),
        ("reward", Decimal("-1")),
        ("fee_rate", Decimal("-0.1")),
        ("alpha", 0.0),
        ("power", 0.05),
    ],
)
def test_it_refuses_a_plan_that_makes_no_sense_and_names_the_argument(argument, value):
    with pytest.raises(ValueError, match=argument):
        plan_campaign(**{"captions": 700, "systems": 5, argument: value})


@pytest.mark.parametrize(
    "spread", [{"sd": 0}, {"reliability": 1.5}, {"correlation": 0.5}, {"correlation": -1}]
)
def test_it_refuses_an_impossible_spread(spread):
    with pytest.raises(ValueError, match=next(iter(spread))):
        Spread(**spread)
