"""What the lists of campaigns and of HITs say of how far each of them is."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.analysis.live_pages.conftest import take
from tests.factories import make_campaign, make_hit
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
ADDRESS = reverse("analysis:campaigns-progress")


def ask(client, *campaigns):
    return client.get(ADDRESS, {"campaign": [campaign.slug for campaign in campaigns]})


def test_the_list_asks_for_the_campaigns_it_shows(client_of, organiser, live):
    page = markup(client_of(organiser).get(reverse("hits:campaign-list")))
    assert f"{ADDRESS}?campaign={live.slug}&amp;" in page
    assert f'id="progress-{live.slug}"' in page


def test_it_says_how_many_turns_are_finished(client_of, organiser, live, first_hit):
    take(first_hit, count=100, submits=True)
    page = markup(ask(client_of(organiser), live))
    assert f'id="progress-{live.slug}"' in page
    assert "1 of 2" in page


def test_work_that_was_given_up_is_not_asked_for_twice(client_of, organiser, live, first_hit):
    turn = take(first_hit, count=40)
    turn.state = "expired"
    turn.save()
    first_hit.assignments.create(campaign=live, slot=turn.slot)
    assert "0 of 2" in shown(ask(client_of(organiser), live))


def test_a_draft_has_no_line(client_of, organiser, composed):
    assert "progress-" not in markup(ask(client_of(organiser), composed))
    page = markup(client_of(organiser).get(reverse("hits:campaign-list")))
    assert "not offered" in page


def test_a_stranger_is_told_nothing(client_of, stranger, live):
    assert live.slug not in markup(ask(client_of(stranger), live))


def test_whoever_is_not_logged_in_is_refused(client, live):
    assert ask(client, live).status_code == 302


def test_many_campaigns_take_as_many_queries_as_one(
    client_of, organiser, live, django_assert_num_queries
):
    client = client_of(organiser)
    more = [make_campaign(owner=organiser) for _ in range(3)]
    for campaign in more:
        make_hit(campaign).assignments.create(campaign=campaign, slot=1)
    for campaigns in ([live], [live, *more]):
        with django_assert_num_queries(4):
            ask(client, *campaigns)


def says_rated(client, campaign) -> bool:
    """In the list of campaigns and, no otherwise, above the block that follows one of them."""
    block = client.get(reverse("analysis:overview", args=[campaign.slug]))
    listed, above = ("All rated" in shown(each) for each in (ask(client, campaign), block))
    assert listed == above
    return listed


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


def ask_hits(client, campaign, *hits):
    address = reverse("analysis:hits-progress", args=[campaign.slug])
    return client.get(address, {"hit": hits})


def test_the_list_of_hits_asks_for_those_it_shows(client_of, organiser, live, first_hit):
    page = markup(client_of(organiser).get(reverse("hits:hit-list", args=[live.slug])))
    assert f"hits/progress?hit={first_hit.pk}&amp;" in page
    assert f'id="progress-{first_hit.pk}"' in page


def test_it_says_which_hits_are_done(client_of, organiser, live, first_hit, second_hit):
    take(first_hit, count=100, submits=True)
    page = markup(ask_hits(client_of(organiser), live, first_hit.pk, second_hit.pk))
    assert page.count("1 of 1") == 1
    assert page.count("0 of 1") == 1


def test_hits_of_another_campaign_are_not_told(client_of, organiser, live):
    other = make_hit(make_campaign())
    other.assignments.create(campaign=other.batch.campaign, slot=1)
    assert "progress-" not in markup(ask_hits(client_of(organiser), live, other.pk))


def test_what_is_no_hit_is_passed_over(client_of, organiser, live, first_hit):
    page = ask_hits(client_of(organiser), live, "x", "9" * 30, "²", first_hit.pk)
    assert markup(page).count("progress-line") == 1


def test_a_stranger_is_told_nothing_of_hits(client_of, stranger, live, first_hit):
    assert ask_hits(client_of(stranger), live, first_hit.pk).status_code == 404
