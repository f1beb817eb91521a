"""What the table of who may open which page (tests/access) leaves to be said."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories import make_campaign
from tests.pages import body


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


def test_someone_who_has_left_sees_nothing(client_of, organiser, campaign):
    client = client_of(organiser)
    organiser.is_active = False
    organiser.save()
    assert client.get(campaign.get_absolute_url()).status_code == 302


def test_another_organiser_sees_what_is_shared_with_them(client_of, stranger, campaign):
    campaign.colleagues.add(stranger)
    assert client_of(stranger).get(campaign.get_absolute_url()).status_code == 200


def test_no_page_allows_inline_scripts_or_other_hosts(client_of, organiser, campaign):
    address = reverse("hits:campaign-plan", args=[campaign.slug])
    policy = client_of(organiser).get(address)["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self';" in policy + ";"


def test_a_page_that_asks_for_news_after_the_session_ended_is_loaded_anew(client, campaign):
    response = client.get(campaign.get_absolute_url(), headers={"HX-Request": "true"})
    assert response.headers["HX-Refresh"] == "true"
    assert not body(response)
