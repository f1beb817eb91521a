"""Knowing people by a pseudonym, and inviting them."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

from django.db import IntegrityError, transaction

from annotations.models import Annotator, AnnotatorIdentity, Exclusion, Invitation
from daplatform.errors import DomainError
from hits.models import Campaign

INVITED = "invite"
SIMULATED = "simulated"
MAX_NAME = 150


def annotator_identify(*, crowd: str, external_id: str) -> Annotator:
    """The annotator behind somebody's id in a crowd, made at their first visit."""
    known = Annotator.objects.filter(identity__crowd=crowd, identity__external_id=external_id)
    try:
        return known.get()
    except Annotator.DoesNotExist:
        pass
    try:
        return _annotator_create(crowd, external_id)
    except IntegrityError:  # the same person's other request was quicker
        return known.get()


@transaction.atomic
def annotators_invite(
    *, campaign: Campaign, names: list[str], joined: bool = False
) -> list[Invitation]:
    """A personal invitation for everybody named; those invited before keep theirs."""
    if not names:
        raise DomainError("Name at least one person to invite.")
    odd = [name for name in names if len(name) > MAX_NAME or not name.isprintable()]
    if odd:
        raise DomainError(f"“{odd[0][:40]}…” is no name: {MAX_NAME} plain characters at most.")
    return [_invite(campaign, INVITED, name, joined) for name in dict.fromkeys(names)]


@transaction.atomic
def annotators_simulate(*, campaign: Campaign, names: list[str]) -> list[Invitation]:
    """Invite annotators who are programs, and are marked so for good."""
    return [_invite(campaign, SIMULATED, name) for name in names]


@transaction.atomic
def annotators_exclude(
    *, campaign: Campaign, annotators: Iterable[int], excluded: bool
) -> list[int]:
    """Give people no more HITs of the campaign's owner, or let them in again; for whom that is new.

    Who is at work may finish.
    """
    wanted = set(annotators)
    mine = Exclusion.objects.filter(owner=campaign.owner_id)
    known = set(mine.filter(annotator__in=wanted).values_list("annotator", flat=True))
    if excluded:
        changed = sorted(wanted - known)
        Exclusion.objects.bulk_create(
            (Exclusion(owner_id=campaign.owner_id, annotator_id=pk) for pk in changed),
            ignore_conflicts=True,  # the owner's other campaign may say the same at the same moment
        )
    else:
        changed = sorted(known)
        mine.filter(annotator__in=changed).delete()
    return changed


def _invite(campaign: Campaign, crowd: str, name: str, joined: bool = False) -> Invitation:
    # Names are the organiser's own words: "Anna" of one campaign is not "Anna" of another.
    annotator = annotator_identify(crowd=crowd, external_id=f"{campaign.pk}:{name}")
    return Invitation.objects.get_or_create(
        campaign=campaign, annotator=annotator, defaults={"joined": joined}
    )[0]


@transaction.atomic
def _annotator_create(crowd: str, external_id: str) -> Annotator:
    simulated = crowd == SIMULATED
    pseudonym = f"sim-{_digest(external_id)}" if simulated else f"a-{secrets.token_hex(6)}"
    annotator = Annotator.objects.create(pseudonym=pseudonym, is_simulated=simulated)
    AnnotatorIdentity.objects.create(annotator=annotator, crowd=crowd, external_id=external_id)
    return annotator


def _digest(name: str) -> str:
    """The same simulated annotator has the same pseudonym in every run."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
