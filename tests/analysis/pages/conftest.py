"""A rated campaign with a result, and one whose captions and names are out to do harm."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.models import Computed, Export, Result
from analysis.results.settings import Settings
from analysis.services.exports import export_request
from analysis.services.requests import result_request
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import Campaign, Caption
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.factories import make_annotator, make_ratings
from tests.folders import make_folder

HARM = "<script>alert(1)</script>\"'&‮\u200f=cmd|' /C calc'!A0"


@pytest.fixture(autouse=True)
def private_results(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture(autouse=True)
def no_queue(woken):
    """Nothing listens in tests."""


def quality(item) -> int:
    """A degraded caption is bad, a system the better the higher its number."""
    if item.kind == "degraded":
        return 10 + item.position % 7
    name = item.caption.system.name
    worth = int(name[-1]) * 8 if name.startswith("system") else 60
    return 25 + worth + item.position % 5


def rate(campaign: Campaign) -> None:
    """Two HITs: two careful people each, and in the first somebody who says 50 to everything."""
    for hit in batch_compose(campaign=campaign).hits.order_by("number"):
        items = list(hit.items.select_related("caption__system").order_by("position"))
        for offset in (0, 3):
            make_ratings(hit, make_annotator(), [quality(item) + offset for item in items])
    first = campaign.batches.get().hits.get(number=1)
    make_ratings(first, make_annotator(), [50] * len(first.items.all()))


def compute(campaign: Campaign, **choices) -> Result:
    settings = Settings(minimum_pairs=campaign.min_pairs, **choices)
    result = result_request(campaign=campaign, choices=settings)
    assert result is not None
    job_run(result)
    result.refresh_from_db()
    return result


def grow_old(made: Computed) -> None:
    """As if it had been finished an hour ago."""
    type(made).objects.update(finished_at=timezone.now() - timedelta(hours=1))


def make_export(campaign: Campaign, person) -> Export:
    """All captions of the campaign's result in a file, ready to be fetched."""
    result = campaign.results.get()
    export = export_request(
        campaign=campaign,
        by=person,
        name="captions",
        format="csv",
        address="/",
        choices={"result": result.pk, "search": "", "system": "", "sort": ""},
        rows=140,
    )
    job_run(export)
    export.refresh_from_db()
    return export


def rated_campaign(organiser, folder, *, name: str = "Test campaign") -> Campaign:
    material = make_folder(folder / "campaign", videos=20, systems=6, name=name)
    campaign = campaign_import(reading=read_campaign(material), owner=organiser)
    rate(campaign)
    return campaign


def harm(campaign: Campaign) -> None:
    """Make every text somebody from outside may choose as bad as it may be."""
    for caption in Caption.objects.filter(video__campaign=campaign):
        caption.text = f"{HARM} {caption.pk} " + "x" * 1000
        caption.save()
    for rows in (campaign.systems.all(), campaign.videos.all()):
        for row in rows:
            row.name = f"={HARM}{row.pk}"
            row.save()
    campaign.name = HARM
    campaign.save()
    turn = campaign.turns.first()
    turn.comment = HARM * 30
    turn.save()


@pytest.fixture
def campaign(organiser, tmp_path) -> Campaign:
    return rated_campaign(organiser, tmp_path)


@pytest.fixture
def ready(campaign) -> Result:
    return compute(campaign)


@pytest.fixture
def harmful(campaign) -> Campaign:
    harm(campaign)
    compute(campaign)
    return campaign


@pytest.fixture
def page_of(client_of, organiser):
    """A page of the analysis, opened by the campaign's owner."""
    client = client_of(organiser)

    def opened(name: str, campaign: Campaign, *args, headers=None, **query):
        address = reverse(f"analysis:{name}", args=[campaign.slug, *args])
        return client.get(address, query, headers=headers or {})

    return opened
