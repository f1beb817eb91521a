"""Pay, use, invite again: three decisions, each with its rule and each in a person's hands."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotations.models import Assignment
from crowds.decisions import Case, invites_again, needs_replacement, pays, use_reason, uses
from crowds.forms import PolicyForm
from crowds.gateway import Facts, SubmissionStatus
from crowds.models import (
    AuditEntry,
    LedgerEntry,
    OutboxMessage,
    Policy,
    Publication,
    PublishedHit,
    Submission,
    Verdict,
)
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.money import campaign_sums, policy_of
from crowds.selectors.reviews import review_row, submissions_of
from crowds.services.launches import launch_close, policy_update
from crowds.services.money import OverBudget
from crowds.services.outbox import outbox_run
from crowds.services.people import submissions_invite_again, submissions_message
from crowds.services.reviews import (
    submission_bonus,
    submissions_approve_due,
    submissions_pay,
    submissions_refuse,
    submissions_use,
    verdicts_record,
)
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from daplatform.errors import DomainError
from tests.crowd import launch, work
from tests.crowds.crowd_people import annotator, finish

LATER = dt.timedelta(hours=100)
GOOD, BAD = Case(finished=True, verdict="passed"), Case(finished=True, verdict="failed")
ODD = Case(finished=False, verdict="passed", odd=True)
UNSEEN = Case(finished=True, verdict="")
REFUSED = Case(finished=True, verdict="passed", refused=True)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("finished", [True, True, None, True]),
        ("passed", [True, None, None, None]),
        ("asked", [None, None, None, None]),
    ],
)
def test_paying_by_itself_follows_the_rule_and_never_refuses(rule, expected):
    assert [pays(rule, case) for case in (GOOD, BAD, ODD, UNSEEN)] == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("passed", [True, False, False, None, False]), ("everyone", [True, True, False, True, False])],
)
def test_using_follows_the_rule_unless_a_person_says_otherwise(rule, expected):
    cases = (GOOD, BAD, ODD, UNSEEN, REFUSED)
    assert [uses(rule, case) for case in cases] == expected
    assert all(uses(rule, case, True) for case in cases)
    assert not any(uses(rule, case, False) for case in cases)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("passed", [True, False, False, None, False]),
        ("everyone", [True, True, False, True, False]),
        ("nobody", [False] * 5),
    ],
)
def test_inviting_again_follows_the_rule(rule, expected):
    assert [invites_again(rule, case) for case in (GOOD, BAD, ODD, UNSEEN, REFUSED)] == expected


@pytest.mark.parametrize(
    ("rule", "case", "word", "used", "reason"),
    [
        ("everyone", BAD, None, True, "failed quality control, but the rule uses everybody"),
        ("passed", BAD, None, False, "failed quality control"),
        ("passed", UNSEEN, None, None, "quality control has not looked yet"),
        ("passed", GOOD, False, False, "decided by a person"),
        ("everyone", REFUSED, None, False, "not paid"),
        ("everyone", ODD, None, False, "something is wrong with the submission"),
        (
            "passed",
            Case(finished=True, verdict="insufficient", vouched=True),
            None,
            True,
            "rated too few pairs for quality control, but a person decided to use this annotator",
        ),
    ],
)
def test_used_comes_with_its_reason(rule, case, word, used, reason):
    assert (uses(rule, case, word), use_reason(rule, case, word)) == (used, reason)


def test_too_few_pairs_are_no_reason_to_ask_somebody_else():
    assert not needs_replacement("passed", Case(finished=True, verdict="insufficient"))
    assert not needs_replacement("passed", UNSEEN)
    assert needs_replacement("passed", BAD)
    assert needs_replacement("passed", GOOD, False)


@pytest.fixture
def made(campaign, market):
    """A launch with three people's finished work: Anna and Ben passed, Carl failed."""
    campaign.assignments = 3
    campaign.save()
    made = launch(campaign)
    work(made, market)
    for person in ("Anna", "Ben", "Carl"):
        finish(market, "P1", made.batch.hits.get(), person)
    work(made, market)
    judge(campaign, Anna="passed", Ben="passed", Carl="failed")
    return made


def judge(campaign, **verdicts: str) -> None:
    verdicts_record(
        campaign=campaign,
        verdicts=[
            Verdict(
                campaign=campaign,
                annotator=annotator(person),
                status=status,
                pairs=10,
                checked_at=timezone.now(),
            )
            for person, status in verdicts.items()
        ],
    )


def of(person: str) -> Submission:
    return Submission.objects.get(annotator=annotator(person))


def test_everybody_who_finished_is_paid_after_the_waiting_time(campaign, market, made):
    assert submissions_approve_due(campaign=campaign) == 0
    assert submissions_approve_due(campaign=campaign, now=timezone.now() + LATER) == 3
    assert submissions_approve_due(campaign=campaign, now=timezone.now() + LATER) == 0
    work(made, market)
    assert market.spent == campaign_sums(campaign).spent == Decimal("3.57")
    assert set(Assignment.objects.values_list("state", flat=True)) == {"approved"}


def test_those_who_passed_are_invited_again_and_the_others_not(campaign, market, made):
    submissions_approve_due(campaign=campaign, now=timezone.now() + LATER)
    work(made, market)
    lists = {
        name.rpartition("-owner-")[2].partition("-")[2]: who for name, who in market.lists.items()
    }
    assert lists == {"again": {"Anna", "Ben"}, "not-again": {"Carl"}}


def test_doubtful_work_waits_for_a_person_where_the_rule_says_so(campaign, market, made):
    policy_update(campaign=campaign, by=campaign.owner, pay_rule="passed")
    assert submissions_approve_due(campaign=campaign, now=timezone.now() + LATER) == 2
    assert of("Carl").pay == ""


def test_odd_work_is_never_paid_by_itself(campaign, market, made):
    market.submit("P1", "Dora", "never-came")
    work(made, market)
    assert submissions_approve_due(campaign=campaign, now=timezone.now() + LATER) == 3
    assert of("Dora").pay == ""


def test_a_person_may_pay_odd_work_within_the_budget(campaign, market, made):
    market.submit("P1", "Dora", "never-came")
    work(made, market)
    submissions_pay(
        campaign=campaign, submissions=list(Submission.objects.all()), by=campaign.owner
    )
    work(made, market)
    assert market.spent == campaign_sums(campaign).spent == Decimal("4.76")
    assert campaign_sums(campaign).outstanding == 0


def test_one_person_more_than_the_budget_allows_is_not_paid(campaign, market, made):
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("3.57"))
    market.submit("P1", "Dora", "never-came")
    work(made, market)
    rows = list(Submission.objects.all())
    with pytest.raises(OverBudget):
        submissions_pay(campaign=campaign, submissions=rows, by=campaign.owner)
    assert not OutboxMessage.objects.filter(kind="approve").exists()


def test_a_rejection_is_a_persons_with_a_reason(campaign, market, made):
    rows = [of("Carl")]
    with pytest.raises(DomainError, match="reason of at least 1"):
        submissions_refuse(campaign=campaign, submissions=rows, reason="  ", by=campaign.owner)
    submissions_refuse(
        campaign=campaign, submissions=rows, reason="All at once.", by=campaign.owner
    )
    work(made, market)
    assert market.turns["P1-Carl"].status == SubmissionStatus.REJECTED
    assert (of("Carl").reason, of("Carl").decided_by) == ("All at once.", campaign.owner)
    assert campaign_sums(campaign).outstanding == Decimal("2.38")
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=of("Anna").pk).update(pay="refuse", reason="", decided_by=None)


def test_the_crowds_own_rules_for_rejections_are_kept(campaign, market, made):
    market.facts = Facts(
        name="mturk",
        label="Prolific",
        shortest_reason=100,
        rejection_categories={"LOW_EFFORT": "Low effort"},
    )
    submit = {"campaign": campaign, "submissions": [of("Carl")], "by": campaign.owner}
    with pytest.raises(DomainError, match="at least 100 characters; this has 5"):
        submissions_refuse(reason="Lazy.", category="LOW_EFFORT", **submit)
    with pytest.raises(DomainError, match="categories"):
        submissions_refuse(reason="x" * 100, category="MOOD", **submit)
    assert submissions_refuse(reason="x" * 100, category="LOW_EFFORT", **submit) == 1


def test_a_rejection_can_be_overruled_and_is_paid_once(campaign, market, made):
    submissions_refuse(
        campaign=campaign, submissions=[of("Carl")], reason="Too fast.", by=campaign.owner
    )
    work(made, market)
    for _ in range(2):
        submissions_pay(campaign=campaign, submissions=[of("Carl")], by=campaign.owner)
        work(made, market)
    assert market.turns["P1-Carl"].status == SubmissionStatus.APPROVED
    assert market.spent == campaign_sums(campaign).spent == Decimal("1.19")
    assert Assignment.objects.get(annotator=annotator("Carl")).state == "approved"


def test_a_rejection_is_not_overruled_while_it_is_being_told(campaign, market, made):
    refuse = {"campaign": campaign, "submissions": [of("Carl")], "by": campaign.owner}
    submissions_refuse(reason="Too fast.", **refuse)
    assert submissions_pay(**refuse) == 0
    work(made, market)
    assert submissions_pay(**refuse) == 1


def test_a_rejection_that_came_too_late_is_paid_once(campaign, market, made):
    """The crowd approved by itself before it was told."""
    market.approve("P1-Carl")
    refuse = {"campaign": campaign, "submissions": [of("Carl")], "by": campaign.owner}
    submissions_refuse(reason="Too fast.", **refuse)
    work(made, market)
    submissions_pay(**refuse)
    work(made, market)
    launch_sync(launch=made, undecided=False)
    assert campaign_sums(campaign).spent == market.spent == Decimal("1.19")


def test_using_is_no_matter_of_paying(campaign, market, made):
    submissions_use(campaign=campaign, submissions=[of("Anna")], use=False, by=campaign.owner)
    assert assignments_left_out(campaign) == [of("Anna").assignment_id]
    rows = {
        str(row.annotator): review_row(row, policy_of(campaign)) for row in submissions_of(campaign)
    }
    used = {name: rows[str(annotator(name))].used for name in ("Anna", "Ben", "Carl")}
    assert used == {"Anna": False, "Ben": True, "Carl": False}
    submissions_use(campaign=campaign, submissions=[of("Anna")], use=None, by=campaign.owner)
    assert assignments_left_out(campaign) == []


def test_a_person_can_decide_who_is_invited_again(campaign, market, made):
    rows = [of("Anna")]
    submissions_invite_again(campaign=campaign, submissions=rows, again=True, by=campaign.owner)
    work(made, market)
    submissions_invite_again(campaign=campaign, submissions=rows, again=False, by=campaign.owner)
    work(made, market)
    people = {name.partition("again")[0][-4:]: who for name, who in market.lists.items()}
    assert set().union(*people.values()) == {"Anna"}
    assert sum(map(len, market.lists.values())) == 1


def test_a_bonus_beyond_the_budget_is_refused(campaign, market, made):
    with pytest.raises(OverBudget):
        submission_bonus(
            campaign=campaign,
            submission=of("Anna"),
            amount=Decimal("900.00"),
            reason="Great.",
            once="1",
            by=campaign.owner,
        )
    assert not OutboxMessage.objects.filter(kind="bonus").exists()


def test_people_are_written_to_once(campaign, market, made):
    rows = list(Submission.objects.all())
    for _ in range(2):
        submissions_message(
            campaign=campaign, submissions=rows, subject="Thanks", text="…", by=campaign.owner
        )
    work(made, market)
    assert sorted(market.messages) == ["Anna", "Ben", "Carl"]


def test_closing_waits_until_everything_is_decided(campaign, market, made):
    with pytest.raises(DomainError, match="3 submissions are not decided"):
        launch_close(launch=made, by=campaign.owner)
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    launch_close(launch=made, by=campaign.owner)
    work(made, market)
    assert Publication.objects.get().status == "closed"
    assert campaign_sums(campaign).outstanding == 0


def test_what_fell_out_is_offered_again_once(campaign, market, made):
    top_up = launch_top_up(launch=made)
    assert (top_up.people, top_up.hits, top_up.lacking, top_up.obstacle) == (1, 1, 0, "")
    note = made.batch.campaign.trail.get(action="topped up")
    assert note.detail == "batch 1: 1 more person for 1 HIT, 1.19 USD"
    assert launch_top_up(launch=made).people == 0
    work(made, market)
    assert market.out["P1"].people == PublishedHit.objects.get().people == 4
    assert campaign_sums(campaign).committed == Decimal("4.76")
    assert Assignment.objects.filter(state="open").count() == 1


def test_a_replacement_who_passes_ends_it(campaign, market, made):
    launch_top_up(launch=made)
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "Dora")
    work(made, market)
    judge(campaign, Dora="passed")
    assert launch_top_up(launch=made).people == 0


def test_a_full_publication_gets_a_second_one_beside_it(campaign, market, made):
    market.facts = Facts(name="mturk", label="T", hits_per_publication=1, people_per_hit=3)
    launch_top_up(launch=made)
    work(made, market)
    assert [each.people for each in market.out.values()] == [3, 1]
    assert campaign_sums(campaign).outstanding == Decimal("4.76")


def test_topping_up_stops_at_the_budget(campaign, market, made):
    policy_update(campaign=campaign, by=campaign.owner, budget=Decimal("4.75"))
    top_up = launch_top_up(launch=made)
    assert (top_up.people, top_up.lacking) == (0, 1)
    assert "budget" in top_up.obstacle
    assert campaign_sums(campaign).total == Decimal("3.57")


def test_topping_up_does_not_go_on_for_ever(campaign, market, made):
    for person in range(20):
        if not launch_top_up(launch=made).people:
            break
        work(made, market)
        finish(market, "P1", made.batch.hits.get(), f"W{person}")
        work(made, market)
        judge(campaign, **{f"W{person}": "failed"})
    assert "left out each time" in launch_top_up(launch=made).obstacle
    assert Assignment.objects.count() == 12


def test_everything_a_person_did_is_on_the_trail(campaign, market, made):
    submissions_pay(campaign=campaign, submissions=[of("Anna")], by=campaign.owner)
    submissions_use(campaign=campaign, submissions=[of("Ben")], use=False, by=campaign.owner)
    trail = AuditEntry.objects.filter(campaign=campaign, person=campaign.owner)
    assert list(trail.values_list("action", flat=True)) == [
        "left out",
        "paid",
        "launched",
        "changed the rules",
    ]
    with pytest.raises(IntegrityError), transaction.atomic():
        trail.update(action="nothing")


def test_the_history_names_rules_as_the_form_does(campaign):
    policy_update(campaign=campaign, by=campaign.owner, pay_rule="asked", approve_after_hours=5)
    detail = AuditEntry.objects.get(campaign=campaign, action="changed the rules").detail
    labels = PolicyForm().fields
    assert f"{labels['pay_rule'].label}: {Policy.PayRule.ASKED.label}" in detail
    assert f"{labels['approve_after_hours'].label}: 5" in detail
    assert "pay rule" not in detail


def test_the_ledger_is_only_added_to(campaign, market, made):
    with pytest.raises(IntegrityError), transaction.atomic():
        LedgerEntry.objects.update(amount=Decimal("0.01"))


def test_the_fee_adds_up_to_the_cent_however_it_divides(campaign, market, made):
    """Priced together at 0.50 for three, the shares are 0.17, 0.17 and 0.16."""
    Publication.objects.update(fee=Decimal("0.50"))
    submissions_pay(campaign=campaign, submissions=list(Submission.objects.all()))
    outbox_run(crowd="mturk")
    fees = LedgerEntry.objects.filter(kind="fee").values_list("amount", flat=True)
    assert sum(fees) == Decimal("0.50")
    assert sorted(fees) == [Decimal("0.16"), Decimal("0.17"), Decimal("0.17")]
