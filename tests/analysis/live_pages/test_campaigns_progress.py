"""What the lists of campaigns and of HITs say of how far each of them is."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.analysis.live_pages.conftest import take
from tests.factories import make_hit
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
LIST = reverse("hits:campaign-list")


def see(client, campaign):
    return client.get(reverse("hits:hit-list", args=[campaign.slug]))


def test_it_says_how_many_turns_are_finished(client_of, organiser, live, first_hit):
    take(first_hit, count=100, submits=True)
    assert "1 of 2" in shown(client_of(organiser).get(LIST))


def test_work_that_was_given_up_is_not_asked_for_twice(client_of, organiser, live, first_hit):
    turn = take(first_hit, count=40)
    turn.state = "expired"
    turn.save()
    first_hit.assignments.create(campaign=live, slot=turn.slot)
    assert "0 of 2" in shown(client_of(organiser).get(LIST))


def test_a_draft_has_no_line(client_of, organiser, composed):
    page = client_of(organiser).get(LIST)
    assert "not launched" in shown(page)
    assert "progress-line" not in markup(page)


def says_rated(client, campaign) -> bool:
    """In the list of campaigns and, no otherwise, on its page and in the block that follows."""
    page, block = (
        client.get(reverse(name, args=[campaign.slug]), headers={"HX-Request": asked})
        for name, asked in (("hits:campaign-detail", ""), ("analysis:overview", "true"))
    )
    found = {"All rated" in shown(each) for each in (client.get(LIST), page, block)}
    assert len(found) == 1
    return found.pop()


def test_a_campaign_with_everything_rated_says_so(
    client_of, organiser, live, first_hit, second_hit
):
    client = client_of(organiser)
    take(first_hit, count=100, submits=True)
    assert not says_rated(client, live)
    take(second_hit, count=100, submits=True)
    assert says_rated(client, live)
    make_hit(live)  # another batch, not offered yet
    assert not says_rated(client, live)


def test_a_closed_campaign_says_that_it_is_closed(
    client_of, organiser, live, first_hit, second_hit
):
    for hit in (first_hit, second_hit):
        take(hit, count=100, submits=True)
    live.state = "closed"
    live.save()
    assert not says_rated(client_of(organiser), live)


def test_it_says_which_hits_are_done(client_of, organiser, live, first_hit, second_hit):
    take(first_hit, count=100, submits=True)
    page = shown(see(client_of(organiser), live))
    assert page.count("1 of 1") == 1
    assert page.count("0 of 1") == 1


def test_hits_that_nobody_is_asked_for_say_so(client_of, organiser, composed):
    page = shown(see(client_of(organiser), composed))
    assert page.count("not launched") == 2
