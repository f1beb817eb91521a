"""Campaigns at every stage of their lives: each page has to bear each of them.

A kind is how a campaign begins and, once its links, launches and results are there, how it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from crowds.models import OutboxMessage
from crowds.services.erasing import campaign_erase
from hits.importing.reading import read_campaign
from hits.models import Campaign, System
from hits.services.campaigns import campaign_close
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.analysis.pages.conftest import compute, rate
from tests.factories import make_annotator, make_ratings
from tests.folders import make_folder


def empty(owner: User, folder: Path) -> Campaign:
    """As an administrator makes one by hand: a name, and nothing in it."""
    return Campaign.objects.create(owner=owner, name="Empty", slug="empty")


def imported(owner: User, folder: Path) -> Campaign:
    """With videos and captions, and no HITs."""
    material = make_folder(folder / "campaign", videos=20, systems=6)
    campaign = campaign_import(reading=read_campaign(material), owner=owner)
    Campaign.objects.filter(pk=campaign.pk).update(assignments=5)
    for name in ("clip.mp4", "clip.webp"):
        default_storage.save(name, ContentFile(b"picture and sound"))
    campaign.videos.update(file="clip.mp4", poster="clip.webp", url="")
    campaign.refresh_from_db()
    return campaign


def unrated(owner: User, folder: Path) -> Campaign:
    """With HITs that nobody has looked at."""
    campaign = imported(owner, folder)
    batch_compose(campaign=campaign)
    return campaign


def unpassed(owner: User, folder: Path) -> Campaign:
    """Rated by one person only, whose scores have nothing to do with the captions."""
    campaign = unrated(owner, folder)
    hit = campaign.batches.get().hits.get(number=1)
    scores = [item.position * 37 % 101 for item in hit.items.order_by("position")]
    make_ratings(hit, make_annotator(), scores)
    compute(campaign)
    return campaign


def usual(owner: User, folder: Path) -> Campaign:
    """Rated, with a result, and with work left."""
    campaign = imported(owner, folder)
    rate(campaign)
    compute(campaign)
    return campaign


def lonely(owner: User, folder: Path) -> Campaign:
    """One system, and no people's captions to rank beside it."""
    campaign = imported(owner, folder)
    others = campaign.systems.exclude(name="system-0")
    others.filter(role=System.Role.CANDIDATE).delete()
    others.update(role=System.Role.REFERENCE)
    campaign.hit_size, campaign.pairs, campaign.repeats, campaign.min_pairs = 20, 2, 2, 2
    campaign.save()
    rate(campaign)
    compute(campaign)
    return campaign


def go_on(campaign: Campaign) -> None:
    """Nothing ends."""


def close(campaign: Campaign) -> None:
    campaign_close(campaign=campaign)


def erase(campaign: Campaign) -> None:
    """Closed, and everybody who took part forgotten."""
    close(campaign)
    campaign.messages.update(state=OutboxMessage.State.DONE, ended_at=timezone.now())
    campaign_erase(campaign=campaign)


@dataclass(frozen=True)
class Kind:
    begin: Callable[[User, Path], Campaign]
    end: Callable[[Campaign], None] = go_on


KINDS = {
    "usual": Kind(usual),
    "empty": Kind(empty),
    "imported": Kind(imported),
    "unrated": Kind(unrated),
    "unpassed": Kind(unpassed),
    "one system": Kind(lonely),
    "closed": Kind(usual, close),
    "erased": Kind(usual, erase),
}
of_every_kind = pytest.mark.parametrize("kind", KINDS, indirect=True)
"""For tests of all addresses; without it a campaign is of the usual kind."""
