"""Assignments that no marketplace has confirmed: somebody came by its link, under a name they gave.

They hold no place, and what was rated in them counts nowhere, until the marketplace names them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotations.models import Assignment
from daplatform.wording import counted
from hits.models import Campaign

State = Assignment.State
STATUS_WORDS = {
    State.ACTIVE: "is in progress",
    State.SUBMITTED: "was handed in",
    State.RETURNED: "was given back",
    State.EXPIRED: "ran out of time",
}


def lease() -> dt.timedelta:
    """How long after handing in an assignment may wait to be named."""
    return dt.timedelta(minutes=settings.CONFIRMATION_MINUTES)


def assignments_unconfirmed(**which: Any) -> QuerySet[Assignment]:
    """The newest first, each with its `rated` captions."""
    turns = Assignment.objects.filter(slot=None, **which)
    rated = Count("ratings__position", distinct=True)
    return (
        turns.select_related("annotator", "hit__batch__campaign")
        .annotate(rated=rated)
        .order_by("-pk")
    )


def is_live(now: dt.datetime | None = None) -> Q:
    """Unconfirmed assignments whose marketplace may still name them in time."""
    recent = Q(submitted_at__gt=(now or timezone.now()) - lease())
    return Q(slot=None) & (Q(state=State.ACTIVE) | Q(state=State.SUBMITTED) & recent)


@dataclass(frozen=True)
class Unconfirmed:
    """How many assignments of a campaign may still be confirmed, and how many hardly will be."""

    not_yet: int
    lapsed: int


def unconfirmed_counts(campaign: Campaign) -> Unconfirmed:
    """Those that were given up are neither: nobody waits for them."""
    now = timezone.now()
    turns = Assignment.objects.filter(campaign=campaign, slot=None)
    old = Q(state=State.SUBMITTED, submitted_at__lte=now - lease())
    counts = turns.aggregate(
        not_yet=Count("pk", filter=is_live(now)), lapsed=Count("pk", filter=old)
    )
    return Unconfirmed(**counts)


def status_words(turn: Assignment, now: dt.datetime) -> str:
    """How an unconfirmed assignment stands. Most people at work are who they say they are."""
    if turn.state == State.ACTIVE:
        return "In progress, not confirmed yet"
    if turn.submitted_at is None:
        return turn.get_state_display()
    is_early = turn.submitted_at > now - lease()
    return "Handed in, not confirmed yet" if is_early else "Handed in, not confirmed"


def assignments_lapsed(campaign: Campaign, now: dt.datetime) -> QuerySet[Assignment]:
    """Unconfirmed assignments handed in so long ago that nobody will name them any more."""
    turns = Assignment.objects.filter(campaign=campaign, slot=None, state=State.SUBMITTED)
    return turns.filter(submitted_at__lte=now - lease())


def unconfirmed_sentences(**which: Any) -> Iterator[str]:
    """Name every unconfirmed assignment.

    No fault of our rows: anybody can make one, and on Mechanical Turk everybody at work has one.
    """
    for turn in assignments_unconfirmed(**which):
        rated = counted(getattr(turn, "rated", 0), "caption", "captions")
        known = "is not confirmed yet" if turn.state == State.ACTIVE else "is unknown to the crowd"
        yield (
            f"{turn} of {turn.annotator} {STATUS_WORDS[State(turn.state)]} here with {rated} "
            f"rated, and {known}"
        )
