"""“Enough ratings”: the stopping rule's yes or no, and what closing now would save."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from analysis.models import Result
from hits.models import LedgerEntry, Posting
from tests.analysis.workbench_live.conftest import compute, take
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def half(live, first_hit, launched) -> Result:
    """One of two HITs is rated, and money is promised for both."""
    launched.crowd = "invite"  # whose work needs nobody's confirmation
    launched.save()
    take(first_hit, count=100, submits=True)
    posting = Posting.objects.create(
        launch=launched,
        reference="p",
        unit_reward=Decimal("1.00"),
        fee=Decimal("0.40"),
        priced_people=2,
    )
    LedgerEntry.objects.create(
        campaign=live,
        posting=posting,
        kind="committed",
        amount=Decimal("2.40"),
        subject=f"posting:{posting.pk}",
    )
    return compute(live)


def say(result: Result, enough: bool) -> None:
    result.page["enough"] = enough
    result.save()


def test_a_result_says_whether_every_pair_is_decided(rated):
    decided = "enough ratings are in" in rated.page["sentences"]["stopping"]
    assert rated.page["enough"] is decided


def test_enough_is_a_decision_with_what_closing_saves(look, live, launched, half):
    say(half, True)
    response = look()
    (decision,) = [
        each for each in response.context["overview"].decisions if each.key.startswith("enough")
    ]
    best = half.page["systems"][0]["system"]
    assert decision.sentence.startswith(f"Enough ratings: {best} > ")
    assert decision.sentence.endswith("Closing batch 1 now would spare 1 place and save 1.20 USD.")
    assert decision.url == reverse("annotations:launch-close", args=[live.slug, launched.pk])
    assert ">Yes</span>" in markup(response)


def test_while_ratings_can_decide_something_nobody_is_told_to_stop(look, half):
    say(half, False)
    response = look()
    assert not [d for d in response.context["overview"].decisions if d.key.startswith("enough")]
    assert ">Not yet</span>" in markup(response)


@pytest.mark.parametrize("state", ["closed", "live"])
def test_nothing_is_to_be_closed_where_nobody_is_asked_any_more(look, launched, rated, state):
    """Closed already; or all places taken, so that closing would spare nothing."""
    launched.state = state
    launched.save()
    say(rated, True)
    assert not [d for d in look().context["overview"].decisions if d.key.startswith("enough")]


def test_an_older_result_that_does_not_say_is_shown_without_a_verdict(look, half):
    del half.page["enough"]
    half.save()
    page = markup(look())
    assert "May we stop?" in page
    assert ">Yes</span>" not in page
    assert ">Not yet</span>" not in page
