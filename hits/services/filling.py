"""Marks that stand in captions before anybody sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from daplatform.errors import DomainError
from hits.models import Campaign, Caption
from hits.protocols.filling import FilledMark, filling_objection

ROWS_AT_ONCE = 1_000


@transaction.atomic
def marks_fill(*, campaign: Campaign, marks: Mapping[tuple[str, str], Sequence[FilledMark]]) -> int:
    """Fill in marks, by video and system, and take away those of before; how many there are.

    Only in a draft: people would otherwise have seen the same caption with and without.
    """
    if Campaign.objects.select_for_update().get(pk=campaign.pk).state != Campaign.State.DRAFT:
        raise DomainError("People work on this campaign: marks can be filled in only before.")
    current = Caption.objects.filter(system__campaign=campaign, retired_at=None)
    current.exclude(filled=None).update(filled=None)
    named = current.filter(video__name__in={video for video, _ in marks})
    changed = []
    for caption in named.select_related("video", "system"):
        filled = marks.get((caption.video.name, caption.system.name))
        if filled is None:
            continue
        if objection := filling_objection(campaign.asked, filled, caption.text):
            raise DomainError(f"“{caption}”: {objection.sentence.format(**objection.values)}")
        caption.filled = [list(mark) for mark in filled]
        changed.append(caption)
    Caption.objects.bulk_update(changed, ["filled"], batch_size=ROWS_AT_ONCE)
    return sum(len(filled) for filled in marks.values())


def marks_forget(*, campaign: Campaign) -> int:
    """Take filled-in marks away, so that nobody finds any."""
    return marks_fill(campaign=campaign, marks={})
