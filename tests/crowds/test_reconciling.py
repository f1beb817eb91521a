"""Comparing with the crowd: silence while all agrees, a sentence for every difference."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from annotations.selectors.confirming import unconfirmed_sentences
from crowds.gateway import PublicationReport, PublicationStatus, SubmissionStatus, TransientFault
from crowds.models import LedgerEntry, Submission
from crowds.services.launches import launch_close
from crowds.services.outbox import outbox_run
from crowds.services.reconciling import launch_reconcile
from crowds.services.reviews import submissions_pay
from tests.crowd import launch, work
from tests.crowds.crowd_people import arrive, finish, rate
from tests.factories import make_campaign


@pytest.fixture
def made(campaign, market):
    campaign.assignments = 2
    campaign.save()
    made = launch(campaign)
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    return made


def pay_all(made, market) -> None:
    submissions_pay(campaign=made.batch.campaign, submissions=list(Submission.objects.all()))
    work(made, market)


def test_nothing_differs_in_the_whole_life_of_a_launch(market, made):
    assert launch_reconcile(launch=made) == []
    pay_all(made, market)
    assert launch_reconcile(launch=made) == []
    made.refresh_from_db()
    assert made.differences == []
    assert made.reconciled_at is not None


def test_nothing_differs_once_a_crowd_has_forgotten_what_was_closed(market, made):
    submissions_pay(campaign=made.batch.campaign, submissions=list(Submission.objects.all()))
    outbox_run(crowd="mturk")  # and closed before the approval was read back
    launch_close(launch=made, by=made.launched_by)
    outbox_run(crowd="mturk")
    market.out.clear()
    market.turns.clear()
    assert launch_reconcile(launch=made) == []


def test_a_publication_nobody_here_knows_is_named(market, made):
    reference = market.out["P1"].reference
    market.out["P7"] = PublicationReport("P7", reference, people=2)
    assert "as P7, which is unknown here" in launch_reconcile(launch=made)[0]


def test_a_publication_the_crowd_lost_is_named(market, made):
    reference = market.out.pop("P1").reference
    assert launch_reconcile(launch=made) == [f"{reference} is open here and unknown to the crowd."]


def test_another_standing_and_another_number_of_people_are_named(market, made):
    market.out["P1"] = replace(market.out["P1"], status=PublicationStatus.EXPIRED, people=3)
    differences = launch_reconcile(launch=made)
    assert [difference.partition(" is ")[2] for difference in differences] == [
        "open here and expired at the crowd.",
        "for 2 people here and for 3 at the crowd.",
    ]


def test_an_approval_the_crowd_took_back_is_named(market, made):
    pay_all(made, market)
    market.turn("P1-W1", SubmissionStatus.SUBMITTED)
    assert "is paid here and submitted at the crowd" in launch_reconcile(launch=made)[0]


def test_work_only_we_know_and_work_only_the_crowd_knows_are_named(market, made):
    rate(arrive(made.batch.hits.get(), "W2", "made-up"))
    market.submit("P1", "W3", "never-came")
    differences = launch_reconcile(launch=made)
    assert any("never-came: nobody came here" in each for each in differences)
    assert len(differences) == 1  # what only we know may be a stranger's, and is told apart
    (told,) = unconfirmed_sentences(hit__batch=made.batch)
    assert "was handed in here" in told
    assert "is unknown to the crowd" in told


def test_a_payment_that_is_not_booked_is_named(market, made):
    pay_all(made, market)
    assert launch_reconcile(launch=made) == []
    LedgerEntry.objects.filter(kind="paid").delete()
    assert "1 submissions are paid and 0 are in the ledger." in launch_reconcile(launch=made)


def test_the_command_prints_differences_and_fails(campaign, market, made):
    out = io.StringIO()
    call_command("reconcile", campaign.slug, stdout=out)
    assert out.getvalue() == "Nothing differs.\n"
    market.out.clear()
    with pytest.raises(CommandError, match="1 differences") as failure:
        call_command("reconcile", stdout=out)
    assert failure.value.returncode == 1
    assert "unknown to the crowd" in out.getvalue()


def test_the_command_says_when_the_crowd_does_not_answer(campaign, market, made):
    market.break_next("submissions", "before", TransientFault("Nobody answers."))
    with pytest.raises(CommandError, match="Nobody answers"):
        call_command("reconcile", campaign.slug)


def test_the_command_says_when_there_is_nothing(db):
    out = io.StringIO()
    call_command("reconcile", stdout=out)
    assert "Nothing differs." in out.getvalue()
    with pytest.raises(CommandError, match="no launch"):
        call_command("reconcile", make_campaign().slug)
