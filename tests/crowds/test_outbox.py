"""Every outward act is done once, whatever is interrupted, lost or unclear."""

from __future__ import annotations

import contextlib
import datetime as dt
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from crowds.gateway import Facts, PermanentFault, TransientFault, UnclearOutcome
from crowds.models import LedgerEntry, OutboxMessage, Publication, Submission
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import (
    CLAIM_LAPSES,
    claims_lapse,
    crowds_waiting,
    outbox_due,
    outbox_retry,
    outbox_run,
    outbox_settle,
    outbox_write,
)
from crowds.services.reviews import submission_bonus, submissions_pay
from daplatform.errors import DomainError
from tests.crowd import launch, work
from tests.crowds.crowd_people import finish

SOON = dt.timedelta(hours=1)


def run_all(market, times: int = 6) -> None:
    """Let time pass and workers work, as beat would."""
    for step in range(times):
        now = timezone.now() + step * SOON
        claims_lapse(now=now)
        outbox_run(crowd="mturk", now=now)


class Killed(BaseException):
    """A worker that dies at once, as by kill -9: nothing catches this."""


# A transient fault promises that nothing was done.
@pytest.mark.parametrize(
    ("when", "fault"),
    [("before", TransientFault), ("before", UnclearOutcome), ("after", UnclearOutcome)],
)
def test_a_publication_is_made_once_whatever_the_answer(campaign, market, when, fault):
    launch(campaign)
    market.break_next("publish", when, fault("The line went dead."))
    run_all(market)
    assert len(market.out) == 1
    assert OutboxMessage.objects.get().state == "done"
    assert Publication.objects.get().status == "open"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_killed_in_the_middle_publishes_nothing_twice(campaign, market, when):
    launch(campaign)
    market.break_next("publish", when, Killed())
    with pytest.raises(Killed):
        outbox_run(crowd="mturk")
    assert OutboxMessage.objects.get().state == "claimed"
    run_all(market)
    assert len(market.out) == 1
    assert OutboxMessage.objects.get().state == "done"


def test_a_claim_is_left_alone_while_its_worker_may_live(campaign, market):
    launch(campaign)
    market.break_next("publish", "before", Killed())
    with pytest.raises(Killed):
        outbox_run(crowd="mturk")
    assert claims_lapse(now=timezone.now() + CLAIM_LAPSES / 2) == 0
    assert outbox_run(crowd="mturk") == 0


def test_a_look_up_that_fails_does_not_lead_to_a_second_try(campaign, market):
    launch(campaign)
    market.break_next("publish", "after", UnclearOutcome("The line went dead."))
    market.break_next("find", "before", TransientFault("Busy."))
    outbox_run(crowd="mturk")
    outbox_run(crowd="mturk", now=timezone.now() + SOON)
    assert OutboxMessage.objects.get().state == "unclear"
    assert market.calls["publish"] == 1
    run_all(market)
    assert (market.calls["publish"], OutboxMessage.objects.get().state) == (1, "done")


def test_a_look_up_that_is_refused_decides_nothing(campaign, market):
    """A key that was changed meanwhile: what may be out there is neither freed nor forgotten."""
    launch(campaign)
    market.break_next("publish", "after", UnclearOutcome("The line went dead."))
    market.break_next("find", "before", PermanentFault("The credentials were refused."))
    run_all(market)
    message = OutboxMessage.objects.get()
    assert (message.state, message.error) == ("asking", "The credentials were refused.")
    assert campaign_sums(campaign).outstanding > 0
    outbox_retry(message=message, by=campaign.owner)
    run_all(market)
    assert (len(market.out), Publication.objects.get().status) == (1, "open")


def test_trying_again_waits_longer_every_time_and_as_long_as_asked(campaign, market):
    launch(campaign)
    now, waits = timezone.now(), []
    for attempt in range(4):
        asked = 3000 if attempt == 3 else None
        market.break_next("publish", "before", TransientFault("Busy.", retry_after=asked))
        outbox_run(crowd="mturk", now=now + attempt * SOON)
        waits.append(OutboxMessage.objects.get().next_try_at - now - attempt * SOON)
    assert waits[0] < waits[1] < waits[2]
    assert waits[3] == dt.timedelta(seconds=3000)


def test_the_same_wish_cannot_be_written_twice(campaign, market):
    for _ in range(2):
        outbox_write(
            campaign=campaign, crowd="mturk", kind=OutboxMessage.Kind.CLOSE, occasion="this"
        )
    assert OutboxMessage.objects.count() == 1
    with pytest.raises(IntegrityError), transaction.atomic():
        OutboxMessage.objects.create(
            campaign=campaign, crowd="mturk", kind="close", occasion="this"
        )


def test_a_missing_setting_is_said_and_nothing_is_lost(campaign, market, monkeypatch):
    launch(campaign)

    def refuse(**_):
        raise PermanentFault("Set the key first.")

    monkeypatch.setattr("tests.crowd.connect", refuse)
    assert outbox_run(crowd="mturk") == 0
    message = OutboxMessage.objects.get()
    assert (message.state, message.error, message.attempts) == ("waiting", "Set the key first.", 0)


def test_the_sweep_knows_which_crowds_wait(campaign, market):
    assert crowds_waiting() == []
    launch(campaign)
    assert crowds_waiting() == ["mturk"]


@pytest.fixture
def submission(campaign, market):
    """Finished work, published, rated and handed in."""
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", campaign.batches.get().hits.get(), "W1")
    work(made, market)
    return Submission.objects.get()


def pay(submission: Submission, by=None) -> None:
    campaign = submission.publication.launch.batch.campaign
    submissions_pay(campaign=campaign, submissions=[submission], by=by)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("fault", [UnclearOutcome("Lost."), Killed()])
def test_somebody_is_paid_once_whatever_happens(campaign, market, submission, when, fault):
    pay(submission)
    pay(submission)
    market.break_next("approve", when, fault)
    with contextlib.suppress(Killed):
        outbox_run(crowd="mturk")
    run_all(market)
    assert market.spent == campaign_sums(campaign).spent == Decimal("1.19")
    assert LedgerEntry.objects.filter(kind="paid").count() == 1


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("fault", [UnclearOutcome("Lost."), Killed()])
def test_a_bonus_is_paid_once_whatever_happens(campaign, market, submission, when, fault):
    give_bonus(campaign, submission)
    give_bonus(campaign, submission)  # a double click
    market.break_next("bonus", when, fault)
    with contextlib.suppress(Killed):
        outbox_run(crowd="mturk")
    run_all(market)
    assert len(market.bonuses) == 1
    assert campaign_sums(campaign).bonus == Decimal("0.50")
    assert market.spent == campaign_sums(campaign).spent == Decimal("0.60")


def give_bonus(campaign, submission) -> None:
    submission_bonus(
        campaign=campaign,
        submission=submission,
        amount=Decimal("0.50"),
        reason="Very careful work.",
        once="1",
        by=campaign.owner,
    )


def test_a_bonus_nobody_can_look_up_waits_for_a_person(campaign, market, submission):
    market.tells_bonuses = False
    give_bonus(campaign, submission)
    market.break_next("bonus", "after", UnclearOutcome("Lost."))
    run_all(market)
    message = OutboxMessage.objects.get(kind="bonus")
    assert message.state == "asking"
    assert len(market.bonuses) == 1
    outbox_settle(message=message, was_done=True, by=campaign.owner)
    assert campaign_sums(campaign).bonus == Decimal("0.50")
    with pytest.raises(DomainError, match="no longer needs"):
        outbox_settle(message=message, was_done=False, by=campaign.owner)


def test_a_bonus_that_was_not_paid_after_all_is_released(campaign, market, submission):
    market.tells_bonuses = False
    give_bonus(campaign, submission)
    market.break_next("bonus", "before", UnclearOutcome("Lost."))
    run_all(market)
    before = campaign_sums(campaign).total
    outbox_settle(
        message=OutboxMessage.objects.get(kind="bonus"), was_done=False, by=campaign.owner
    )
    assert before - campaign_sums(campaign).total == Decimal("0.60")


def test_what_a_crowd_is_told_keeps_no_name_of_a_person(campaign, market, submission):
    give_bonus(campaign, submission)
    assert submission.annotator.identity.external_id not in str(
        OutboxMessage.objects.get(kind="bonus").payload
    )


def test_a_person_can_have_it_tried_again(campaign, market, submission):
    market.tells_bonuses = False
    give_bonus(campaign, submission)
    market.break_next("bonus", "before", UnclearOutcome("Lost."))
    run_all(market)
    market.tells_bonuses = True
    outbox_retry(message=OutboxMessage.objects.get(kind="bonus"), by=campaign.owner)
    run_all(market)
    assert len(market.bonuses) == 1
    with pytest.raises(DomainError, match="cannot be retried"):
        outbox_retry(message=OutboxMessage.objects.get(kind="bonus"), by=campaign.owner)


def test_approvals_go_in_one_call_where_the_crowd_takes_many(campaign, market):
    campaign.assignments = 5
    campaign.save()
    market.facts = Facts(name="mturk", label="Bulk", approvals_per_call=3)
    made = launch(campaign)
    work(made, market)
    hit = campaign.batches.get().hits.get()
    for person in range(5):
        finish(market, "P1", hit, f"W{person}")
    work(made, market)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    outbox_run(crowd="mturk")
    assert market.calls["approve"] == 2
    assert LedgerEntry.objects.filter(kind="paid").count() == 5


def test_one_that_cannot_be_approved_does_not_hold_up_the_others(campaign, market):
    campaign.assignments = 3
    campaign.save()
    market.facts = Facts(name="mturk", label="Bulk", approvals_per_call=3)
    made = launch(campaign)
    work(made, market)
    hit = campaign.batches.get().hits.get()
    names = [finish(market, "P1", hit, f"W{person}") for person in range(3)]
    work(made, market)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    del market.turns[names[1]]
    market.submit("P1", "W1", names[1])
    market.turn(names[1], market.turns[names[0]].status.RETURNED)
    outbox_run(crowd="mturk")
    approvals = OutboxMessage.objects.filter(kind="approve")
    assert sorted(approvals.values_list("state", flat=True)) == ["done", "done", "failed"]
    assert LedgerEntry.objects.filter(kind="paid").count() == 2


def test_nothing_of_a_posting_is_tried_before_it_is_published(campaign, market, submission):
    pay(submission)
    OutboxMessage.objects.filter(kind="publish").update(state="waiting", ended_at=None)
    kinds = set(outbox_due(timezone.now()).values_list("kind", flat=True))
    assert kinds == {"publish"}


def test_a_refused_approval_can_be_tried_again(campaign, market, submission):
    pay(submission)
    market.break_next("approve", "before", PermanentFault("Not now."))
    outbox_run(crowd="mturk")
    message = OutboxMessage.objects.get(kind="approve")
    assert (message.state, message.error) == ("failed", "Not now.")
    outbox_retry(message=message, by=campaign.owner)
    run_all(market)
    assert campaign_sums(campaign).spent == market.spent == Decimal("1.19")
