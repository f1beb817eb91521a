"""The page before a launch, and what people who look for work read of it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from crowds.invite.group_links import group_link_offer, join_address
from crowds.models import Launch
from hits.services.composing import batch_compose
from tests.factories import make_campaign
from tests.pages import markup, shown

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def page(client_of):
    def opened(campaign, method="get", **asked):
        headers = asked.pop("headers", {})
        address = reverse("crowds:launch-create", args=[campaign.slug, 1])
        return getattr(client_of(campaign.owner), method)(address, asked, **headers)

    return opened


@pytest.fixture
def composed(organiser):
    def made(**fields):
        fields = {"hit_size": 20, "pairs": 2, "repeats": 0, "videos": 8} | fields
        campaign = make_campaign(owner=organiser, **fields)
        batch_compose(campaign=campaign)
        return campaign

    return made


SENT = {
    "reward": "1.00",
    "budget": "100.00",
    "lifetime_days": "7",
    "title": "Find a word",
    "description": "Watch.",
    "keywords": "video",
}


@pytest.mark.parametrize("method", ["get", "post"])
def test_prolific_without_a_key_leaves_the_form_with_the_sentence(page, composed, settings, method):
    settings.PROLIFIC_TOKEN = ""
    campaign = composed()
    whole = page(campaign, method, crowd="prolific", **SENT)
    assert whole.status_code == 400
    assert 'value="Find a word"' in markup(whole)
    (sentence,) = whole.context["form"].non_field_errors()
    assert "Prolific" in sentence
    assert sentence in shown(whole)
    part = page(campaign, crowd="prolific", headers=HTMX, **SENT)
    assert sentence in shown(part)
    assert "<html" not in markup(part)
    assert not Launch.objects.exists()


@pytest.mark.parametrize(
    ("protocol", "title", "words"),
    [
        ("direct", "Rate captions of short videos", "how well a caption describes it"),
        ("consistency", "Rate captions of short videos", "agree with the video"),
        ("factuality", "Find errors in captions of short videos", "mark the words"),
    ],
)
def test_a_marketplace_shows_what_the_protocol_asks(page, composed, protocol, title, words):
    form = page(composed(protocol=protocol)).context["form"]
    assert form["title"].value() == title
    assert words in form["description"].value()


def test_people_who_describe_are_not_asked_to_rate(page, composed, client):
    campaign = composed(protocol="describe", pairs=0)
    form = page(campaign).context["form"]
    assert form["title"].value() == "Describe short videos"
    assert "rate" not in form["description"].value()
    page(
        campaign,
        "post",
        crowd="invite",
        **SENT,
        seen=page(campaign, crowd="invite", **SENT).context["seen"],
    )
    assert Launch.objects.get().title == "Find a word"
    link = group_link_offer(campaign=campaign, people=3, by=campaign.owner)
    joining = shown(client.get(join_address(link)))
    assert "write a sentence" in joining
    assert "caption" not in joining
