"""A campaign once more, as a draft; and a draft that is deleted."""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import ProtectedError, Q

from daplatform.errors import DomainError
from hits.bulk import rows_write
from hits.models import Batch, Campaign, Caption, System, Video
from hits.services.campaigns import CHANGEABLE
from hits.services.importing import free_slug


@transaction.atomic
def campaign_duplicate(*, campaign: Campaign, owner: User) -> Campaign:
    """A draft with the same videos, current captions and settings; files are shared, not copied."""
    name = _free_name(campaign.name, owner)
    slug = free_slug(name)
    digest = hashlib.sha256(f"{campaign.source_digest} copied as {slug}".encode()).hexdigest()
    settings = {field: getattr(campaign, field) for field in (*CHANGEABLE, "translations")}
    copy = Campaign.objects.create(
        name=name,
        slug=slug,
        owner=owner,
        source_digest=digest,
        is_demo=campaign.is_demo,
        **settings,
    )
    videos, systems = list(campaign.videos.all()), list(campaign.systems.all())
    for video in videos:
        video.pk, video.campaign = None, copy
    for system in systems:
        system.pk, system.campaign = None, copy
    Video.objects.bulk_create(videos, batch_size=1_000)
    System.objects.bulk_create(systems)
    _captions_copy(campaign, copy)
    return copy


def _captions_copy(campaign: Campaign, copy: Campaign) -> None:
    videos = dict(copy.videos.values_list("name", "pk"))
    systems = dict(copy.systems.values_list("name", "pk"))
    current = Caption.objects.filter(system__campaign=campaign, retired_at=None).order_by("pk")
    rows = current.values_list("video__name", "system__name", "text").iterator(10_000)
    rows_write(
        Caption,
        ["video_id", "system_id", "text"],
        ((videos[video], systems[system], text) for video, system, text in rows),
    )


def _free_name(name: str, owner: User) -> str:
    stem = f"{name[:180]} (copy"
    taken = set(owner.campaigns.filter(name__startswith=stem).values_list("name", flat=True))
    names = (f"{stem})", *(f"{stem} {number})" for number in range(2, len(taken) + 2)))
    return next(each for each in names if each not in taken)


def campaign_delete(*, campaign: Campaign) -> None:
    """Delete a draft with its batches, captions and videos; files another campaign has stay."""
    files = _rows_delete(campaign)
    used = Video.objects.filter(Q(file__in=files) | Q(poster__in=files))
    kept = {name for pair in used.values_list("file", "poster") for name in pair}
    for name in files - kept:
        default_storage.delete(name)


@transaction.atomic
def _rows_delete(campaign: Campaign) -> set[str]:
    """The names of the files that its videos had."""
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if locked.state != Campaign.State.DRAFT:
        raise DomainError(
            "This campaign was launched: its ratings and payments are kept. Close it."
        )
    if locked.batches.filter(status__in=Batch.ACTIVE).exists():
        raise DomainError("A batch is being composed. Wait until that is done.")
    names = locked.videos.values_list("file", "poster")
    files = {name for pair in names for name in pair if name}
    locked.batches.all().delete()
    try:
        locked.delete()
    except ProtectedError:
        raise DomainError(
            "Something was decided or paid in this campaign, and that record is kept."
        ) from None
    return files
