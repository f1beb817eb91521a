"""Changing campaigns: settings of drafts, sharing, going live, closing, copying, deleting."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import ProtectedError, Q

from daplatform.errors import DomainError
from hits.bulk import rows_write
from hits.composition.shape import hit_shape
from hits.models import Batch, Campaign, Caption, Clip, System, Video
from hits.protocols import protocols
from hits.protocols.own import with_own
from hits.selectors import may_share
from hits.services.filling import marks_fill
from hits.services.importing import free_slug


class NotTheOwner(DomainError):
    """Only the owner may do this, whoever else may change the campaign."""


# What an organiser may still decide after the import; the rest came with the material.
CHANGEABLE = frozenset(
    {
        "hit_size", "pairs", "repeats", "redundancy", "assignments", "seed", "reward",
        "merge_identical", "protocol", "asks_fluency", "must_watch", "shows_number",
        "instructions", "consent",
        "contact", "language", "offers_speed",
        "minutes_allowed", "max_hits_per_annotator", "min_pairs", "assumed_pass_rate",
    }
)  # fmt: skip


@transaction.atomic
def campaign_update(*, campaign: Campaign, **settings: Any) -> Campaign:
    """Change a draft's settings, or its name."""
    unknown = settings.keys() - CHANGEABLE - {"name"}
    if unknown:
        raise TypeError(f"not settings of a campaign: {', '.join(sorted(unknown))}")
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if locked.state != Campaign.State.DRAFT:
        raise DomainError("This campaign is live, so what people are asked can no longer change.")
    for name, value in _with_protocol(locked, settings).items():
        setattr(locked, name, value)
    if (
        Campaign.objects.filter(owner_id=locked.owner_id, name=locked.name)
        .exclude(pk=locked.pk)
        .exists()
    ):
        raise DomainError(f"Another campaign is already called “{locked.name}”.")
    try:
        locked.full_clean()
        hit_shape(
            whole_video=locked.asked.whole_video,
            size=locked.hit_size,
            pairs=locked.pairs,
            repeats=locked.repeats,
        )
    except ValidationError as error:
        raise DomainError(" ".join(error.messages)) from None
    except ValueError as error:
        raise DomainError(f"These numbers cannot fit into a HIT: {error}.") from None
    locked.save()
    return locked


def _with_protocol(campaign: Campaign, settings: dict[str, Any]) -> dict[str, Any]:
    """With another protocol come the sizes that its authors had, unless others are given, too."""
    name = settings.get("protocol", campaign.protocol)
    if name not in protocols():
        raise DomainError(f"There is no protocol “{name}”: choose {', '.join(protocols())}.")
    protocol = with_own(protocols()[name], campaign.questions)
    if settings.get("asks_fluency", campaign.asks_fluency) and protocol.fluency is None:
        raise DomainError(f"{protocol.title} has no question about fluency: turn that option off.")
    if name == campaign.protocol:
        return settings
    if protocol.writes != campaign.asked.writes:
        raise DomainError(
            "Videos to be described come without captions, and captions to be rated come with "
            f"their videos: import the files again with protocol = “{name}”."
        )
    if campaign.batches.exists():
        raise DomainError(
            "HITs have already been composed, so what their pages ask can no longer change."
        )
    sizes = asdict(protocol.hits)
    return {"hit_size": sizes.pop("size"), **sizes} | settings


@transaction.atomic
def campaign_share(*, campaign: Campaign, usernames: list[str], by: User) -> None:
    """Let exactly these colleagues, besides the owner, see the campaign."""
    if not may_share(campaign, by):
        raise NotTheOwner("Only the owner of a campaign can share it.")
    people = list(User.objects.filter(username__in=usernames, is_active=True))
    missing = set(usernames) - {person.username for person in people}
    if missing:
        raise DomainError(f"There is no account called {', '.join(sorted(missing))}.")
    campaign.colleagues.set(person for person in people if person != campaign.owner)


@transaction.atomic
def campaign_leave(*, campaign: Campaign, colleague: User) -> None:
    """Give up one's own share in a campaign. Its owner cannot: it would be nobody's."""
    if not campaign.colleagues.filter(pk=colleague.pk).exists():
        raise DomainError("This campaign is not shared with you: there is nothing to leave.")
    campaign.colleagues.remove(colleague)


@transaction.atomic
def campaign_go_live(*, campaign: Campaign) -> None:
    """From here on texts and HITs are frozen. Doing it twice changes nothing."""
    if not campaign.batches.filter(status=Batch.Status.DONE).exists():
        raise DomainError("Compose the HITs first: there is nothing to rate yet.")
    unclosed = Campaign.objects.filter(pk=campaign.pk).exclude(state=Campaign.State.CLOSED)
    if not unclosed.update(state=Campaign.State.LIVE):
        raise DomainError("This campaign is closed.")
    campaign.state = Campaign.State.LIVE


@transaction.atomic
def campaign_reopen(*, campaign: Campaign) -> None:
    """Let links work again. Whether that may be is decided by `crowds.services.closing`."""
    if not Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSED).update(
        state=Campaign.State.LIVE
    ):
        raise DomainError("Only a closed campaign can be reopened.")
    campaign.state = Campaign.State.LIVE


@transaction.atomic
def campaign_close(*, campaign: Campaign) -> None:
    """No new work is given out. Doing it twice changes nothing."""
    begun = Campaign.objects.filter(pk=campaign.pk).exclude(state=Campaign.State.DRAFT)
    if not begun.update(state=Campaign.State.CLOSED):
        raise DomainError("This campaign is still a draft: there is nothing to close.")
    campaign.state = Campaign.State.CLOSED


@transaction.atomic
def campaign_duplicate(*, campaign: Campaign, owner: User) -> Campaign:
    """A draft with the same videos, current captions and settings; files are shared, not copied."""
    name = _free_name(campaign.name, owner)
    slug = free_slug(name)
    digest = hashlib.sha256(f"{campaign.source_digest} copied as {slug}".encode()).hexdigest()
    settings = {
        field: getattr(campaign, field) for field in (*CHANGEABLE, "translations", "questions")
    }
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
    _clips_copy(campaign, copy)
    _captions_copy(campaign, copy)
    return copy


def _clips_copy(campaign: Campaign, copy: Campaign) -> None:
    videos = dict(copy.videos.values_list("name", "pk"))
    clips = list(Clip.objects.filter(video__campaign=campaign).select_related("video"))
    for clip in clips:
        clip.pk, clip.video_id = None, videos[clip.video.name]
    Clip.objects.bulk_create(clips, batch_size=1_000)


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
    filled = current.exclude(filled=None).select_related("video", "system")
    marks = {(row.video.name, row.system.name): row.filled or [] for row in filled}
    marks_fill(campaign=copy, marks=marks)


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
            "Decisions or payments have been recorded in this campaign, and that record is kept."
        ) from None
    return files
