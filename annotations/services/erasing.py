"""Forgetting who people are, while what they rated stays.

Ratings know annotators by a pseudonym. What ties it to a person stands in a few columns, which are
emptied here: ids at marketplaces, wherever they are written down, addresses to return to, and what
people wrote in comments. Their personal links, which stand for them, are deleted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.models import (
    Annotator,
    AnnotatorIdentity,
    Arrival,
    Assignment,
    Invitation,
    Submission,
)
from annotations.selectors.closing import PEOPLE_ERASED, quiet_since
from annotations.selectors.concerned import ABOUT_MANY, ABOUT_ONE, submission_of
from daplatform.errors import DomainError
from hits.models import Act, AuditEntry, Campaign, Launch

Progress = Submission.Progress
PENDING = Q(progress=Progress.WORKING) | Q(progress=Progress.SUBMITTED, pay=Submission.Pay.OPEN)
ERASED = "erased-"


@transaction.atomic
def annotator_erase(*, annotator: Annotator) -> None:
    """Forget one person everywhere. Coming again, they are somebody new."""
    _erase(
        turns=Assignment.objects.filter(annotator=annotator),
        submissions=Submission.objects.filter(annotator=annotator),
    )
    for identity in AnnotatorIdentity.objects.filter(annotator=annotator):
        _strike_out(Act.objects.filter(crowd=identity.crowd), {identity.external_id})
        identity.delete()
    annotator.invitations.all().delete()


@transaction.atomic
def campaign_erase(*, campaign: Campaign) -> None:
    """Forget everybody who took part in a closed campaign, unless another still knows them."""
    if campaign.state != Campaign.State.CLOSED:
        raise DomainError("Close the campaign first: people who come back must be known.")
    turns = Assignment.objects.filter(campaign=campaign)
    submissions = Submission.objects.filter(posting__launch__batch__campaign=campaign)
    invitations = Invitation.objects.filter(campaign=campaign)
    _erase(turns=turns, submissions=submissions)
    identities = AnnotatorIdentity.objects.filter(
        Q(annotator__in=turns.values("annotator"))
        | Q(annotator__in=submissions.values("annotator"))
        | Q(annotator__in=invitations.values("annotator"))
    )
    _strike_out(campaign.acts.all(), set(identities.values_list("external_id", flat=True)))
    identities.exclude(annotator__in=_still_known()).delete()
    invitations.delete()
    AuditEntry.objects.get_or_create(campaign=campaign, action=PEOPLE_ERASED)


def campaigns_retire(*, now: dt.datetime, days: int) -> list[Campaign]:
    """Erase closed campaigns whose last work was handed in so many days ago. 0 keeps everything.

    Of a campaign in which nobody handed in anything, the day it was made counts.
    """
    if not days:
        return []
    closed = Campaign.objects.filter(state=Campaign.State.CLOSED)
    old = quiet_since(closed, now - dt.timedelta(days=days))
    rated = AnnotatorIdentity.objects.filter(annotator__assignments__campaign=OuterRef("pk"))
    invited = Invitation.objects.filter(campaign=OuterRef("pk"))
    retired: list[Campaign] = []
    for campaign in old.filter(Exists(rated) | Exists(invited)):
        try:
            campaign_erase(campaign=campaign)
        except DomainError:  # somebody is not paid yet: tomorrow, perhaps
            continue
        retired.append(campaign)
    return retired


def _erase(*, turns: QuerySet[Assignment], submissions: QuerySet[Submission]) -> None:
    acts = _decisions(submissions)
    if submissions.filter(PENDING).exists() or _open(acts).exists():
        raise DomainError(
            "Decide about all submitted work first: whoever is erased cannot be paid."
        )
    # What the crowd refused cannot be tried again: it would not say about whom.
    acts.filter(state=Act.State.FAILED).update(state=Act.State.UNDONE)
    acts.update(payload={}, error="")
    Arrival.objects.filter(assignment__in=turns).update(external_id="", return_to="", origin="")
    # Sentences about submissions; the next comparison finds what still differs.
    Launch.objects.filter(pk__in=submissions.values("posting__launch")).update(differences=[])
    submissions.update(external_id=Concat(Value(ERASED), Cast("pk", CharField())))
    turns.update(comment="")


def _decisions(submissions: QuerySet[Submission]) -> QuerySet[Act]:
    """What crowds are told about these submissions: approvals, rejections and bonuses."""
    mine = set(submissions.values_list("pk", flat=True))
    acts = Act.objects.filter(kind__in=ABOUT_ONE, posting__in=submissions.values("posting"))
    return Act.objects.filter(pk__in=[act.pk for act in acts if submission_of(act) in mine])


def _open(acts: QuerySet[Act]) -> QuerySet[Act]:
    return acts.exclude(state__in=Act.ENDED)


def _strike_out(acts: QuerySet[Act], names: Collection[str]) -> None:
    """Take people off the lists and messages that still name them; what a crowd was told of does
    not any more. One that is left without anybody is taken back."""
    for act in acts.filter(kind__in=ABOUT_MANY, payload__has_key="people"):
        left = [name for name in act.payload["people"] if name not in names]
        if len(left) == len(act.payload["people"]):
            continue
        act.payload["people"], act.error = left, ""
        if not left:
            act.state, act.claimed_at, act.ended_at = Act.State.UNDONE, None, timezone.now()
        act.save(update_fields=["payload", "error", "state", "claimed_at", "ended_at"])


def _still_known() -> QuerySet[Annotator]:
    """Those whose turns a crowd can still name: of campaigns that were not erased."""
    arrived = Arrival.objects.exclude(external_id="")
    reported = Submission.objects.exclude(external_id__startswith=ERASED)
    return Annotator.objects.filter(
        Q(pk__in=arrived.values("assignment__annotator")) | Q(pk__in=reported.values("annotator"))
    )
