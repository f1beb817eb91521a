"""Launching a batch: what it costs first, within the budget, and once."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import timezone

from annotations.models import Assignment
from crowds.gateway import Facts, PermanentFault, PublicationStatus, TransientFault
from crowds.models import (
    AuditEntry,
    ExternalId,
    Launch,
    LedgerEntry,
    OutboxMessage,
    Publication,
    Submission,
)
from crowds.registry import connect
from crowds.selectors.money import campaign_sums
from crowds.selectors.offering import (
    Choices,
    chunks_of,
    group_warnings,
    launch_estimate,
    people_warnings,
)
from crowds.selectors.overview import launch_rows
from crowds.services.launches import (
    batch_launch,
    launch_close,
    launch_pause,
    launch_publish_again,
    launch_resume,
    launches_open,
    policy_update,
)
from crowds.services.money import OverBudget
from crowds.services.outbox import outbox_run
from crowds.services.reviews import submissions_pay
from crowds.services.submissions import launch_sync
from daplatform.errors import DomainError
from hits.models import Hit
from tests.crowd import launch
from tests.crowds.crowd_people import arrive, rate
from tests.factories import make_campaign, make_hit

CHOICES = Choices(crowd="mturk", reward=Decimal("0.99"))


def test_the_estimate_says_what_it_costs_before_anything_is_sent(campaign, market):
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("5.00"))
    batch = campaign.batches.get()
    estimate = launch_estimate(batch=batch, choices=CHOICES, gateway=connect("mturk"))
    assert (estimate.hits, estimate.people, estimate.price.total) == (1, 1, Decimal("1.19"))
    assert estimate.with_replacements.total == Decimal("1.49")  # a fifth more than 1.19 / 0.8
    assert (estimate.left, estimate.obstacle) == (Decimal("5.00"), "")
    assert not market.calls["publish"]
    assert not Launch.objects.exists()


def test_the_estimate_says_why_it_cannot_be_launched(campaign, market):
    batch = campaign.batches.get()
    estimate = launch_estimate(batch=batch, choices=CHOICES, gateway=connect("mturk"))
    assert estimate.obstacle == "The budget is too small."
    batch.campaign.min_pairs = 50
    estimate = launch_estimate(batch=batch, choices=CHOICES, gateway=connect("mturk"))
    assert estimate.obstacle == "Nobody could pass quality control."
    assert "needs 50 pairs" in str(estimate.reach)


def test_the_estimate_warns_of_pay_below_what_the_crowd_asks_for(campaign, market):
    batch = campaign.batches.get()
    estimate = launch_estimate(batch=batch, choices=CHOICES, gateway=connect("mturk"))
    assert "an hour, less than the 8.00" in estimate.warnings[0]


def test_it_warns_where_the_same_people_cannot_judge_all_videos(campaign):
    campaign.protocol = "factuality"
    assert people_warnings(campaign, 1, "mturk") == ()  # one HIT is one person's
    assert people_warnings(campaign, 5, "invite") == ()
    [warning] = people_warnings(campaign, 5, "mturk")
    assert "by name instead" in warning
    campaign.max_hits_per_annotator = 4
    [warning] = people_warnings(campaign, 5, "invite")
    assert "more than 4 of these 5 HITs" in warning
    assert group_warnings(campaign, campaign.assignments) == ()
    [warning] = group_warnings(campaign, campaign.assignments + 1)
    assert f"but {campaign.assignments + 1} may join" in warning
    campaign.protocol = "direct"
    assert people_warnings(campaign, 5, "mturk") == group_warnings(campaign, 99) == ()


def test_a_launch_writes_down_what_it_wants_and_sends_nothing(campaign, market):
    made = launch(campaign)
    assert [message.kind for message in OutboxMessage.objects.all()] == ["publish"]
    assert campaign_sums(campaign).outstanding == Decimal("1.19")
    assert Assignment.objects.filter(state="open").count() == 1
    assert not market.calls["publish"]
    assert AuditEntry.objects.get(action="launched").person == made.launched_by


def test_a_worker_publishes_it_once(campaign, market):
    launch(campaign)
    outbox_run(crowd="mturk")
    outbox_run(crowd="mturk")
    assert market.calls["publish"] == 1
    publication = Publication.objects.get()
    assert publication.status == "open"
    assert ExternalId.objects.get(publication=publication).external_id == "P1"
    assert "/rate/enter/" in market.specs["P1"].places[0].url


def test_hits_for_many_people_are_cut_so_that_the_fee_stays_low():
    facts = Facts("mturk", "M", hits_per_publication=1, people_per_hit=9)
    chunks = list(chunks_of([1, 2], 15, facts))
    assert [(chunk.hits, chunk.people) for chunk in chunks] == [
        ((1,), 9),
        ((2,), 9),
        ((1,), 6),
        ((2,), 6),
    ]


def test_a_crowd_without_limits_takes_the_batch_at_once():
    [chunk] = chunks_of([1, 2, 3], 15, Facts("prolific", "P"))
    assert (chunk.hits, chunk.people) == ((1, 2, 3), 15)


def test_a_budget_smaller_than_one_hit_refuses_and_leaves_nothing_behind(campaign, market):
    with pytest.raises(OverBudget, match=r"1\.19"):
        launch(campaign, budget="1.18")
    assert not Launch.objects.exists()
    assert not LedgerEntry.objects.exists()
    assert not OutboxMessage.objects.exists()
    assert not Assignment.objects.exists()
    campaign.refresh_from_db()
    assert campaign.state == "draft"


def test_nothing_is_launched_that_the_crowd_would_refuse(campaign, market):
    market.break_next("check", "before", PermanentFault("The reward is too small."))
    with pytest.raises(PermanentFault, match="too small"):
        launch(campaign)
    assert not Launch.objects.exists()


def test_a_batch_is_launched_once(campaign, market):
    launch(campaign)
    with pytest.raises(DomainError, match="already been launched"):
        launch(campaign)
    assert Publication.objects.count() == 1


def test_a_batch_that_invited_people_rate_is_not_for_a_crowd(campaign, anna, market):
    with pytest.raises(DomainError, match="Invited people have started"):
        launch(campaign)


def test_invited_people_do_not_take_the_crowds_places(campaign, market, client_of):
    launch(campaign)
    hit = campaign.batches.get().hits.get()
    with pytest.raises(DomainError, match="nothing to rate yet"):
        arrive(hit, "Anna", "", crowd="invite")
    assert arrive(hit, "W1", "A1").state == "active"


def test_a_launch_in_another_currency_is_refused(campaign, market):
    launch(campaign)
    make_hit(campaign)
    market.facts = Facts(name="mturk", label="Testing crowd", currency="EUR")
    with pytest.raises(DomainError, match="another currency"):
        launch(campaign)


def test_pausing_and_resuming_reach_the_crowd_in_order(campaign, market):
    made = launch(campaign)
    launch_pause(launch=made, by=campaign.owner)
    launch_resume(launch=made, by=campaign.owner)
    launch_pause(launch=made, by=campaign.owner)
    outbox_run(crowd="mturk")
    assert market.out["P1"].status == PublicationStatus.EXPIRED
    assert market.calls["publish"] == 1
    assert market.calls["expire"] == 2
    assert Publication.objects.get().status == "expired"


def test_closing_releases_what_nobody_earned(campaign, market):
    made = launch(campaign)
    outbox_run(crowd="mturk")
    launch_close(launch=made, by=campaign.owner)
    outbox_run(crowd="mturk")
    assert market.out["P1"].status == PublicationStatus.CLOSED
    sums = campaign_sums(campaign)
    assert (sums.outstanding, sums.spent) == (Decimal("0.00"), Decimal("0.00"))
    launch_close(launch=made, by=campaign.owner)
    assert OutboxMessage.objects.filter(kind="close").count() == 1


def test_somebody_at_work_when_a_launch_is_closed_is_paid_like_everybody(campaign, market):
    made, hit = launch(campaign), campaign.batches.get().hits.get()
    outbox_run(crowd="mturk")
    turn = arrive(hit, "ada", "P1-ada")
    launch_close(launch=made, by=campaign.owner)
    for _ in range(60):
        market.break_next("close", "before", TransientFault("Somebody is at work."))
    for hours in range(60):
        outbox_run(crowd="mturk", now=timezone.now() + dt.timedelta(hours=hours))
    rate(turn)
    market.submit("P1", "ada", "P1-ada")
    assert [each.pk for each in launches_open()] == [made.pk]
    launch_sync(launch=made)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    market.faults.clear()
    outbox_run(crowd="mturk", now=timezone.now() + dt.timedelta(hours=72))
    assert list(launches_open()) == []
    sums = campaign_sums(campaign)
    assert (sums.spent, sums.outstanding) == (market.spent, Decimal("0.00"))
    assert market.spent > 0


def test_a_balance_that_covers_a_hit_but_not_the_launch_is_refused(campaign, market):
    Hit.objects.create(batch=campaign.batches.get(), number=2)
    market.balance = Decimal("2.00")
    with pytest.raises(DomainError, match=r"costs 2\.38 USD, but .* has 2\.00"):
        launch(campaign)
    assert not OutboxMessage.objects.exists()


def test_a_launch_that_the_crowd_refuses_costs_nothing(campaign, market):
    launch(campaign)
    market.break_next("publish", "before", PermanentFault("No."))
    outbox_run(crowd="mturk")
    assert OutboxMessage.objects.get().error == "No."
    assert Publication.objects.get().status == "closed"
    assert campaign_sums(campaign).total == Decimal("0.00")


def test_what_the_crowd_refused_is_published_again_within_the_budget(campaign, market):
    made = launch(campaign, budget="2.00")
    market.break_next("publish", "before", PermanentFault("The account is empty."))
    outbox_run(crowd="mturk")
    assert launch_rows(campaign)[0].refused == 1
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("1.00"))
    with pytest.raises(OverBudget):
        launch_publish_again(launch=made, by=campaign.owner)
    assert Publication.objects.get().status == "closed"
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("2.00"))
    for _ in range(2):  # refused once more
        launch_publish_again(launch=made, by=campaign.owner)
        market.break_next("publish", "before", PermanentFault("The account is empty."))
        outbox_run(crowd="mturk")
        assert campaign_sums(campaign).total == Decimal("0.00")
    market.faults.clear()
    launch_publish_again(launch=made, by=campaign.owner)
    assert campaign_sums(campaign).outstanding == Decimal("1.19")
    outbox_run(crowd="mturk")
    assert (len(market.out), Publication.objects.get().status) == (1, "open")
    with pytest.raises(DomainError, match="was refused"):
        launch_publish_again(launch=made, by=campaign.owner)


def test_invitations_are_a_crowd_like_any_other(campaign, market):
    made = launch(campaign, crowd="invite")
    outbox_run(crowd="invite")
    assert Publication.objects.get().status == "open"
    assert campaign_sums(campaign).outstanding == Decimal("0.99")
    assert made.currency == "USD"


def test_there_is_no_such_crowd(db):
    campaign = make_campaign()
    make_hit(campaign)
    with pytest.raises(PermanentFault, match="no crowd called"):
        launch(campaign, crowd="nobody")


def test_what_has_no_hits_is_not_launched(campaign, market):
    batch = campaign.batches.get()
    batch.status = "waiting"
    batch.save()
    with pytest.raises(DomainError, match="no HITs yet"):
        batch_launch(batch=batch, choices=CHOICES, by=campaign.owner)
