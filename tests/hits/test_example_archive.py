"""The archive that the import page offers: it imports as it is, and its HITs can be composed."""

from __future__ import annotations

import pytest

from daplatform import places
from hits.importing.reading import read_campaign
from hits.planning import FAIR_HOURLY
from hits.selectors import batch_reach, campaign_misfit, campaign_pay, campaign_systems
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import

ARCHIVE = places.SITE / "static" / "example-campaign.zip"


@pytest.mark.django_db
def test_it_imports_without_a_fault_and_composes(organiser, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    workspace = tmp_path / "work"
    workspace.mkdir()
    reading = read_campaign(ARCHIVE, workspace=workspace, name="example")
    assert [str(fault) for fault in reading.faults] == []
    campaign = campaign_import(reading=reading, owner=organiser)
    assert (campaign.name, campaign.videos.count()) == ("Example campaign", 12)
    assert campaign_misfit(campaign, campaign_systems(campaign)) is None
    batch = batch_compose(campaign=campaign)
    assert batch.hits.count() == 1
    assert batch_reach(batch).is_enough
    assert campaign_pay(campaign).hourly >= FAIR_HOURLY


def test_the_import_page_offers_it(organiser, client_of):
    page = client_of(organiser).get("/campaigns/import/")
    assert "example-campaign.zip" in page.text


@pytest.mark.django_db
def test_it_shows_the_keys_for_what_annotators_read(organiser, settings, tmp_path, client_of):
    settings.MEDIA_ROOT = tmp_path / "media"
    workspace = tmp_path / "work"
    workspace.mkdir()
    reading = read_campaign(ARCHIVE, workspace=workspace, name="example")
    assert reading.settings.contact
    assert reading.settings.translations["de"]["instructions"]
    campaign = campaign_import(reading=reading, owner=organiser)
    assert campaign.translated_to == ["Deutsch"]
    assert "Deutsch" in client_of(organiser).get(f"{campaign.get_absolute_url()}settings/").text
