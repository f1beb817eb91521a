"""Who may open which page: strangers find nothing, analysts look, nobody anonymous gets in."""

from __future__ import annotations

import pytest
from django.urls import reverse

from hits.models import Upload
from hits.urls import urlpatterns
from tests.factories import make_campaign

CAMPAIGN_PAGES = {
    "campaign-detail",
    "campaign-plan",
    "hit-list",
    "video-list",
    "video-detail",
}
CAMPAIGN_FILES = {"video-file", "video-poster"}
CAMPAIGN_CHANGES = {"campaign-share", "batch-compose"}
OF_CAMPAIGN = sorted(CAMPAIGN_PAGES | CAMPAIGN_FILES | CAMPAIGN_CHANGES)
UPLOADS = ["upload-detail", "upload-confirm", "upload-discard"]
POSTED = CAMPAIGN_CHANGES | {"upload-confirm", "upload-discard"}


@pytest.fixture
def campaign(organiser):
    return make_campaign(owner=organiser)


@pytest.fixture
def address(campaign, organiser):
    """Where each page is, for a campaign and an upload of the organiser's."""
    video = campaign.videos.first()
    upload = Upload.objects.create(owner=organiser, filename="a.zip", state="checked")

    rows = {"video": video}

    def of(name: str) -> str:
        if name in {"campaign-list", "upload-create"}:
            return reverse(f"hits:{name}")
        if name in UPLOADS:
            return reverse(f"hits:{name}", args=[upload.pk])
        row = None if name.endswith("-list") else rows.get(name.split("-")[0])
        return reverse(f"hits:{name}", args=[campaign.slug, *([row.pk] if row else [])])

    return of


def test_every_address_is_tried_below():
    tried = {*OF_CAMPAIGN, *UPLOADS, "upload-create", "campaign-list"}
    assert tried == {pattern.name for pattern in urlpatterns}


def request(client, name, address):
    return (client.post if name in POSTED else client.get)(address(name))


@pytest.mark.parametrize("name", [*OF_CAMPAIGN, *UPLOADS])
def test_a_stranger_is_refused(client_of, stranger, address, name):
    assert request(client_of(stranger), name, address).status_code == 404


@pytest.mark.parametrize("name", [*OF_CAMPAIGN, *UPLOADS, "upload-create", "campaign-list"])
def test_nobody_gets_in_without_logging_in(client, address, name):
    response = request(client, name, address)
    assert response.status_code == 302
    assert response.url.startswith(reverse("login"))


@pytest.mark.parametrize("name", sorted(CAMPAIGN_PAGES))
def test_an_analyst_may_look_at_what_is_shared(client_of, analyst, campaign, address, name):
    campaign.colleagues.add(analyst)
    assert client_of(analyst).get(address(name)).status_code == 200


@pytest.mark.parametrize("name", sorted(CAMPAIGN_CHANGES))
def test_an_analyst_may_not_change_what_is_shared(client_of, analyst, campaign, address, name):
    campaign.colleagues.add(analyst)
    assert client_of(analyst).post(address(name)).status_code == 403


@pytest.mark.parametrize("name", ["upload-create", *UPLOADS])
def test_an_analyst_may_not_import(client_of, analyst, address, name):
    assert request(client_of(analyst), name, address).status_code == 403


@pytest.mark.parametrize("name", sorted(CAMPAIGN_PAGES))
def test_a_colleague_sees_what_is_shared(client_of, stranger, campaign, address, name):
    campaign.colleagues.add(stranger)
    assert client_of(stranger).get(address(name)).status_code == 200


@pytest.mark.parametrize("name", sorted(POSTED))
def test_changes_are_not_made_by_following_a_link(client_of, organiser, address, name):
    assert client_of(organiser).get(address(name)).status_code == 405


def test_someone_who_has_left_sees_nothing(client_of, organiser, address):
    client = client_of(organiser)
    organiser.is_active = False
    organiser.save()
    assert client.get(address("campaign-detail")).status_code == 302


def test_an_administrator_sees_every_campaign(admin_client, address):
    assert admin_client.get(address("campaign-detail")).status_code == 200


def test_no_page_allows_inline_scripts_or_other_hosts(client_of, organiser, address):
    policy = client_of(organiser).get(address("campaign-plan"))["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self';" in policy + ";"
