"""Who is invited again and who is not, and writing to people: as their crowds know them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotations.models import Submission
from annotations.references import audience_again, audience_not_again
from annotations.services.annotators import INVITED, annotators_exclude
from daplatform.errors import DomainError
from hits.crowds import connect
from hits.models import Act, AuditEntry, Campaign, Order
from hits.services.outbox import act_write

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
    word = {True: "invites again", False: "does not invite again", None: "lets the rules decide on"}
    decision_note(campaign, by, word[again], names_of(submissions))


def people_enlist(
    *, campaign: Campaign, submissions: Iterable[Submission], again: bool, by: User | None
) -> None:
    """Keep the crowds' lists of who is invited again, and who is not, as they should be."""
    for crowd, people in _people(submissions).items():
        if crowd != INVITED:  # the organiser's own memory is the list
            lists_change(campaign=campaign, crowd=crowd, people=people, again=again, by=by)


def lists_change(
    *,
    campaign: Campaign,
    crowd: str,
    people: Sequence[str],
    again: bool,
    by: User | None,
    order: Order | None = None,
    before: dict[str, Any] | None = None,
) -> None:
    """Tell a crowd that these people are invited again, or are not."""
    here, there = audience_again(campaign), audience_not_again(campaign)
    wanted, unwanted = (here, there) if again else (there, here)
    for kind, audience in ((Act.Kind.ENLIST, wanted), (Act.Kind.DELIST, unwanted)):
        times = Act.objects.filter(crowd=crowd, kind=kind).count()
        payload: dict[str, Any] = {"audience": audience, "people": people}
        if audience == there and before is not None:  # the list that keeps people out
            payload["before"] = before
        act_write(
            campaign=campaign,
            crowd=crowd,
            kind=kind,
            subject=f"{audience}:{digest_of(people)}:{times}",
            payload=payload,
            by=by,
            order=order,
        )


@transaction.atomic
def submissions_message(
    *,
    campaign: Campaign,
    submissions: Several,
    subject: str,
    text: str,
    by: User,
    order: Order | None = None,
) -> None:
    """Write to the people who made these submissions."""
    if not subject.strip() or not text.strip():
        raise DomainError("A message needs a subject and a text.")
    for crowd, people in _people(submissions).items():
        if not connect(crowd).facts.can_message:
            raise DomainError("People of this crowd have no address here: write to them yourself.")
        written_to = {
            row.annotator_id for row in submissions if row.crowd == crowd and person_of(row)
        }
        act_write(
            campaign=campaign,
            crowd=crowd,
            kind=Act.Kind.MESSAGE,
            subject=f"message:{digest_of([*people, subject, text])}",
            payload={
                "people": people,
                "annotators": sorted(written_to),
                "subject": subject.strip(),
                "text": text.strip(),
            },
            by=by,
            order=order,
        )
    decision_note(campaign, by, "wrote", f"“{subject.strip()}” to {names_of(submissions)}")


def _people(submissions: Iterable[Submission]) -> dict[str, list[str]]:
    """External ids by crowd, of those whose identity was not erased."""
    people: dict[str, set[str]] = {}
    for submission in submissions:
        if person := person_of(submission):
            people.setdefault(submission.crowd, set()).add(person)
    return {crowd: sorted(each) for crowd, each in people.items()}


def person_of(submission: Submission) -> str:
    identity = getattr(submission.annotator, "identity", None)
    return identity.external_id if identity else ""


def names_of(submissions: Several) -> str:
    names = sorted({str(row.annotator) for row in submissions})
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def digest_of(words: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def decision_note(campaign: Campaign, by: User | None, action: str, detail: str) -> None:
    AuditEntry.objects.create(campaign=campaign, person=by, action=action, detail=detail)
