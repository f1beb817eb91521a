"""Forgetting who people are, while what they rated stays.

Ratings know annotators by a pseudonym. What ties it to a person stands in a few columns, which are
emptied here: ids at marketplaces, wherever they are written down, addresses to return to, and what
people wrote in comments. Their personal links, which stand for them, are deleted.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.models import (
    Annotator,
    AnnotatorIdentity,
    Assignment,
    Correction,
    FormAnswers,
    TutorialPass,
    VideoProblem,
)
from crowds.models import Arrival, AuditEntry, Invitation, Launch, OutboxMessage, Submission
from crowds.selectors.closing import PEOPLE_ERASED, quiet_since
from crowds.selectors.outbox import ABOUT_MANY
from daplatform.errors import DomainError
from hits.models import Campaign

Status = Submission.Status
PENDING = Q(status=Status.WORKING) | Q(status=Status.SUBMITTED, pay=Submission.Pay.OPEN)
ERASED = "erased-"


@transaction.atomic
def annotator_erase(*, annotator: Annotator) -> None:
    """Forget one person everywhere. Coming again, they are somebody new."""
    _erase(
        turns=Assignment.objects.filter(annotator=annotator),
        submissions=Submission.objects.filter(annotator=annotator),
    )
    AnnotatorIdentity.objects.filter(annotator=annotator).delete()
    _forget_messages(OutboxMessage.objects.filter(annotators=annotator))
    annotator.invitations.all().delete()


@transaction.atomic
def campaign_erase(*, campaign: Campaign) -> None:
    """Forget everybody who took part in a closed campaign, unless another still knows them."""
    if campaign.state != Campaign.State.CLOSED:
        raise DomainError(
            "Close the campaign first: until then people may come back and must be recognised."
        )
    turns = Assignment.objects.filter(campaign=campaign)
    submissions = Submission.objects.filter(publication__launch__batch__campaign=campaign)
    invitations = Invitation.objects.filter(campaign=campaign)
    _erase(turns=turns, submissions=submissions)
    identities = AnnotatorIdentity.objects.filter(
        Q(annotator__in=turns.values("annotator"))
        | Q(annotator__in=submissions.values("annotator"))
        | Q(annotator__in=invitations.values("annotator"))
    )
    identities.exclude(annotator__in=_still_known()).delete()
    about_many = campaign.messages.filter(kind__in=ABOUT_MANY)
    OutboxMessage.annotators.through.objects.filter(outboxmessage__in=_unsent(about_many)).delete()
    _forget_messages(about_many)
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
    # What crowds are told about these submissions: approvals, rejections and bonuses.
    messages = OutboxMessage.objects.filter(submission__in=submissions)
    if submissions.filter(PENDING).exists() or _open(messages).exists():
        raise DomainError("Decide about all submitted work first: erased people cannot be paid.")
    # What the crowd refused cannot be tried again: it would not say about whom.
    messages.filter(state=OutboxMessage.State.FAILED).update(state=OutboxMessage.State.UNDONE)
    messages.update(payload={}, error="")
    Arrival.objects.filter(assignment__in=turns).update(external_id="", return_to="", origin="")
    # Sentences about submissions; the next comparison finds what still differs.
    Launch.objects.filter(pk__in=submissions.values("publication__launch")).update(differences=[])
    submissions.update(external_id=Concat(Value(ERASED), Cast("pk", CharField())))
    turns.update(comment="")
    FormAnswers.objects.filter(assignment__in=turns).delete()
    people, campaigns = turns.values("annotator"), turns.values("campaign")
    TutorialPass.objects.filter(annotator__in=people, campaign__in=campaigns).delete()
    for remarks in (VideoProblem, Correction):
        remarks.objects.filter(assignment__in=turns).update(remark="")


def _open(messages: QuerySet[OutboxMessage]) -> QuerySet[OutboxMessage]:
    return messages.exclude(state__in=OutboxMessage.ENDED)


def _unsent(messages: QuerySet[OutboxMessage]) -> QuerySet[OutboxMessage]:
    """Those that are to be sent, or could be sent again after a refusal."""
    return messages.exclude(state__in=[OutboxMessage.State.DONE, OutboxMessage.State.UNDONE])


def _forget_messages(messages: QuerySet[OutboxMessage]) -> None:
    """Lists and messages name nobody who was erased; one that has nobody left is taken back."""
    messages = OutboxMessage.objects.filter(pk__in=messages.values("pk"))
    messages.update(error="")
    named = OutboxMessage.annotators.through.objects.filter(
        outboxmessage=OuterRef("pk"), annotator__identity__isnull=False
    )
    _unsent(messages).exclude(Exists(named)).update(
        state=OutboxMessage.State.UNDONE, claimed_at=None, ended_at=timezone.now()
    )


def _still_known() -> QuerySet[Annotator]:
    """Those whose turns a crowd can still name: of campaigns that were not erased."""
    arrived = Arrival.objects.exclude(external_id="")
    reported = Submission.objects.exclude(external_id__startswith=ERASED)
    return Annotator.objects.filter(
        Q(pk__in=arrived.values("assignment__annotator")) | Q(pk__in=reported.values("annotator"))
    )
