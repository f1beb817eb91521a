"""The annotator's pages beside the settings: as the form has them, with no row written."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.urls import reverse

from annotations.models import Annotator, Assignment, Rating
from annotations.tokens import Entry
from crowds.models import Launch
from crowds.selectors.entry import pay_of, pay_offered
from hits.models import Campaign
from tests.factories import make_campaign, make_hit
from tests.pages import shown, text_of


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


@pytest.fixture
def preview(campaign, organiser, client_of):
    address = reverse("crowds:campaign-preview", args=[campaign.slug])
    client = client_of(organiser)
    return lambda **sent: client.post(address, sent) if sent else client.get(address)


def work_of(response):
    return json.loads(re.search(r'id="work"[^>]*>(.*?)</script>', text_of(response))[1])


SENT = {"minutes_allowed": "45", "shows_number": "on", "instructions": "Look twice."}


def test_it_shows_settings_that_are_not_saved(campaign, preview):
    page = preview(**SENT)
    assert work_of(page)["showsNumber"] is True
    assert work_of(page)["mustWatch"] is False
    assert "Look twice." in shown(page)
    fresh = Campaign.objects.get(pk=campaign.pk)
    assert (fresh.instructions, fresh.minutes_allowed) == (campaign.instructions, 180)


def test_it_speaks_the_language_that_is_chosen_and_the_site_stays_english(preview, organiser):
    assert 'lang="de"' in text_of(preview(**SENT, language="de"))
    assert 'lang="en"' in text_of(preview())


def test_the_entry_page_has_the_consent(preview):
    page = preview(**SENT, consent="I agree to be kind.", page="entry")
    assert "I agree to be kind." in shown(page)
    assert "disabled" in text_of(page)


def test_it_can_be_rated_through_and_holds_nothing_that_could_save(campaign, preview):
    hit = make_hit(campaign)
    work = work_of(preview())
    texts = [item.text for item in hit.items.order_by("position")]
    assert [item["text"] for item in work["items"]] == texts
    assert (work["preview"], work["token"], work["endpoints"]) == (True, "", {})
    for model in (Annotator, Assignment, Rating):
        assert not model.objects.exists()


def test_before_there_are_hits_it_shows_the_campaigns_own_captions(preview):
    assert 0 < len(work_of(preview())["items"]) <= 5


def test_only_our_own_pages_may_frame_it(preview):
    response = preview()
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "SAMEORIGIN"


def test_a_stranger_is_refused(campaign, client_of, stranger):
    address = reverse("crowds:campaign-preview", args=[campaign.slug])
    assert client_of(stranger).get(address).status_code == 404


def test_the_entry_page_has_the_pay_and_the_form_of_the_real_one(campaign, preview):
    campaign.reward = Decimal("2.50")
    campaign.questions = {"form": [{"name": "age", "text": "How old are you?", "kind": "text"}]}
    campaign.save()
    make_hit(campaign)
    before = shown(preview(page="entry", **SENT))
    assert "How old are you?" in before
    assert "2.50 USD" in before
    made = Launch.objects.create(
        batch=campaign.batches.get(), launched_by=campaign.owner, crowd="invite",
        reward=Decimal("1.25"), currency="USD",
        minutes_expected=20, people=1, lifetime_days=7,
    )  # fmt: skip
    entry = Entry(campaign=campaign.pk, crowd="invite")
    assert pay_offered(campaign) == pay_of(entry) == "1.25 USD"
    Launch.objects.filter(pk=made.pk).update(reward=0)
    assert pay_offered(campaign) == pay_of(entry) == ""
