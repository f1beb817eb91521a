"""Inviting people by name: each has an invitation, and a link that stands for it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from annotations.errors import LinkRefused
from annotations.models import Assignment
from annotations.services.assignments import SIMULATED, annotator_identify
from annotations.tokens import Entry, since
from crowds.models import AuditEntry, Invitation, Launch
from daplatform.errors import DomainError
from daplatform.wording import counted
from hits.models import Batch, Campaign

INVITED = "invite"
MAX_NAME = 150


@transaction.atomic
def annotators_invite(
    *, campaign: Campaign, names: list[str], by: User | None = None, joined: bool = False
) -> list[Invitation]:
    """A personal invitation for everybody named; those invited before keep theirs.

    Raises DomainError where no batch is launched for invited people: links would lead to nothing.
    """
    if obstacle := inviting_obstacle(campaign):
        raise DomainError(obstacle)
    if not names:
        raise DomainError("Name at least one person to invite.")
    unusable = [name for name in names if len(name) > MAX_NAME or not name.isprintable()]
    if unusable:
        raise DomainError(
            f"“{unusable[0][:40]}…” cannot be a name: use {MAX_NAME} plain characters at most."
        )
    known = Invitation.objects.filter(campaign=campaign).count()
    invitations = [_invite(campaign, INVITED, name, joined) for name in dict.fromkeys(names)]
    new = Invitation.objects.filter(campaign=campaign).count() - known
    if new and not joined:
        detail = f"{counted(new, 'person', 'people')} by personal links"
        AuditEntry.objects.create(campaign=campaign, person=by, action="invited", detail=detail)
    return invitations


def inviting_obstacle(campaign: Campaign) -> str:
    """Why nobody can be invited now, as a sentence for the organiser; empty when people can.

    Work that simulated annotators were given has no launch, and is there for people too.
    """
    if campaign.state == Campaign.State.CLOSED:
        return "This campaign is closed."
    if not campaign.batches.filter(status=Batch.Status.DONE).exists():
        return "Compose the HITs first: there is nothing to rate yet."
    launches = Launch.objects.filter(batch__campaign=campaign, crowd=INVITED)
    simulated = Assignment.objects.filter(campaign=campaign, hit__batch__launch=None)
    if launches.exclude(state=Launch.State.CLOSED).exists() or simulated.exists():
        return ""
    return "Launch a batch for invited people first: their links lead to its HITs."


@transaction.atomic
def annotators_simulate(*, campaign: Campaign, names: list[str]) -> list[Invitation]:
    """Invite annotators who are programs, and are marked so for good."""
    return [_invite(campaign, SIMULATED, name) for name in names]


def _invite(campaign: Campaign, crowd: str, name: str, joined: bool = False) -> Invitation:
    # Names are the organiser's own words: "Anna" of one campaign is not "Anna" of another.
    annotator = annotator_identify(crowd=crowd, external_id=f"{campaign.pk}:{name}")
    return Invitation.objects.get_or_create(
        campaign=campaign, annotator=annotator, defaults={"joined": joined}
    )[0]


def invitation_entry(invitation: Invitation) -> Entry:
    """What the link of one invited person says."""
    return Entry(
        campaign=invitation.campaign_id,
        crowd=INVITED,
        invitation=invitation.pk,
        since=since(invitation.created_at),
    )


def entry_invitation(entry: Entry) -> Invitation:
    invitations = Invitation.objects.select_related("annotator", "campaign")
    invitation = invitations.filter(pk=entry.invitation or 0, campaign=entry.campaign).first()
    if invitation is None or entry.since != since(invitation.created_at):
        raise LinkRefused(_("This invitation was withdrawn."))
    return invitation


def invitation_of(assignment: Assignment) -> Invitation | None:
    return Invitation.objects.filter(
        campaign=assignment.campaign, annotator=assignment.annotator
    ).first()


def invitations_with_progress(campaign: Campaign) -> QuerySet[Invitation]:
    """Who was invited, with `finished` and `active` assignments of theirs in this campaign."""
    theirs = Q(annotator__assignments__campaign=campaign)
    active = Q(annotator__assignments__state=Assignment.State.ACTIVE)
    given_up = Q(annotator__assignments__state__in=Assignment.GIVEN_UP)
    return (
        Invitation.objects.filter(campaign=campaign)
        .select_related("annotator__identity")
        .annotate(
            finished=Count("annotator__assignments", filter=theirs & ~active & ~given_up),
            active=Count("annotator__assignments", filter=theirs & active),
        )
        .order_by("pk")
    )


def simulated_took_part(campaign: Campaign) -> bool:
    return Assignment.objects.filter(campaign=campaign, annotator__is_simulated=True).exists()
