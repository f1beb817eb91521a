"""People under a pseudonym, and their work: given out, given back, run out of time, handed in."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from collections.abc import Collection, Iterable

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from annotations.errors import Unfinished, WorkClosed
from annotations.models import Annotator, AnnotatorIdentity, Assignment, Rating
from annotations.selectors.work import (
    assignment_of,
    assignments_of,
    closed_sentence,
    corrections_open,
    rated_count,
)
from annotations.tokens import RatingSession
from hits.bulk import rows_write
from hits.models import Batch, Campaign, HitItem
from hits.services.campaigns import campaign_go_live

State = Assignment.State
SIMULATED = "simulated"


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
def _annotator_create(crowd: str, external_id: str) -> Annotator:
    simulated = crowd == SIMULATED
    pseudonym = f"sim-{_digest(external_id)}" if simulated else f"a-{secrets.token_hex(6)}"
    annotator = Annotator.objects.create(pseudonym=pseudonym, is_simulated=simulated)
    AnnotatorIdentity.objects.create(annotator=annotator, crowd=crowd, external_id=external_id)
    return annotator


def _digest(name: str) -> str:
    """The same simulated annotator has the same pseudonym in every run."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


@transaction.atomic
def assignments_open_for(*, batch: Batch) -> None:
    """Let people work on a batch: the campaign's number of assignments for each of its HITs."""
    campaign_go_live(campaign=batch.campaign)
    there = Assignment.objects.filter(hit__batch=batch).exclude(state__in=Assignment.GIVEN_UP)
    known = set(there.values_list("hit", "slot"))
    slots = [
        (hit, slot)
        for hit in batch.hits.values_list("pk", flat=True)
        for slot in range(1, batch.campaign.assignments + 1)
    ]
    slots_write(batch.campaign_id, (each for each in slots if each not in known))


def slots_write(campaign: int, slots: Iterable[tuple[int, int]]) -> None:
    """Open assignments, given by HIT and slot, however many.

    Whoever calls holds the campaign's row: nobody else opens any at the same moment.
    """
    columns = ["campaign_id", "hit_id", "slot", "state", "comment"]
    rows_write(Assignment, columns, ((campaign, *each, State.OPEN, "") for each in slots))


@transaction.atomic
def batches_open(*, campaign: Campaign) -> None:
    """Let people work on everything the campaign has composed so far."""
    campaign_go_live(campaign=campaign)
    for batch in campaign.batches.all():
        assignments_open_for(batch=batch)


@transaction.atomic
def assignment_return(*, session: RatingSession) -> None:
    """Give the work back; what was rated stays, and somebody else can take the HIT."""
    mine = assignments_of(session)
    if mine.filter(state=State.ACTIVE).update(state=State.RETURNED):
        _slot_reopen(session.assignment)
    elif not mine.filter(state=State.RETURNED).exists():
        raise WorkClosed(_("This task can no longer be given back."))


@transaction.atomic
def assignments_expire(*, now: dt.datetime, campaign: Campaign | None = None) -> int:
    """Give back the work whose time has run out. Doing it twice changes nothing."""
    overdue = Assignment.objects.filter(state=State.ACTIVE, expires_at__lte=now)
    if campaign is not None:
        overdue = overdue.filter(campaign=campaign)
    expired = 0
    for assignment in overdue:
        still = Assignment.objects.filter(pk=assignment.pk, state=State.ACTIVE)
        if still.update(state=State.EXPIRED):
            _slot_reopen(assignment.pk)
            expired += 1
    return expired


@transaction.atomic
def assignment_withdraw(*, assignment: Assignment, ran_out: bool) -> None:
    """Somebody gave up, their crowd says: what they rated stays, and another can take the HIT."""
    mine = Assignment.objects.filter(pk=assignment.pk, state=State.ACTIVE)
    if mine.update(state=State.EXPIRED if ran_out else State.RETURNED):
        _slot_reopen(assignment.pk)


def _slot_reopen(pk: int) -> None:
    """Offer the place of an assignment again. Read anew: it may just have been confirmed."""
    turn = Assignment.objects.get(pk=pk)
    if turn.slot is not None:
        Assignment.objects.create(campaign_id=turn.campaign_id, hit_id=turn.hit_id, slot=turn.slot)


@transaction.atomic
def assignment_submit(
    *,
    session: RatingSession,
    comment: str = "",
    corrected: Collection[int] = (),
    now: dt.datetime | None = None,
) -> None:
    """Hand in finished work, exactly once: a repeated post finds it done and changes nothing.

    Somebody who rated everything may do so until the work was given to another, late or not.
    Handing in again closes what was sent back and shown (``corrected``, the first positions of the
    pages); what was sent back meanwhile stays open. What they had said before is kept.
    """
    now, comment = now or timezone.now(), comment.replace("\x00", "").strip()
    rating = Rating.objects.filter(assignment=OuterRef(OuterRef("pk")), item=OuterRef("pk"))
    missing = HitItem.objects.filter(~Exists(rating), hit=OuterRef("hit"))
    mine = assignments_of(session)
    submitted = mine.filter(~Exists(missing), state=State.ACTIVE).update(
        state=State.SUBMITTED,
        submitted_at=now,
        comment=comment,
    )
    if not submitted:
        assignment = assignment_of(session)
        _submission_refuse(assignment)
        _corrections_close(assignment, corrected, comment, now)


def _corrections_close(
    assignment: Assignment, corrected: Collection[int], comment: str, now: dt.datetime
) -> None:
    shown = HitItem.objects.filter(hit=assignment.hit_id, position__in=corrected)
    mine = corrections_open().filter(
        assignment=assignment, video__in=shown.values("caption__video")
    )
    if mine.update(done_at=now) and comment:
        said = f"{assignment.comment}\n{comment}".strip()
        Assignment.objects.filter(pk=assignment.pk).update(comment=said)


def _submission_refuse(assignment: Assignment) -> None:
    if assignment.state == State.ACTIVE:
        first = rated_count(assignment.pk) + 1
        sentence = _("Caption {number} is not rated yet. Every caption needs a rating.")
        raise Unfinished(sentence.format(number=first))
    if assignment.state in Assignment.GIVEN_UP:
        raise WorkClosed(closed_sentence(assignment, timezone.now()))
