"""A draft's settings in the browser, and the correction of a caption."""

from __future__ import annotations

import pytest
from django.urls import reverse

from hits.models import Caption
from hits.services.campaigns import campaign_close, campaign_go_live
from tests.factories import make_campaign, make_hit
from tests.pages import markup, shown

SETTINGS = {
    "name": "Autumn",
    "protocol": "direct",
    "shows_number": "on",
    "minutes_allowed": "45",
    "max_hits_per_annotator": "3",
    "min_pairs": "5",
    "instructions": "Look twice.",
    "consent": "",
}


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


@pytest.fixture
def page(campaign, organiser, client_of):
    client = client_of(organiser)
    return lambda method="get", **sent: getattr(client, method)(
        reverse("hits:campaign-settings", args=[campaign.slug]), sent
    )


def test_what_people_are_asked_can_be_set(campaign, page):
    assert page("post", **SETTINGS).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.must_watch, campaign.shows_number) == (False, True)
    assert (campaign.minutes_allowed, campaign.max_hits_per_annotator) == (45, 3)
    assert (campaign.min_pairs, campaign.instructions) == (5, "Look twice.")
    assert campaign.name == "Autumn"


def test_two_campaigns_of_one_owner_cannot_have_the_same_name(campaign, organiser, page):
    make_campaign(owner=organiser, name="Autumn")
    refused = page("post", **SETTINGS)
    assert refused.status_code == 400
    assert "Another campaign is already called “Autumn”." in shown(refused)


def test_no_limit_is_an_empty_field(campaign, page):
    page("post", **(SETTINGS | {"max_hits_per_annotator": ""}))
    campaign.refresh_from_db()
    assert campaign.max_hits_per_annotator is None


@pytest.mark.parametrize("wrong", [{"minutes_allowed": "0"}, {"min_pairs": "many"}])
def test_it_refuses_what_makes_no_sense(campaign, page, wrong):
    assert page("post", **(SETTINGS | wrong)).status_code == 400
    campaign.refresh_from_db()
    assert campaign.minutes_allowed == 180


def test_a_live_campaign_keeps_its_settings(campaign, page):
    make_hit(campaign)
    campaign_go_live(campaign=campaign)
    assert "can no longer change" in markup(page())
    assert page("post", **SETTINGS).status_code == 400
    campaign.refresh_from_db()
    assert campaign.minutes_allowed == 180


class TestCorrecting:
    @pytest.fixture
    def caption(self, campaign):
        make_hit(campaign)
        campaign_go_live(campaign=campaign)
        return Caption.objects.filter(items__isnull=False).first()

    @pytest.fixture
    def correct(self, campaign, caption, organiser, client_of):
        client = client_of(organiser)
        address = reverse("hits:caption-correct", args=[campaign.slug, caption.pk])
        return lambda method="get", **sent: getattr(client, method)(address, sent)

    def test_it_says_first_what_that_does_to_hits_that_are_out(self, correct, caption):
        assert "1 HIT is composed with this caption" in markup(correct())
        caption.refresh_from_db()
        assert caption.retired_at is None

    def test_a_new_caption_takes_the_place_of_the_old(self, correct, caption):
        assert correct("post", text=" A dog\n runs. ").status_code == 302
        caption.refresh_from_db()
        assert caption.retired_at is not None
        current = Caption.objects.get(video=caption.video, system=caption.system, retired_at=None)
        assert current.text == "A dog runs."
        assert caption.items.exists()

    @pytest.mark.parametrize("text", ["", "  ", "\u202eA dog.", "x" * 5001])
    def test_it_refuses_what_an_import_would_refuse(self, correct, caption, text):
        assert correct("post", text=text).status_code == 400
        assert Caption.objects.filter(video=caption.video, system=caption.system).count() == 1

    def test_a_closed_campaign_is_not_corrected(self, correct, campaign, caption):
        campaign_close(campaign=campaign)
        assert correct("post", text="A dog.").status_code == 400
        caption.refresh_from_db()
        assert caption.retired_at is None

    def test_the_page_of_the_video_leads_here(self, campaign, caption, organiser, client_of):
        page = client_of(organiser).get(f"/campaigns/{campaign.slug}/videos/{caption.video_id}/")
        address = reverse("hits:caption-correct", args=[campaign.slug, caption.pk])
        assert address in markup(page)
