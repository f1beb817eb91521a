"""Who is invited again and who is not, and writing to people: as their crowds know them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from crowds.models import AuditEntry, Exclusion, OutboxMessage, ReviewAction, Submission
from crowds.references import audience_again, audience_not_again
from crowds.registry import connect, crowd_named
from crowds.services.outbox import outbox_write
from daplatform.errors import DomainError
from hits.models import Campaign

Several = Sequence[Submission]


@transaction.atomic
def submissions_invite_again(
    *, campaign: Campaign, submissions: Several, again: bool | None, by: User
) -> None:
    """Invite people again or not, whatever the rules say; None lets the rules decide again."""
    Submission.objects.filter(pk__in=[row.pk for row in submissions]).update(invite_again=again)
    people = [row.annotator_id for row in submissions]
    annotators_exclude(campaign=campaign, annotators=people, excluded=again is False)
    if again is not None:
        people_enlist(campaign=campaign, submissions=submissions, again=again, by=by)
    word = {True: "invited again", False: "did not invite again", None: "let the rule decide on"}
    decision_note(campaign, by, word[again], names_of(submissions))


def people_enlist(
    *, campaign: Campaign, submissions: Iterable[Submission], again: bool, by: User | None
) -> None:
    """Keep the crowds' lists of who is invited again, and who is not, as they should be."""
    for crowd, people in _people(submissions).items():
        if crowd_named(crowd).is_marketplace:  # else the organiser's own memory is the list
            lists_change(campaign=campaign, crowd=crowd, annotators=people, again=again, by=by)


def lists_change(
    *,
    campaign: Campaign,
    crowd: str,
    annotators: Collection[int],
    again: bool,
    by: User | None,
    action: ReviewAction | None = None,
    before: dict[str, Any] | None = None,
) -> None:
    """Tell a crowd that these annotators are invited again, or are not."""
    here, there = audience_again(campaign), audience_not_again(campaign)
    wanted, unwanted = (here, there) if again else (there, here)
    for kind, audience in (
        (OutboxMessage.Kind.ENLIST, wanted),
        (OutboxMessage.Kind.DELIST, unwanted),
    ):
        times = OutboxMessage.objects.filter(crowd=crowd, kind=kind).count()
        payload: dict[str, Any] = {"audience": audience}
        if audience == there and before is not None:  # the list that keeps people out
            payload["before"] = before
        outbox_write(
            campaign=campaign,
            crowd=crowd,
            kind=kind,
            occasion=f"{audience}:{digest_of(annotators)}:{times}",
            payload=payload,
            annotators=annotators,
            by=by,
            action=action,
        )


@transaction.atomic
def submissions_message(
    *,
    campaign: Campaign,
    submissions: Several,
    subject: str,
    text: str,
    by: User,
    action: ReviewAction | None = None,
) -> None:
    """Write to the people who made these submissions."""
    if not subject.strip() or not text.strip():
        raise DomainError("A message needs a subject and a text.")
    for crowd, people in _people(submissions).items():
        if not connect(crowd).facts.can_message:
            raise DomainError(
                "People of this crowd cannot be written to from here: contact them yourself."
            )
        outbox_write(
            campaign=campaign,
            crowd=crowd,
            kind=OutboxMessage.Kind.MESSAGE,
            occasion=digest_of(people, subject, text),
            payload={"subject": subject.strip(), "text": text.strip()},
            annotators=people,
            by=by,
            action=action,
        )
    decision_note(campaign, by, "wrote", f"“{subject.strip()}” to {names_of(submissions)}")


def _people(submissions: Iterable[Submission]) -> dict[str, set[int]]:
    """Annotators by crowd, of those whose identity was not erased."""
    people: dict[str, set[int]] = {}
    for submission in submissions:
        if person_of(submission):
            people.setdefault(submission.crowd, set()).add(submission.annotator_id)
    return people


def person_of(submission: Submission) -> str:
    identity = getattr(submission.annotator, "identity", None)
    return identity.external_id if identity else ""


def names_of(submissions: Several) -> str:
    names = sorted({str(row.annotator) for row in submissions})
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def digest_of(annotators: Iterable[int], *words: str) -> str:
    """Tells messages to the same people, in the same words, from others."""
    parts = [*map(str, sorted(annotators)), *words]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def decision_note(campaign: Campaign, by: User | None, action: str, detail: str) -> None:
    AuditEntry.objects.create(campaign=campaign, person=by, action=action, detail=detail)


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
