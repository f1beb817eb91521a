"""Marks that people find filled in, and how they stand in what is shown."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from hits.models import Campaign, Caption
from hits.protocols.filling import FilledMark, moved
from hits.selectors import replaced_words


def captions_filled(campaign: Campaign) -> QuerySet[Caption]:
    """Captions in which people may find marks filled in; of those with none, too."""
    return Caption.objects.filter(system__campaign=campaign).exclude(filled=None)


def filled_shown(
    filled: Sequence[FilledMark] | None, text: str, damaged: str
) -> list[FilledMark] | None:
    """A caption's marks as they stand in what is shown; in a damaged copy, those around the
    damage."""
    if filled is None or not damaged:
        return None if filled is None else list(filled)
    before, changed, _ = replaced_words(text, damaged)
    damage = (len(before), len(before) + len(changed))
    return moved(filled, damage, len(damaged) - len(text))
