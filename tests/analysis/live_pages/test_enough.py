"""“Enough ratings”: the stopping rule's yes or no, and what closing now would save."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from analysis.models import Result
from analysis.results.findings.stopping import stopping_sentence
from analysis.selectors.results import result_summary, result_systems
from crowds.models import LedgerEntry, Publication
from tests.analysis.live_pages.conftest import compute, take
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def half(live, first_hit, launched) -> Result:
    """One of two HITs is rated, and money is promised for both."""
    launched.crowd = "invite"  # whose work needs nobody's confirmation
    launched.save()
    take(first_hit, count=100, submits=True)
    publication = Publication.objects.create(
        launch=launched,
        reference="p",
        unit_reward=Decimal("1.00"),
        fee=Decimal("0.40"),
        priced_people=2,
    )
    LedgerEntry.objects.create(
        campaign=live,
        publication=publication,
        kind="committed",
        amount=Decimal("2.40"),
        reason="offer",
    )
    return compute(live)


def say(result: Result, enough: bool) -> None:
    stopping = result.summary["numbers"]["stopping"]
    stopping["decided"] = stopping["pairs"] if enough else 0
    result.save()


def test_a_result_says_whether_every_pair_is_decided(rated):
    found = result_summary(rated).numbers["stopping"]
    assert found.is_enough is ("enough ratings are in" in stopping_sentence(found))


def test_enough_is_a_decision_with_what_closing_saves(look, live, launched, half):
    say(half, True)
    response = look()
    (decision,) = [
        each for each in response.context["overview"].decisions if each.key.startswith("enough")
    ]
    best = result_systems(half)[0]["system"]
    assert decision.sentence.startswith(f"Enough ratings: {best} > ")
    assert decision.sentence.endswith("Closing batch 1 now would save 1 place and 1.20 USD.")
    assert decision.url == reverse("crowds:launch-close", args=[live.slug, launched.pk])
    assert ">Yes</span>" in markup(response)


def test_while_ratings_can_decide_something_nobody_is_told_to_stop(look, half):
    say(half, False)
    response = look()
    assert not [d for d in response.context["overview"].decisions if d.key.startswith("enough")]
    assert ">Not yet</span>" in markup(response)


def test_all_rated_and_not_yet_enough_stand_together_with_the_reason(look, rated):
    say(rated, False)
    said = " ".join(markup(look()).split())
    assert ">Not yet</span>" in said
    assert (
        "All requested ratings are in. The ranking’s own tests are valid for a single look" in said
    )
    assert "This rule is stricter" in said


def test_while_ratings_are_missing_they_are_not_said_to_be_in(look, half):
    say(half, False)
    assert "All requested ratings are in" not in markup(look())


@pytest.mark.parametrize("state", ["closed", "live"])
def test_nothing_is_to_be_closed_where_nobody_is_asked_any_more(look, launched, rated, state):
    """Closed already; or all places taken, so that closing would spare nothing."""
    launched.state = state
    launched.save()
    say(rated, True)
    assert not [d for d in look().context["overview"].decisions if d.key.startswith("enough")]
