"""Rows for tests: one campaign with captions and a composed batch, and people around it."""

from __future__ import annotations

import itertools
import uuid
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import connection
from django.utils import timezone

from annotations.models import Annotator, Assignment, Rating
from hits.models import Batch, Campaign, Caption, Hit, HitItem, System, Video

_numbers = itertools.count(1)


def make_user(*groups: str, **fields: Any) -> User:
    number = next(_numbers)
    user = User.objects.create_user(username=f"person{number}", password="secret-word", **fields)
    user.groups.set(map(group_named, groups))
    return user


def group_named(name: str) -> Group:
    """A group of the migration; made again where a test before this one emptied the database."""
    if not Group.objects.filter(name=name).exists():
        editor = connection.schema_editor()
        import_module("hits.migrations.0002_groups").add_groups(apps, editor)
        import_module("analysis.migrations.0002_metric_permissions").grant(apps, editor)
    return Group.objects.get(name=name)


def make_campaign(
    *, owner: User | None = None, videos: int = 4, systems: int = 2, **fields: Any
) -> Campaign:
    """A campaign with `systems` candidates, a hidden human system and a control set."""
    number = next(_numbers)
    fields = {
        "name": f"Campaign {number}",
        "slug": f"campaign-{number}",
        "source_digest": f"{number:064}",
    } | fields
    campaign = Campaign.objects.create(owner=owner or make_user("organisers"), **fields)
    clips = [
        Video.objects.create(
            campaign=campaign,
            name=f"clip{i:02}",
            url=f"https://videos.example/{i}.mp4",
            duration=4.0,
            width=320,
            height=180,
            codec="h264",
        )
        for i in range(videos)
    ]
    sources = [
        System.objects.create(campaign=campaign, name=f"system-{i}", role=System.Role.CANDIDATE)
        for i in range(systems)
    ]
    sources.append(System.objects.create(campaign=campaign, name="human-b", role=System.Role.HUMAN))
    sources.append(
        System.objects.create(
            campaign=campaign, name="human-a", role=System.Role.REFERENCE, is_control=True
        )
    )
    Caption.objects.bulk_create(
        Caption(
            video=clip,
            system=source,
            text=f"A {source.name} caption that tells what {clip.name} shows.",
        )
        for clip in clips
        for source in sources
    )
    return campaign


def to_describe(campaign: Campaign) -> Campaign:
    """The same videos without captions: people are to write them, two for each video."""
    campaign.systems.exclude(name="system-0").delete()
    Campaign.objects.filter(pk=campaign.pk).update(
        protocol="describe", hit_size=20, pairs=0, repeats=0, assignments=2
    )
    campaign.refresh_from_db()
    return campaign


def make_hit(campaign: Campaign) -> Hit:
    """One small HIT: system, reference, degraded and repeat items, in that order of kinds."""
    batch = Batch.objects.create(
        campaign=campaign,
        number=campaign.batches.count() + 1,
        status=Batch.Status.DONE,
        seed=7,
        hit_size=6,
        pairs=campaign.pairs,
        repeats=1,
        redundancy=1,
        merge_identical=False,
    )
    hit = Hit.objects.create(batch=batch, number=1)
    ranked = list(
        Caption.objects.filter(video__campaign=campaign).exclude(system__role="reference")[:3]
    )
    control = Caption.objects.filter(video__campaign=campaign, system__is_control=True).latest("pk")
    for position, caption in enumerate(ranked):
        HitItem.objects.create(hit=hit, position=position, kind="system", caption=caption)
    original = HitItem.objects.create(hit=hit, position=3, kind="reference", caption=control)
    HitItem.objects.create(
        hit=hit,
        position=4,
        kind="degraded",
        caption=control,
        original=original,
        degraded_text="A human caption that swims green what clip shows.",
        words_replaced=2,
    )
    HitItem.objects.create(
        hit=hit, position=5, kind="repeat", caption=ranked[0], original=hit.items.get(position=0)
    )
    return hit


def make_hit_like(first: Hit, *, number: int = 2) -> Hit:
    """Another HIT of the same batch, with the same captions."""
    hit = Hit.objects.create(batch=first.batch, number=number)
    copies: dict[int, HitItem] = {}
    for item in first.items.order_by("position"):
        copies[item.pk] = HitItem.objects.create(
            hit=hit,
            position=item.position,
            kind=item.kind,
            caption=item.caption,
            original=copies.get(item.original_id or 0),
            degraded_text=item.degraded_text,
            words_replaced=item.words_replaced,
        )
    return hit


def make_annotator(**fields: Any) -> Annotator:
    return Annotator.objects.create(pseudonym=f"a{next(_numbers):05}", **fields)


def make_ratings(hit: Hit, annotator: Annotator, scores: list[int]) -> Assignment:
    """One person's submitted turn at a HIT, an answer for each item in order of position."""
    now = timezone.now()
    campaign = hit.batch.campaign
    assignment = Assignment.objects.create(
        campaign=campaign,
        hit=hit,
        annotator=annotator,
        slot=hit.assignments.count() + 1,
        state=Assignment.State.SUBMITTED,
        claimed_at=now,
        expires_at=now + timedelta(hours=1),
        submitted_at=now,
    )
    items = zip(hit.items.order_by("position"), scores, strict=True)
    Rating.objects.bulk_create(unsaved_rating(assignment, item, score) for item, score in items)
    return assignment


def make_rating(assignment: Assignment, item: HitItem, score: int, *, revision: int = 1) -> Rating:
    rating = unsaved_rating(assignment, item, score, revision=revision)
    rating.save()
    return rating


def unsaved_rating(
    assignment: Assignment, item: HitItem, score: int, *, revision: int = 1
) -> Rating:
    now = timezone.now()
    assert assignment.annotator is not None
    return Rating(
        campaign=assignment.campaign,
        assignment=assignment,
        item=item,
        annotator=assignment.annotator,
        caption_id=item.caption_id,
        kind=item.kind,
        original_id=item.original_id,
        position=item.position,
        revision=revision,
        key=uuid.uuid4(),
        score=score,
        served_at=now - timedelta(seconds=8),
        created_at=now,
        is_unwatched=False,
        client_elapsed_ms=8000,
        client_first_touch_ms=6000,
        client_last_touch_ms=7000,
        client_moves=2,
        client_plays=1,
        client_watched_ms=4000,
        client_hidden_ms=0,
    )
