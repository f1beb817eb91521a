"""What money was for is said in words: of HITs, and of people under their pseudonyms."""

from __future__ import annotations

from decimal import Decimal

import pytest

from crowds.models import LedgerEntry, Submission
from crowds.selectors.money import entries_described
from crowds.services.launches import launch_close
from crowds.services.reviews import submission_bonus, submissions_pay, submissions_refuse
from crowds.services.topups import launch_extend
from tests.crowd import launch, work
from tests.crowds.crowd_people import finish
from tests.crowds.test_outbox import run_all


@pytest.fixture
def made(campaign, market):
    """A launch for two people with one finished piece of work."""
    campaign.assignments = 2
    campaign.save()
    made = launch(campaign, budget="100.00")
    work(made, market)
    finish(market, "P1", made.batch.hits.get(), "W1")
    work(made, market)
    return made


@pytest.fixture
def person(made) -> str:
    return str(Submission.objects.get().annotator)


def words(campaign) -> set[str]:
    shown = entries_described(campaign.ledger.order_by("pk"))
    return {row.about for row in shown}


def test_a_launch_a_reward_a_bonus_and_what_is_left(campaign, market, made, person):
    owner, submission = campaign.owner, Submission.objects.get()
    launch_extend(launch=made, by=owner, people=1)
    submissions_pay(campaign=campaign, submissions=[submission], by=owner)
    submission_bonus(
        campaign=campaign,
        submission=submission,
        amount=Decimal("0.50"),
        reason="Thanks.",
        once="x",
        by=owner,
    )
    run_all(market)
    launch_close(launch=made, by=owner)
    run_all(market)
    assert words(campaign) == {
        "HIT 1-1",
        "HIT 1-1, offered to more people",
        f"Work by {person}, HIT 1-1",
        f"Bonus for {person}, HIT 1-1",
        "Rest of HIT 1-1",
    }


def test_a_refusal_that_was_overruled(campaign, market, made, person):
    decided = {"campaign": campaign, "submissions": Submission.objects.all(), "by": campaign.owner}
    submissions_refuse(**decided, reason="Nothing was watched.")
    run_all(market)
    submissions_pay(**decided)
    run_all(market)
    assert f"Work by {person}, HIT 1-1, not paid at first" in words(campaign)


@pytest.mark.parametrize(
    ("reason", "occasion", "is_work", "about"),
    [
        ("offer", "2", False, "HIT 1-1, offered again"),
        ("extra", "", True, "HIT 1-1, more people than were asked for"),
        ("unasked", "", True, "Work by {person}, HIT 1-1, paid automatically by the crowd"),
        ("offer", "", False, "HIT 1-1"),
    ],
)
def test_what_happens_seldom(campaign, made, person, reason, occasion, is_work, about):
    publication, work = made.publications.get(), Submission.objects.get()
    entry = LedgerEntry(
        campaign=campaign,
        publication=publication,
        submission=work if is_work else None,
        reason=reason,
        occasion=occasion,
    )
    assert [row.about for row in entries_described([entry])] == [about.format(person=person)]


def test_a_publication_of_many_hits_is_counted(campaign, made):
    other = made.batch.hits.create(number=2)
    made.publications.get().published_hits.create(hit=other, people=1, url="https://example.org/")
    assert "2 HITs of batch 1" in words(campaign)


def test_many_entries_take_two_queries(campaign, made, django_assert_num_queries):
    publication, work = made.publications.get(), Submission.objects.get()
    for number in range(30):
        campaign.ledger.create(
            publication=publication,
            submission=work,
            kind="paid",
            amount=1,
            reason="bonus",
            occasion=str(number),
        )
    entries = list(campaign.ledger.all())
    with django_assert_num_queries(2):
        entries_described(entries)
