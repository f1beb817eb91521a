"""Many at once, on PostgreSQL: the budget holds, nobody is paid or published twice."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotations.errors import NothingToTake
from annotations.models import Annotator, Assignment
from annotations.selectors.work import session_of
from annotations.services.assignments import assignment_return
from crowds.gateway import SubmissionStatus
from crowds.models import Launch, LedgerEntry, OutboxMessage, Publication, ReviewAction, Submission
from crowds.selectors.money import campaign_sums
from crowds.selectors.offering import Choices
from crowds.services.launches import batch_launch, policy_update
from crowds.services.money import OverBudget
from crowds.services.outbox import outbox_run
from crowds.services.review_action_kinds import ActionRequest
from crowds.services.review_actions import review_action_give, review_action_undo
from crowds.services.reviews import submissions_pay
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from daplatform.errors import DomainError
from daplatform.verification import hits_short_of_a_slot
from tests.crowd import launch, work
from tests.crowds.crowd_people import arrive, finish
from tests.factories import make_campaign, make_hit

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(count: int, message: Callable[[int], Any]) -> list[Any]:
    """What each of many threads gets, or the error it ran into."""

    def run(number: int) -> Any:
        try:
            return message(number)
        except (OverBudget, NothingToTake) as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def test_launches_at_once_never_pass_the_budget(market):
    campaign = make_campaign()
    batches = [make_hit(campaign).batch for _ in range(8)]
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("3.60"))
    choices = Choices(crowd="mturk", reward=Decimal("0.99"))
    results = at_once(
        8, lambda n: batch_launch(batch=batches[n], choices=choices, by=campaign.owner)
    )
    assert sum(isinstance(result, Launch) for result in results) == 3
    assert campaign_sums(campaign).total == Decimal("3.57")
    assert Publication.objects.count() == OutboxMessage.objects.count() == 3


def test_of_fifty_visitors_at_once_the_ten_whom_the_crowd_names_get_its_ten_places(market):
    campaign = make_campaign(assignments=10)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    at_once(50, lambda n: arrive(hit, f"W{n}", f"A{n}"))
    assert Assignment.objects.filter(state="active", slot=None).count() == 50
    for number in range(10):
        market.submit("P1", f"W{number}", f"A{number}")
    at_once(4, lambda _: launch_sync(launch=made))
    placed = Assignment.objects.filter(hit=hit, slot__isnull=False)
    assert set(placed.values_list("state", "slot")) == {("active", n) for n in range(1, 11)}


def test_who_gives_up_while_the_crowd_names_them_leaves_a_place_behind(market):
    campaign = make_campaign(assignments=10)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    turns = [arrive(hit, f"W{n}", f"A{n}") for n in range(10)]
    for number in range(10):
        market.submit("P1", f"W{number}", f"A{number}")

    def message(number: int) -> None:
        if number == 5:
            launch_sync(launch=made)
        else:
            assignment_return(session=session_of(turns[number]))

    at_once(10, message)
    launch_sync(launch=made)
    places = Assignment.objects.filter(hit=hit).exclude(state="returned")
    found = Counter(places.values_list("state", flat=True))
    assert found == {"active": 1, "open": 9}
    assert set(places.values_list("slot", flat=True)) == set(range(1, 11))
    assert not list(hits_short_of_a_slot())


def test_workers_at_once_tell_everything_once(market):
    campaign = make_campaign(assignments=8)
    hit = make_hit(campaign)
    made = launch(campaign)
    at_once(6, lambda _: outbox_run(crowd="mturk"))
    assert market.calls["publish"] == 1
    for person in range(8):
        finish(market, "P1", hit, f"W{person}")
    at_once(4, lambda _: launch_sync(launch=made))
    assert Submission.objects.count() == 8
    rows = list(Submission.objects.all())
    at_once(4, lambda _: submissions_pay(campaign=campaign, submissions=rows))
    at_once(6, lambda _: outbox_run(crowd="mturk"))
    assert market.calls["approve"] == 8
    assert LedgerEntry.objects.filter(kind="paid").count() == 8
    assert campaign_sums(campaign).spent == market.spent
    assert campaign_sums(campaign).outstanding == 0


def test_topping_up_at_once_asks_once(market):
    campaign = make_campaign(assignments=2)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", hit, "W1")
    work(made, market)
    Submission.objects.update(use=False)
    asked = at_once(6, lambda _: launch_top_up(launch=Launch.objects.get(pk=made.pk)).people)
    assert sorted(asked) == [0, 0, 0, 0, 0, 1]
    assert Assignment.objects.count() == 3


def approve(campaign, *, once: str = "1") -> ReviewAction:
    return review_action_give(
        campaign=campaign,
        annotators=list(Annotator.objects.select_related("identity")),
        asked=ActionRequest(kind=ReviewAction.Kind.APPROVE),
        once=once,
        by=campaign.owner,
    ).action


@pytest.fixture
def handed_in(market):
    """Eight people's work, waiting for a decision."""
    campaign = make_campaign(assignments=8)
    hit = make_hit(campaign)
    made = launch(campaign)
    work(made, market)
    for person in range(8):
        finish(market, "P1", hit, f"W{person}")
    work(made, market)
    return campaign


def test_an_order_sent_many_times_at_once_is_given_once(market, handed_in):
    review_actions = at_once(6, lambda _: approve(handed_in).pk)
    assert len(set(review_actions)) == ReviewAction.objects.count() == 1
    assert OutboxMessage.objects.filter(kind="approve").count() == 8


def test_what_is_undone_while_it_is_being_sent_is_either_undone_or_sent(market, handed_in):
    """Five workers and one regret: of every submission, all rows tell the same story."""
    action = approve(handed_in)
    later = timezone.now() + dt.timedelta(minutes=6)

    def message(number: int) -> None:
        if number:
            outbox_run(crowd="mturk", now=later)
        else:
            with contextlib.suppress(DomainError):
                review_action_undo(action=action, by=handed_in.owner)

    at_once(6, message)
    outbox_run(crowd="mturk", now=later)
    states = Counter(action.messages.values_list("state", flat=True))
    assert set(states) <= {"done", "undone"}
    assert market.calls["approve"] == states["done"]
    for each in action.messages.all():
        row = Submission.objects.get(pk=each.submission_id)
        is_sent = each.state == "done"
        assert row.pay == ("pay" if is_sent else "")
        assert row.assignment.state == ("approved" if is_sent else "submitted")
        assert (market.turns[row.external_id].status == SubmissionStatus.APPROVED) is is_sent
    assert campaign_sums(handed_in).spent == market.spent


def test_many_regrets_at_once_undo_once(market, handed_in):
    action = approve(handed_in)

    def message(_: int) -> int:
        try:
            return review_action_undo(action=action, by=handed_in.owner)
        except DomainError:
            return 0

    assert sorted(at_once(4, message)) == [0, 0, 0, 8]
