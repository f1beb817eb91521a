"""Forgetting who people are, while what they rated stays.

Ratings know annotators by a pseudonym. What ties it to a person stands in a few columns, which are
emptied here: ids at marketplaces, addresses to return to, and what people wrote in comments.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import CharField, Max, QuerySet, Value
from django.db.models.functions import Cast, Concat

from annotations.models import Annotator, AnnotatorIdentity, Arrival, Assignment, Submission
from daplatform.errors import DomainError
from hits.models import Act, Campaign

Progress = Submission.Progress
PENDING = (Progress.WORKING, Progress.SUBMITTED)


@transaction.atomic
def annotator_erase(*, annotator: Annotator) -> None:
    """Forget one person everywhere. Coming again, they are somebody new."""
    _erase(
        turns=Assignment.objects.filter(annotator=annotator),
        submissions=Submission.objects.filter(annotator=annotator),
    )
    AnnotatorIdentity.objects.filter(annotator=annotator).delete()


@transaction.atomic
def campaign_erase(*, campaign: Campaign) -> None:
    """Forget everybody who rated a closed campaign, unless they rate in another one too."""
    if campaign.state != Campaign.State.CLOSED:
        raise DomainError("Close the campaign first: people who come back must be known.")
    people = Annotator.objects.filter(assignments__campaign=campaign).distinct()
    elsewhere = Annotator.objects.filter(assignments__campaign__in=_others(campaign))
    _erase(
        turns=Assignment.objects.filter(campaign=campaign),
        submissions=Submission.objects.filter(posting__launch__batch__campaign=campaign),
    )
    invited = AnnotatorIdentity.objects.filter(annotator__invitations__campaign=campaign)
    rated = AnnotatorIdentity.objects.filter(annotator__in=people)
    for identities in (rated, invited):
        identities.exclude(annotator__in=elsewhere).delete()


def campaigns_retire(*, now: dt.datetime, days: int) -> list[Campaign]:
    """Erase closed campaigns whose last work was handed in so many days ago. 0 keeps everything."""
    if not days:
        return []
    last = now - dt.timedelta(days=days)
    closed = Campaign.objects.filter(state=Campaign.State.CLOSED)
    old = closed.annotate(last=Max("turns__submitted_at")).filter(last__lt=last)
    known = old.filter(turns__annotator__identity__isnull=False).distinct()
    retired: list[Campaign] = []
    for campaign in known:
        try:
            campaign_erase(campaign=campaign)
        except DomainError:  # somebody is not paid yet: tomorrow, perhaps
            continue
        retired.append(campaign)
    return retired


def _erase(*, turns: QuerySet[Assignment], submissions: QuerySet[Submission]) -> None:
    subjects = [f"submission:{pk}" for pk in submissions.values_list("pk", flat=True)]
    acts = Act.objects.filter(subject__in=subjects)
    if submissions.filter(progress__in=PENDING).exists() or _open(acts).exists():
        raise DomainError(
            "Decide about all submitted work first: whoever is erased cannot be paid."
        )
    acts.update(payload={})
    Arrival.objects.filter(assignment__in=turns).update(external_id="", return_to="")
    nobody = Concat(Value("erased-"), Cast("pk", CharField()))
    submissions.update(external_id=nobody)
    turns.update(comment="")


def _open(acts: QuerySet[Act]) -> QuerySet[Act]:
    return acts.exclude(state__in=Act.ENDED)


def _others(campaign: Campaign) -> QuerySet[Campaign]:
    return Campaign.objects.exclude(pk=campaign.pk)
