"""The page that describes a campaign's data: the tables of the command, made by a worker."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.models import Description
from analysis.services.descriptions import description_request
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import rated_campaign
from tests.factories import make_campaign
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path, woken):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def campaign(organiser, tmp_path):
    return rated_campaign(organiser, tmp_path)


@pytest.fixture
def opened(client_of, organiser):
    client = client_of(organiser)
    return lambda campaign: client.get(reverse("analysis:description", args=[campaign.slug]))


def test_a_worker_is_woken_and_the_page_shows_pictures_first(opened, campaign, woken):
    assert "The description is being computed" in shown(opened(campaign))
    row = Description.objects.get()
    assert woken == [("descriptions", row.pk)]
    job_run(row)
    page = opened(campaign)
    content = markup(page)
    for name in ("texts", "similarity", "distribution", "people", "levels"):
        assert f'data-chart="{name}-spec"' in content
    assert content.index("data-chart") < content.index("<table")


def test_files_are_those_of_the_command(opened, campaign, client_of, organiser, tmp_path):
    row = description_request(campaign=campaign)
    job_run(row)
    call_command("describe", campaign.slug, "--out", str(tmp_path / "out"), stdout=io.StringIO())
    client = client_of(organiser)
    for name in ("texts", "similarity", "people", "distribution", "cost"):
        address = reverse("analysis:description-file", args=[campaign.slug, row.pk, f"{name}.csv"])
        served = pd.read_csv(io.BytesIO(client.get(address).getvalue()), comment="#")
        written = pd.read_csv(tmp_path / "out" / f"{name}.csv", comment="#")
        pd.testing.assert_frame_equal(served, written)


def test_it_is_made_anew_when_a_caption_comes(opened, campaign):
    row = description_request(campaign=campaign)
    job_run(row)
    assert not description_request(campaign=campaign).is_active
    caption = campaign.systems.exclude(role="reference").first().captions.first()
    type(caption).objects.filter(pk=caption.pk).update(retired_at=campaign.created_at)
    assert description_request(campaign=campaign).is_active


def test_a_campaign_without_captions_says_what_to_do(opened, organiser):
    assert "No captions yet" in shown(opened(make_campaign(owner=organiser, videos=0)))


def test_strangers_are_refused(campaign, client_of, stranger):
    address = reverse("analysis:description", args=[campaign.slug])
    assert client_of(stranger).get(address).status_code == 404
