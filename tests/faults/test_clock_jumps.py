"""The server's clock jumps by an hour, either way, while people work and crowds are told."""

from __future__ import annotations

import contextlib
import datetime as dt

import pytest
import time_machine
from django.utils import timezone

from annotations.models import Assignment, Rating
from annotations.tasks import assignments_expire_task
from crowds.gateway import TransientFault
from crowds.models import OutboxMessage
from crowds.registry import MODULES
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import claims_lapse, outbox_run
from daplatform.verification import INVARIANTS
from tests.annotations.person import Person, invite, link
from tests.crowd import Marketplace, launch, work
from tests.crowds.crowd_people import finish
from tests.crowds.test_crowd_machine import FAULTS
from tests.crowds.test_outbox import Killed, pay
from tests.factories import make_campaign, make_hit

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
NOON = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
either_way = pytest.mark.parametrize("jump", [HOUR, -HOUR], ids=["ahead", "back"])


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture
def campaign(clock):
    campaign = make_campaign(assignments=2, minutes_allowed=180)
    make_hit(campaign)
    return campaign


@pytest.fixture
def market(monkeypatch, settings, tmp_path) -> Marketplace:
    settings.DATA_DIR = tmp_path
    marketplace = Marketplace()
    monkeypatch.setattr("tests.crowd.MARKET", marketplace)
    monkeypatch.setitem(MODULES, "mturk", "tests.crowd")
    return marketplace


def assert_nothing_is_amiss() -> None:
    assert [each.sentence for each in INVARIANTS if list(each.broken())] == []


@either_way
def test_no_rating_is_refused_or_lost(campaign, clock, jump):
    """Receipts and links that seem to come from the future, or from long ago, still hold."""
    anna = Person(link(invite(campaign)))
    for position in range(6):
        if position in (2, 4):
            clock.shift(jump if position == 2 else -2 * jump)
            assignments_expire_task()
            assert anna.reload()["done"] == position
        assert anna.save(position, 10 * position).status_code == 200
    assert anna.submit().status_code == 200
    scores = Rating.objects.order_by("position").values_list("score", flat=True)
    assert list(scores) == [0, 10, 20, 30, 40, 50]
    assert_nothing_is_amiss()


@either_way
def test_a_rating_sent_again_after_the_jump_is_the_same_rating(campaign, clock, jump):
    anna = Person(link(invite(campaign)))
    key = "6dd3d4a8-2f8c-4a4e-9c5f-0d2c31a4f001"
    assert anna.save(0, 70, key=key).json()["revision"] == 1
    clock.shift(jump)
    assert anna.save(0, 70, key=key).json()["revision"] == 1
    assert Rating.objects.count() == 1


def test_work_runs_out_when_its_time_has_come_by_the_clock_that_counts(campaign, clock):
    anna = Person(link(invite(campaign)))
    clock.shift(-HOUR)
    assignments_expire_task()
    assert anna.save(0).status_code == 200
    clock.shift(4 * HOUR)  # back to noon, and three hours of work
    assignments_expire_task()
    assert anna.save(1).status_code == 410
    assert Assignment.objects.get(annotator__isnull=False).state == "expired"
    assert_nothing_is_amiss()


@either_way
@pytest.mark.parametrize(("when", "fault"), FAULTS)
def test_nothing_is_told_twice_across_a_jump(campaign, clock, market, jump, when, fault):
    launch(campaign)
    market.break_next("publish", when, fault("Broken."))
    with contextlib.suppress(Killed):
        outbox_run(crowd="mturk")
    clock.shift(jump)
    for _ in range(8):
        clock.shift(HOUR / 4)
        claims_lapse()
        outbox_run(crowd="mturk")
    assert (len(market.out), OutboxMessage.objects.get().state) == (1, "done")


@either_way
def test_who_comes_before_and_after_is_paid_once(campaign, clock, market, jump):
    made = launch(campaign)
    work(made, market)
    hit = campaign.batches.get().hits.get()
    finish(market, "P1", hit, "W1")
    clock.shift(jump)
    finish(market, "P1", hit, "W2")
    work(made, market)
    for submission in made.publications.get().submissions.all():
        pay(submission)
    clock.shift(-jump)
    for _ in range(2 + abs(jump // HOUR)):
        outbox_run(crowd="mturk", now=timezone.now() + HOUR)
    assert campaign_sums(campaign).spent == market.spent == 2 * market.unit("P1")
    assert_nothing_is_amiss()


def test_an_act_that_waits_is_late_by_the_jump_and_no_more(campaign, clock, market):
    """Back by an hour, what was to be tried in five seconds is tried in an hour, and not lost."""
    launch(campaign)
    market.break_next("publish", "before", TransientFault("Busy."))
    outbox_run(crowd="mturk")
    clock.shift(-HOUR)
    assert outbox_run(crowd="mturk") == 0
    clock.shift(HOUR + dt.timedelta(seconds=6))
    assert outbox_run(crowd="mturk") == 1
    assert OutboxMessage.objects.get().state == "done"
