"""Orders about many annotators: what they do and cost is known before, and they can be undone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import timezone

from annotations.errors import NothingToTake
from annotations.models import Annotator, Assignment
from crowds.gateway import Facts, PermanentFault, SubmissionStatus
from crowds.invite.invitations import annotators_invite, annotators_simulate
from crowds.models import (
    AuditEntry,
    Exclusion,
    LedgerEntry,
    OutboxMessage,
    ReviewAction,
    Submission,
)
from crowds.selectors.money import campaign_sums
from crowds.selectors.review_actions import review_actions_shown
from crowds.services.launches import launch_close, policy_update
from crowds.services.money import OverBudget
from crowds.services.outbox import outbox_claim, outbox_run
from crowds.services.review_action_kinds import ActionRequest
from crowds.services.review_actions import (
    review_action_give,
    review_action_preview,
    review_action_undo,
)
from crowds.services.reviews import submissions_pay
from crowds.services.topups import launch_top_up
from daplatform.errors import DomainError
from tests.annotations.person import invite
from tests.crowd import launch, work
from tests.crowds.crowd_people import annotator, arrive, finish, rate

Kind = ReviewAction.Kind
REASON = "Every caption got the same score."
SOON = dt.timedelta(minutes=6)


@pytest.fixture
def made(campaign, market):
    """A launch with the finished work of three people."""
    campaign.assignments = 3
    campaign.save()
    made = launch(campaign, budget="10.00")
    work(made, market)
    for person in ("Anna", "Ben", "Carl"):
        finish(market, "P1", made.batch.hits.get(), person)
    work(made, market)
    return made


def give(campaign, kind, *people, once="1", **words):
    return review_action_give(
        campaign=campaign,
        annotators=list(people) or list(Annotator.objects.select_related("identity")),
        asked=ActionRequest(kind=kind, **words),
        once=once,
        by=campaign.owner,
    )


def send(now=None) -> None:
    """What workers do once nothing can be undone any more."""
    outbox_run(crowd="mturk", now=now or timezone.now() + SOON)


def of(person: str) -> Submission:
    return Submission.objects.get(annotator=annotator(person))


def state(campaign) -> tuple:
    """Everything a decision about people changes."""
    return (
        list(Submission.objects.order_by("pk").values_list("pay", "reason", "decided_by", "use")),
        list(Submission.objects.order_by("pk").values_list("invite_again", flat=True)),
        list(Assignment.objects.order_by("pk").values_list("state", flat=True)),
        list(Exclusion.objects.order_by("pk").values_list("annotator", flat=True)),
        campaign_sums(campaign).total,
    )


def test_an_order_waits_before_the_crowd_is_told(campaign, market, made):
    give(campaign, Kind.APPROVE)
    outbox_run(crowd="mturk")
    assert market.calls["approve"] == 0
    send()
    assert market.spent == campaign_sums(campaign).spent == Decimal("3.57")


@pytest.mark.parametrize(
    "words",
    [
        {"kind": Kind.APPROVE},
        {"kind": Kind.REJECT, "text": REASON},
        {"kind": Kind.BONUS, "text": "Careful.", "amount": Decimal("0.50")},
        {"kind": Kind.MESSAGE, "text": "Thank you."},
        {"kind": Kind.EXCLUDE},
    ],
)
def test_undone_in_time_everything_is_as_before_and_nothing_is_sent(campaign, market, made, words):
    before = state(campaign)
    calls = market.calls.copy()
    action = give(campaign, **words).action
    review_action_undo(action=action, by=campaign.owner)
    assert state(campaign) == before
    send()
    assert market.calls == calls
    assert set(action.messages.values_list("state", flat=True)) == {"undone"}


def test_what_was_undone_can_be_ordered_again(campaign, market, made):
    review_action_undo(action=give(campaign, Kind.APPROVE).action, by=campaign.owner)
    give(campaign, Kind.APPROVE, once="2")
    send()
    assert market.calls["approve"] == 3
    assert market.spent == campaign_sums(campaign).spent == Decimal("3.57")


def test_what_was_sent_cannot_be_undone(campaign, market, made):
    action = give(campaign, Kind.REJECT, text=REASON).action
    send()
    with pytest.raises(DomainError, match="can no longer be undone"):
        review_action_undo(action=action, by=campaign.owner)
    assert {turn.status for turn in market.turns.values()} == {SubmissionStatus.REJECTED}


def test_undoing_twice_says_so(campaign, market, made):
    action = give(campaign, Kind.APPROVE).action
    review_action_undo(action=action, by=campaign.owner)
    with pytest.raises(DomainError, match="already been undone"):
        review_action_undo(action=action, by=campaign.owner)


def test_what_a_worker_has_claimed_is_sent_and_the_rest_is_undone(campaign, market, made):
    action = give(campaign, Kind.APPROVE).action
    (claimed,) = outbox_claim(crowd="mturk", size=1, now=timezone.now() + SOON)
    assert review_action_undo(action=action, by=campaign.owner) == 2
    claimed.refresh_from_db()
    assert claimed.state == "claimed"
    assert Submission.objects.filter(pay="pay").count() == 1


def test_one_of_many_can_be_undone(campaign, market, made):
    action = give(campaign, Kind.APPROVE).action
    message = action.messages.get(submission=of("Ben"))
    assert review_action_undo(action=action, by=campaign.owner, message=message.pk) == 1
    send()
    assert {name: turn.status for name, turn in market.turns.items()} == {
        "P1-Anna": SubmissionStatus.APPROVED,
        "P1-Ben": SubmissionStatus.SUBMITTED,
        "P1-Carl": SubmissionStatus.APPROVED,
    }


def test_an_act_that_was_tried_may_have_been_done_and_is_not_undone(campaign, market, made):
    action = give(campaign, Kind.APPROVE).action
    action.messages.update(attempts=1)
    with pytest.raises(DomainError, match="can no longer be undone"):
        review_action_undo(action=action, by=campaign.owner)


def test_a_form_sent_twice_is_one_order(campaign, market, made):
    for _ in range(2):
        give(campaign, Kind.BONUS, text="Careful.", amount=Decimal("0.50"))
    send()
    assert len(market.bonuses) == 3
    assert ReviewAction.objects.count() == 1


def test_a_form_sent_again_after_it_was_undone_does_nothing(campaign, market, made):
    action = give(campaign, Kind.BONUS, text="Careful.", amount=Decimal("0.50")).action
    review_action_undo(action=action, by=campaign.owner)
    give(campaign, Kind.BONUS, text="Careful.", amount=Decimal("0.50"))
    send()
    assert market.bonuses == []
    assert campaign_sums(campaign).total == Decimal("3.57")


def test_a_preview_says_what_happens_and_changes_nothing(campaign, market, made):
    before, trail = state(campaign), AuditEntry.objects.count()
    outcome = review_action_preview(
        campaign=campaign,
        annotators=list(Annotator.objects.select_related("identity")),
        asked=ActionRequest(kind=Kind.BONUS, text="Careful.", amount=Decimal("0.50")),
        once="1",
        by=campaign.owner,
    )
    assert (outcome.action.people, outcome.action.submissions) == (3, 3)
    assert outcome.action.cost == outcome.promised == Decimal("1.80")
    assert state(campaign) == before
    assert not ReviewAction.objects.exists()
    assert not OutboxMessage.objects.filter(action__isnull=False).exists()
    assert AuditEntry.objects.count() == trail


def test_approving_costs_what_was_promised(campaign, market, made):
    outcome = give(campaign, Kind.APPROVE)
    assert (outcome.action.cost, outcome.promised) == (Decimal("3.57"), 0)


def test_beyond_the_budget_nothing_is_ordered(campaign, market, made):
    with pytest.raises(OverBudget, match=r"6\.43 of the budget is left|of the budget is left"):
        give(campaign, Kind.BONUS, text="Careful.", amount=Decimal("5.00"))
    assert not OutboxMessage.objects.filter(kind="bonus").exists()
    assert campaign_sums(campaign).total == Decimal("3.57")


def test_a_reason_the_crowd_would_not_take_is_refused_for_all(campaign, market, made):
    market.facts = Facts(name="mturk", label="Prolific", shortest_reason=100)
    with pytest.raises(DomainError, match="at least 100 characters"):
        give(campaign, Kind.REJECT, text=REASON)
    assert not ReviewAction.objects.exists()


def test_decided_and_odd_work_is_passed_over_and_said(campaign, market, made):
    submissions_pay(campaign=campaign, submissions=[of("Anna")], by=campaign.owner)
    Submission.objects.filter(pk=of("Ben").pk).update(problem="late")
    outcome = give(campaign, Kind.REJECT, text=REASON)
    assert outcome.action.submissions == 1
    assert outcome.remarks == (
        "1 submission is already decided or was not handed in.",
        "1 submission has a problem: decide about it under Review.",
    )
    assert (of("Anna").pay, of("Ben").pay, of("Carl").pay) == ("pay", "", "refuse")


def test_a_bonus_is_one_for_each_person(campaign, market, made):
    give(campaign, Kind.BONUS, annotator("Anna"), text="Careful.", amount=Decimal("0.50"))
    send()
    assert [bonus.person for _, bonus in market.bonuses] == ["Anna"]


def test_nobody_is_asked_in_the_place_of_a_rejection_that_can_be_undone(campaign, market, made):
    action = give(campaign, Kind.REJECT, annotator("Carl"), text=REASON).action
    assert launch_top_up(launch=made).people == 0
    send()
    assert action.messages.get().state == "done"
    assert launch_top_up(launch=made).people == 1


def test_a_launch_closes_only_after_what_was_decided_is_told(campaign, market, made):
    give(campaign, Kind.APPROVE)
    launch_close(launch=made, by=campaign.owner)
    outbox_run(crowd="mturk")
    assert market.calls["close"] == 0
    send()
    assert market.calls["close"] == 1
    assert market.spent == campaign_sums(campaign).spent == Decimal("3.57")
    assert campaign_sums(campaign).outstanding == 0


def test_what_the_crowd_decided_meanwhile_stays_decided(campaign, market, made):
    action = give(campaign, Kind.APPROVE, annotator("Anna")).action
    market.approve("P1-Anna")
    from crowds.services.submissions import launch_sync

    launch_sync(launch=made, undecided=False)
    review_action_undo(action=action, by=campaign.owner)
    assert of("Anna").pay == "pay"
    assert campaign_sums(campaign).spent == market.spent == Decimal("1.19")


def test_who_is_excluded_gets_no_more_work_whoever_they_are(campaign, market, made):
    give(campaign, Kind.EXCLUDE, annotator("Anna"))
    hit = made.batch.hits.get()
    Assignment.objects.create(campaign=campaign, hit=hit, slot=9)
    with pytest.raises(NothingToTake, match="no more tasks for you"):
        arrive(hit, "Anna", "again")
    send()
    assert [who for name, who in market.lists.items() if name.endswith("not-again")] == [{"Anna"}]
    give(campaign, Kind.READMIT, annotator("Anna"), once="2")
    send()
    assert all("Anna" not in who for name, who in market.lists.items() if "not" in name)
    assert not Exclusion.objects.exists()


def test_of_two_orders_about_somebody_the_later_is_undone_first(campaign, market, made):
    before = state(campaign)
    first = give(campaign, Kind.EXCLUDE, annotator("Anna")).action
    second = give(campaign, Kind.READMIT, annotator("Anna"), once="2").action
    other = give(campaign, Kind.EXCLUDE, annotator("Ben"), once="3").action
    with pytest.raises(DomainError, match="Undo that first"):
        review_action_undo(action=first, by=campaign.owner)
    for action in (second, first, other):
        review_action_undo(action=action, by=campaign.owner)
    assert state(campaign) == before


def test_invited_and_simulated_people_can_be_excluded_and_the_rest_is_said(campaign, market):
    anna = invite(campaign)
    (robot,) = annotators_simulate(campaign=campaign, names=["R1"])
    people = [anna.annotator, robot.annotator]
    assert give(campaign, Kind.EXCLUDE, *people).action.people == 2
    for kind, sentence in (
        (Kind.APPROVE, "2 people rated without a launch"),
        (Kind.MESSAGE, "cannot be written to from here"),
        (Kind.BONUS, "no submission to pay a bonus for"),
    ):
        with pytest.raises(DomainError, match=sentence):
            give(campaign, kind, *people, once=kind, text="…", amount=Decimal("1.00"))
    outbox_run(crowd="invite", now=timezone.now() + SOON)
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"done"}


def test_invited_people_of_a_launch_are_approved_and_paid_outside(campaign, market):
    made = launch(campaign, crowd="invite")
    outbox_run(crowd="invite")
    (anna,) = annotators_invite(campaign=campaign, names=["Anna"])
    hit = made.batch.hits.get()
    rate(arrive(hit, anna.annotator.identity.external_id, "", crowd="invite"))
    work(made, market)
    outcome = give(campaign, Kind.APPROVE, anna.annotator)
    assert outcome.remarks == (
        "1 is owed to a person you invited: you pay them yourself, and here it is only recorded.",
    )
    outbox_run(crowd="invite", now=timezone.now() + SOON)
    assert LedgerEntry.objects.filter(kind="paid").count() == 1


def test_who_ordered_and_who_undid_is_on_the_trail(campaign, market, made):
    action = give(campaign, Kind.REJECT, text=REASON).action
    review_action_undo(action=action, by=campaign.owner)
    trail = list(AuditEntry.objects.values_list("person", "action", "detail")[:2])
    assert trail == [
        (campaign.owner.pk, "undid", "do not pay: 3 of 3 not sent yet"),
        (campaign.owner.pk, "did not pay", f"3 submissions: {REASON}"),
    ]


def test_the_trail_counts_people_where_one_act_is_about_many(campaign, market, made):
    action = give(campaign, Kind.EXCLUDE, annotator("Anna")).action
    review_action_undo(action=action, by=campaign.owner)
    assert AuditEntry.objects.first().detail == "do not invite again: 1 person"


@pytest.mark.parametrize(
    "words",
    [
        {"kind": Kind.REJECT, "text": REASON},
        {"kind": Kind.MESSAGE, "text": "Thank you."},
        {"kind": Kind.EXCLUDE},
    ],
)
def test_the_list_says_whom_an_order_is_about(campaign, market, made, words):
    people = [annotator("Anna"), annotator("Ben")]
    action = give(campaign, words.pop("kind"), *people, **words).action
    names = tuple(sorted(person.pseudonym for person in people))
    (row,) = review_actions_shown(campaign, now=timezone.now())
    assert (row.names, row.others, row.is_undone) == (names, 0, False)
    review_action_undo(action=action, by=campaign.owner)
    (row,) = review_actions_shown(campaign, now=timezone.now())
    assert (row.names, row.is_undone) == (names, True)


def test_the_list_says_how_far_an_order_is(campaign, market, made):
    give(campaign, Kind.APPROVE)
    (row,) = review_actions_shown(campaign, now=timezone.now())
    assert (row.word, row.undoable, row.minutes_left) == ("waiting", 3, 5)
    market.break_next("approve", "before", PermanentFault("Not now."))
    send()
    (row,) = review_actions_shown(campaign, now=timezone.now())
    assert row.counts == (("sent", 2), ("failed", 1))
    assert (row.word, row.undoable, row.is_moving) == ("partly sent", 0, False)
    assert [message.error for message in row.messages if message.word == "failed"] == ["Not now."]


def test_the_list_takes_a_fixed_number_of_queries(
    campaign, market, made, django_assert_num_queries
):
    for number in range(4):
        give(campaign, Kind.MESSAGE, text=f"{number}", once=str(number))
    give(campaign, Kind.APPROVE, once="approve")
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("20"))
    with django_assert_num_queries(5):
        assert len(review_actions_shown(campaign, now=timezone.now())) == 5
