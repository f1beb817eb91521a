"""Deciding about captions that people wrote, and giving them to the next campaign."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from analysis.selectors.written import references_written
from annotations.models import Rating, Removal
from daplatform.errors import DomainError
from hits.models import Campaign, Caption, System


@transaction.atomic
def written_remove(*, campaign: Campaign, ratings: Collection[int], by: User) -> int:
    """Leave captions out of the references; how many were not left out before."""
    known = Rating.objects.filter(campaign=campaign, pk__in=ratings, removal=None)
    return len(Removal.objects.bulk_create(Removal(rating=each, by=by) for each in known))


@transaction.atomic
def written_keep(*, campaign: Campaign, ratings: Collection[int]) -> int:
    """Put captions back into the references; how many had been left out."""
    removed = Removal.objects.filter(rating__campaign=campaign, rating__in=ratings)
    return removed.delete()[0]


@transaction.atomic
def written_adopt(*, campaign: Campaign, into: Campaign) -> list[str]:
    """Give a draft the captions as references, a system for each set; the first is its control set.

    Videos are known by their names. Returns the names of the sets.
    """
    into = Campaign.objects.select_for_update().get(pk=into.pk)
    if into.state != Campaign.State.DRAFT or into.batches.exists():
        raise DomainError(
            "This campaign already has HITs, so its control set can no longer change."
        )
    videos = dict(into.videos.values_list("name", "pk"))
    rows = [row for row in references_written(campaign) if row.video in videos]
    if not rows:
        raise DomainError("None of the captions belongs to a video of this campaign.")
    names = sorted({row.source for row in rows})
    if taken := into.systems.filter(name__in=names).values_list("name", flat=True):
        raise DomainError(f"This campaign already has a system called {', '.join(taken)}.")
    into.systems.update(is_control=False)
    systems = {
        name: System.objects.create(
            campaign=into, name=name, role=System.Role.REFERENCE, is_control=name == names[0]
        )
        for name in names
    }
    Caption.objects.bulk_create(
        Caption(video_id=videos[row.video], system=systems[row.source], text=row.text)
        for row in rows
    )
    return names
