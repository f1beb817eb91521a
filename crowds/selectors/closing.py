"""What closing a campaign would end, and whether it can be undone."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import DateTimeField, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from annotations.models import Assignment
from crowds.models import AuditEntry, Invitation, Launch, OutboxMessage, Submission
from hits.models import Batch, Campaign

REOPENED = "campaign reopened"
PEOPLE_ERASED = "people erased"


@dataclass(frozen=True)
class Ending:
    """What ends when a campaign is closed, in numbers."""

    links: int
    launches: int
    open_turns: int
    working: int
    undecided: int


def campaign_ending(campaign: Campaign) -> Ending:
    turns = Assignment.objects.filter(campaign=campaign)
    return Ending(
        links=Invitation.objects.filter(campaign=campaign).count(),
        launches=open_launches(campaign).count(),
        open_turns=turns.filter(state=Assignment.State.OPEN).count(),
        working=turns.filter(state=Assignment.State.ACTIVE).count(),
        undecided=_undecided().filter(publication__launch__batch__campaign=campaign).count(),
    )


def open_launches(campaign: Campaign) -> QuerySet[Launch]:
    launches = Launch.objects.filter(batch__campaign=campaign).select_related("batch__campaign")
    return launches.exclude(state=Launch.State.CLOSED).order_by("pk")


def finished_campaigns() -> QuerySet[Campaign]:
    """Live campaigns that nothing can happen to any more: every batch launched and closed.

    One that somebody reopened stays open until somebody closes it.
    """
    launches = Launch.objects.filter(batch__campaign=OuterRef("pk"))
    unlaunched = Batch.objects.filter(campaign=OuterRef("pk"), launch=None)
    working = Assignment.objects.filter(
        campaign=OuterRef("pk"), state__in=[Assignment.State.ACTIVE, Assignment.State.SUBMITTED]
    ).filter(Q(state=Assignment.State.ACTIVE) | Q(submission=None))
    undecided = _undecided().filter(publication__launch__batch__campaign=OuterRef("pk"))
    untold = OutboxMessage.objects.filter(campaign=OuterRef("pk")).exclude(
        state__in=OutboxMessage.ENDED
    )
    reopened = AuditEntry.objects.filter(campaign=OuterRef("pk"), action=REOPENED)
    waiting = [launches.exclude(state=Launch.State.CLOSED), unlaunched, working, undecided, untold]
    live = Campaign.objects.filter(Exists(launches), state=Campaign.State.LIVE)
    return live.exclude(Exists(reopened)).filter(*(~Exists(rows) for rows in waiting))


def quiet_since(campaigns: QuerySet[Campaign], moment: dt.datetime) -> QuerySet[Campaign]:
    """Those whose last work was handed in before or, where none was, that were made before."""
    last = Coalesce(Max("turns__submitted_at"), "created_at", output_field=DateTimeField())
    return campaigns.annotate(last=last).filter(last__lt=moment)


def reopening_obstacle(campaign: Campaign, *, now: dt.datetime, days: int) -> str:
    """Why a closed campaign cannot be reopened; empty when it can. `days`: of retention, or 0."""
    if AuditEntry.objects.filter(campaign=campaign, action=PEOPLE_ERASED).exists():
        return "The identities of participants were erased, so nobody could be recognised."
    kept = now - dt.timedelta(days=days)
    if days and quiet_since(Campaign.objects.filter(pk=campaign.pk), kept).exists():
        return f"The last work is over {days:,} days old: identities are being erased."
    return ""


def _undecided() -> QuerySet[Submission]:
    """Work that is under way at a crowd, or handed in and neither paid nor refused."""
    undecided = Q(status=Submission.Status.SUBMITTED, pay=Submission.Pay.OPEN)
    return Submission.objects.filter(Q(status=Submission.Status.WORKING) | undecided)
