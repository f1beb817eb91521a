"""A campaign that people rated and metrics scored."""

from __future__ import annotations

import zlib

import pytest
from django.urls import reverse

from analysis.models import MetricChunk, MetricEvaluation, MetricRun, MetricScore
from analysis.services import evaluations
from analysis.services.evaluations import Choices, evaluation_request
from daplatform.jobs.services import job_run
from hits.models import Campaign, Caption
from tests.analysis.pages.conftest import rated_campaign

PLACEBOS = 20
WORTH = {"human-b": 8, **{f"system-{number}": number for number in range(6)}}


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture(autouse=True)
def few_placebos(monkeypatch) -> None:
    monkeypatch.setattr(evaluations, "affordable_placebos", lambda values: PLACEBOS)


@pytest.fixture(autouse=True)
def no_queue(woken):
    """Nothing listens in tests."""


def chance(metric: str, caption: int) -> float:
    """Between 0 and 1, the same on every day."""
    return zlib.crc32(f"{metric} {caption}".encode()) % 1000 / 1000


def score(campaign: Campaign, **noise: float) -> MetricRun:
    """A run that scored these metrics: the worth of the system, and so much noise."""
    captions = list(
        Caption.objects.filter(video__campaign=campaign)
        .exclude(system__role="reference")
        .select_related("system")
    )
    run = MetricRun.objects.create(
        campaign=campaign,
        metrics=list(noise),
        choices={},
        last_caption=max(caption.pk for caption in captions),
        status=MetricRun.Status.DONE,
    )
    MetricChunk.objects.create(
        run=run,
        number=1,
        kind="scores",
        items=list(noise),
        size=len(noise),
        status="done",
        signatures={name: f"metric:{name}|version:1" for name in noise},
    )
    MetricScore.objects.bulk_create(
        MetricScore(
            run=run,
            caption=caption,
            metric=metric,
            value=WORTH.get(caption.system.name, 0) + much * chance(metric, caption.pk),
        )
        for metric, much in noise.items()
        for caption in captions
    )
    return run


def compute(campaign: Campaign, **choices) -> MetricEvaluation:
    evaluation = evaluation_request(campaign=campaign, choices=Choices(**choices))
    assert evaluation is not None
    job_run(evaluation)
    evaluation.refresh_from_db()
    return evaluation


@pytest.fixture
def campaign(organiser, tmp_path) -> Campaign:
    return rated_campaign(organiser, tmp_path)


@pytest.fixture
def scored(campaign) -> Campaign:
    score(campaign, cider=2.0, bleu4=30.0)
    return campaign


@pytest.fixture
def ready(scored) -> MetricEvaluation:
    return compute(scored)


@pytest.fixture
def page_of(client_of, organiser):
    """A page of the analysis, opened by the campaign's owner."""
    client = client_of(organiser)

    def opened(name: str, campaign: Campaign, *args, headers=None, **query):
        address = reverse(f"analysis:{name}", args=[campaign.slug, *args])
        return client.get(address, query, headers=headers or {})

    return opened
