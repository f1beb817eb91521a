"""A campaign of two HITs at every stage: composed, on offer, being rated, watched by a crowd."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.models import Result
from analysis.results.settings import Settings
from analysis.services.requests import result_request
from annotations.models import Assignment, Rating
from annotations.services.assignments import batches_open
from crowds.models import Launch
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import Campaign, Hit
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.factories import make_annotator
from tests.folders import make_folder


@pytest.fixture(autouse=True)
def private_results(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture(autouse=True)
def no_queue(woken):
    """Nothing listens in tests."""


@pytest.fixture
def draft(organiser, tmp_path) -> Campaign:
    folder = make_folder(tmp_path / "campaign", videos=20, systems=6)
    return campaign_import(reading=read_campaign(folder), owner=organiser)


@pytest.fixture
def composed(draft) -> Campaign:
    batch_compose(campaign=draft)
    return draft


@pytest.fixture
def live(composed) -> Campaign:
    """Two HITs of 100 captions on offer, one person each."""
    batches_open(campaign=composed)
    composed.refresh_from_db()
    return composed


@pytest.fixture
def first_hit(live) -> Hit:
    return live.batches.get().hits.get(number=1)


@pytest.fixture
def second_hit(live) -> Hit:
    return live.batches.get().hits.get(number=2)


@pytest.fixture
def look(draft, client_of, organiser):
    """The block as the organiser sees it."""

    clients = {}

    def get(campaign: Campaign = draft, user=organiser, **query):
        client = clients.get(user.pk) or clients.setdefault(user.pk, client_of(user))
        address = reverse("analysis:overview", args=[campaign.slug])
        return client.get(address, query, headers={"HX-Request": "true"})

    return get


def take(
    hit: Hit, *, count: int, when: datetime | None = None, submits: bool = False
) -> Assignment:
    """Somebody takes the HIT's open assignment and rates the first ``count`` captions."""
    when = when or timezone.now()
    turn = hit.assignments.filter(state="open").earliest("pk")
    turn.annotator = make_annotator()
    turn.state = "submitted" if submits else "active"
    turn.claimed_at, turn.expires_at = when, when + timedelta(hours=3)
    turn.submitted_at = when if submits else None
    turn.save()
    items = hit.items.select_related("caption__system").order_by("position")[:count]
    Rating.objects.bulk_create(rating(turn, item, quality(item), when) for item in items)
    return turn


def rating(turn, item, score: int, when: datetime, *, revision: int = 1) -> Rating:
    evidence = dict.fromkeys(
        ("elapsed_ms", "first_touch_ms", "last_touch_ms", "moves", "plays", "watched_ms"), 1
    )
    return Rating(
        campaign_id=turn.campaign_id,
        assignment=turn,
        item=item,
        annotator=turn.annotator,
        caption_id=item.caption_id,
        kind=item.kind,
        original_id=item.original_id,
        position=item.position,
        revision=revision,
        key=uuid.uuid4(),
        score=score,
        served_at=when,
        created_at=when,
        is_unwatched=False,
        client_hidden_ms=0,
        **{f"client_{name}": value for name, value in evidence.items()},
    )


def quality(item) -> int:
    """A degraded caption is bad, a system the better the higher its number."""
    if item.kind == "degraded":
        return 10 + item.position % 7
    name = item.caption.system.name
    worth = int(name[-1]) * 8 if name.startswith("system") else 60
    return 25 + worth + item.position % 5


def compute(campaign: Campaign) -> Result:
    result = result_request(campaign=campaign, choices=Settings(minimum_pairs=campaign.min_pairs))
    assert result is not None
    job_run(result)
    result.refresh_from_db()
    return result


@pytest.fixture
def rated(live, first_hit, second_hit) -> Result:
    """Everything is rated, and there is a result."""
    take(first_hit, count=100, submits=True)
    take(second_hit, count=100, submits=True)
    return compute(live)


@pytest.fixture
def launched(live, organiser) -> Launch:
    return Launch.objects.create(
        batch=live.batches.get(),
        crowd="mturk",
        title="Rate",
        description="Rate captions",
        reward=Decimal("0.99"),
        currency="USD",
        people=1,
        minutes_expected=30,
        launched_by=organiser,
        synced_at=timezone.now(),
    )
