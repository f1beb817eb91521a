"""Turns that no marketplace has confirmed: somebody came by its link, under a name they gave.

They hold no place, and what was rated in them counts nowhere, until the marketplace names them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotations.models import Arrival, Assignment, Rating
from daplatform.wording import counted
from hits.models import Campaign, Launch

State = Assignment.State
MINUTE = dt.timedelta(minutes=1)
ENDED = {
    State.SUBMITTED: "was handed in",
    State.RETURNED: "was given back",
    State.EXPIRED: "ran out of time",
}


def lease() -> dt.timedelta:
    """How long after handing in a turn may wait to be named."""
    return dt.timedelta(minutes=settings.CONFIRMATION_MINUTES)


def is_confirmed_later(hit: int) -> bool:
    """Whether a marketplace offers this HIT, and so says who works on it."""
    return Launch.objects.filter(batch__hits=hit).exclude(crowd="invite").exists()


def ratings_confirmed(campaign: Campaign) -> QuerySet[Rating]:
    """Ratings by people whose crowd knows them; which of these count is decided by reviewing."""
    strange = Assignment.objects.filter(campaign=campaign, slot=None)
    return Rating.objects.filter(campaign=campaign).exclude(assignment__in=strange.values("pk"))


def turns_unconfirmed(**which: Any) -> QuerySet[Assignment]:
    """The newest first, each with its `rated` captions."""
    turns = Assignment.objects.filter(slot=None, **which)
    rated = Count("ratings__position", distinct=True)
    return (
        turns.select_related("annotator", "hit__batch__campaign")
        .annotate(rated=rated)
        .order_by("-pk")
    )


def is_live(now: dt.datetime | None = None) -> Q:
    """Unconfirmed turns whose marketplace may still name them in time."""
    recent = Q(submitted_at__gt=(now or timezone.now()) - lease())
    return Q(slot=None) & (Q(state=State.ACTIVE) | Q(state=State.SUBMITTED) & recent)


def turns_lapsed(campaign: Campaign, now: dt.datetime) -> QuerySet[Assignment]:
    """Unconfirmed turns that were handed in so long ago that nobody will name them any more."""
    turns = Assignment.objects.filter(campaign=campaign, slot=None, state=State.SUBMITTED)
    return turns.filter(submitted_at__lte=now - lease())


def unconfirmed_sentences(**which: Any) -> Iterator[str]:
    """Name every unconfirmed turn that was handed in, given back, or whose time has run out.

    No fault of our rows: anybody can make one, and on Mechanical Turk whoever gives up leaves one.
    """
    for turn in turns_unconfirmed(**which).exclude(state=State.ACTIVE):
        rated = counted(getattr(turn, "rated", 0), "caption", "captions")
        yield (
            f"{turn} of {turn.annotator} {ENDED[State(turn.state)]} here with {rated} rated, "
            "and the crowd knows nothing of it"
        )


def is_claimed_too_often(*, hit: int, origin: str, now: dt.datetime) -> bool:
    """Whether one network has begun too many unconfirmed turns: in a minute, or at this HIT.

    A limit on a HIT alone would let strangers shut out everybody else.
    """
    mine = Arrival.objects.filter(origin=origin, assignment__slot=None)
    counts = mine.filter(assignment__claimed_at__gt=now - lease()).aggregate(
        minute=Count("pk", filter=Q(assignment__claimed_at__gt=now - MINUTE)),
        here=Count("pk", filter=Q(assignment__hit=hit)),
    )
    return bool(origin) and (
        counts["minute"] >= settings.CLAIMS_PER_MINUTE or counts["here"] >= settings.CLAIMS_PER_HIT
    )
