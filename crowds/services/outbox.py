"""Carrying out what crowds are to be told: once, whatever dies in between.

Messages are written with the change that wants them (`outbox_write`). A worker claims one, commits,
calls the crowd, and records the outcome in a transaction of its own: no transaction is ever held
across a call. A claim that is never recorded means that the call may have been made: the message
becomes unclear, and the crowd is asked what happened before anything is tried again. So it is with
all that waits in a database that was restored (`crowds.services.restoring`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from crowds.gateway import (
    CrowdError,
    Gateway,
    PermanentFault,
    TransientFault,
    UnclearOutcome,
)
from crowds.models import AuditEntry, OutboxMessage, Publication, ReviewAction, Submission
from crowds.registry import connect
from crowds.services.handlers import HANDLERS, Undecidable
from crowds.services.restoring import (
    IN_DOUBT,
    LOOK_UP_AFTER,
    MarkUnwritable,
    sending_lock,
    sending_note,
    snapshot_recognise,
)
from daplatform.errors import DomainError
from hits.models import Campaign

Kind, State = OutboxMessage.Kind, OutboxMessage.State
# Longer than any call with its retries takes.
CLAIM_LAPSES = dt.timedelta(minutes=5)
SHORTEST_WAIT, LONGEST_WAIT = dt.timedelta(seconds=5), dt.timedelta(minutes=30)
MOST_ATTEMPTS = 50
REPEATABLE = tuple(kind for kind in Kind if kind not in (Kind.PUBLISH, Kind.EXTEND, Kind.BONUS))


def outbox_write(
    *,
    campaign: Campaign,
    crowd: str,
    kind: OutboxMessage.Kind,
    occasion: str = "",
    payload: dict[str, Any] | None = None,
    publication: Publication | None = None,
    submission: Submission | None = None,
    annotators: Iterable[int] = (),
    by: User | None = None,
    action: ReviewAction | None = None,
) -> OutboxMessage:
    """Write down what is to be done. The same message written twice is one message."""
    message, is_new = OutboxMessage.objects.exclude(state=State.UNDONE).get_or_create(
        crowd=crowd,
        kind=kind,
        publication=publication,
        submission=submission,
        occasion=occasion,
        defaults={
            "campaign": campaign,
            "payload": payload or {},
            "asked_by": by,
            "action": action,
            "next_try_at": outbox_begins(action),
        },
    )
    if is_new:
        message.annotators.set(annotators)
    return message


def outbox_begins(action: ReviewAction | None) -> dt.datetime:
    """When a message may be sent: at once, or when a review action can no longer be regretted."""
    grace = settings.UNDO_SECONDS if action else 0
    return timezone.now() + dt.timedelta(seconds=grace)


def outbox_due(now: dt.datetime, crowd: str | None = None) -> QuerySet[OutboxMessage]:
    """What can be tried now: nothing before its publication is out, what changes a publication's
    status only after the changes that were wanted earlier, and closing it only after what was
    decided about its people."""
    pending = OutboxMessage.objects.filter(
        publication=OuterRef("publication"), pk__lt=OuterRef("pk")
    ).exclude(state__in=OutboxMessage.ENDED)
    due = OutboxMessage.objects.filter(
        ~Exists(pending.filter(kind=Kind.PUBLISH)),
        ~Q(kind__in=OutboxMessage.CHANGING)
        | ~Exists(pending.filter(kind__in=OutboxMessage.CHANGING)),
        ~Q(kind=Kind.CLOSE) | ~Exists(pending.filter(kind__in=OutboxMessage.DECIDING)),
        state__in=[State.WAITING, State.UNCLEAR],
        next_try_at__lte=now,
    )
    return due if crowd is None else due.filter(crowd=crowd)


def crowds_waiting(now: dt.datetime | None = None) -> list[str]:
    """The crowds that something is to be told now."""
    return sorted(set(outbox_due(now or timezone.now()).order_by().values_list("crowd", flat=True)))


def outbox_run(*, crowd: str, limit: int = 500, now: dt.datetime | None = None) -> int:
    """Carry out what is due at a crowd, one after the other; how many messages were tried."""
    try:
        snapshot_recognise()
        return _run(crowd, limit, now)
    except (PermanentFault, MarkUnwritable) as fault:
        outbox_due(now or timezone.now(), crowd).update(
            error=str(fault), next_try_at=timezone.now() + LONGEST_WAIT
        )
        return 0


def _run(crowd: str, limit: int, now: dt.datetime | None) -> int:
    tried, gateway = 0, connect(crowd)
    while tried < limit:
        moment = now or timezone.now()
        messages = outbox_claim(crowd=crowd, size=gateway.facts.approvals_per_call, now=moment)
        if not messages:
            break
        try:
            sending_note()
        except MarkUnwritable as fault:
            _note(messages, State(messages[0].state), str(fault))
            raise
        outbox_carry_out(gateway=gateway, messages=messages)
        tried += len(messages)
    return tried


@transaction.atomic
def outbox_claim(*, crowd: str, size: int, now: dt.datetime) -> list[OutboxMessage]:
    """Take what is due next: one message, or approvals that the crowd takes in one call.

    The messages are as they were before, so that one sees whether their outcome was unclear.
    """
    sending = sending_lock()
    due = outbox_due(now, crowd).select_for_update(skip_locked=True, of=("self",))
    first = due.order_by("next_try_at", "pk").first()
    if first is None:
        return []
    messages = [first]
    if first.kind == Kind.APPROVE and first.state == State.WAITING and size > 1:
        alike = due.filter(publication=first.publication, kind=Kind.APPROVE, state=State.WAITING)
        alike = alike.filter(payload__overrule=first.payload["overrule"]).exclude(pk=first.pk)
        messages += alike.order_by("pk")[: size - 1]
    OutboxMessage.objects.filter(pk__in=[message.pk for message in messages]).update(
        state=State.CLAIMED, claimed_at=now, attempts=F("attempts") + 1
    )
    sending.claims += 1
    sending.save()
    for message in messages:
        message.claimed_at, message.attempts = now, message.attempts + 1
    return messages


def outbox_carry_out(*, gateway: Gateway, messages: Sequence[OutboxMessage]) -> None:
    """Call the crowd about claimed messages of one kind, and record what came of it."""
    handler = HANDLERS[Kind(messages[0].kind)]
    doubt = State.UNCLEAR if messages[0].state == State.UNCLEAR else State.WAITING
    outcome = None
    try:
        if doubt == State.UNCLEAR:
            outcome = handler.look_up(gateway, messages[0])
            doubt = State.WAITING
        if outcome is None:
            outcome = handler.perform(gateway, messages)
    except Undecidable as reason:
        _note(messages, State.ASKING, str(reason))
    except UnclearOutcome as fault:
        _note(messages, State.UNCLEAR, str(fault), LOOK_UP_AFTER)
    except TransientFault as fault:
        _note(messages, doubt, str(fault), _wait(messages[0], fault))
    except PermanentFault as fault:
        if doubt == State.UNCLEAR:  # it was the looking that was refused
            _note(messages, State.ASKING, str(fault))
        else:
            _refused(gateway, messages, fault)
    else:
        for message in messages:
            outbox_done(message=message, outcome=outcome)


def _refused(gateway: Gateway, messages: Sequence[OutboxMessage], fault: CrowdError) -> None:
    """One bad apple spoils a call for all of them: then each is tried alone."""
    if len(messages) == 1:
        return outbox_fail(message=messages[0], sentence=str(fault))
    for message in messages:
        outbox_carry_out(gateway=gateway, messages=[message])
    return None


def _note(
    messages: Sequence[OutboxMessage],
    state: OutboxMessage.State,
    sentence: str,
    wait: dt.timedelta | None = None,
) -> None:
    """Let go of messages that are not over, and say why and when to try again."""
    for message in messages:
        claimed_at = message.claimed_at or timezone.now()
        # Closing waits for people and their reviewers, however long they take.
        tired = message.attempts >= MOST_ATTEMPTS and message.kind != Kind.CLOSE
        OutboxMessage.objects.filter(
            pk=message.pk, state=State.CLAIMED, claimed_at=message.claimed_at
        ).update(
            state=State.ASKING if tired else state,
            claimed_at=None,
            error=sentence,
            next_try_at=claimed_at + (wait or dt.timedelta()),
        )


def _wait(message: OutboxMessage, fault: TransientFault) -> dt.timedelta:
    """Twice as long after every attempt, within bounds; or as long as the crowd asks for."""
    doublings = min(message.attempts - 1, 12)
    wait = min(SHORTEST_WAIT * (1 << doublings), LONGEST_WAIT)
    return max(wait, dt.timedelta(seconds=fault.retry_after or 0))


@transaction.atomic
def outbox_done(*, message: OutboxMessage, outcome: Any) -> None:
    """Record what the crowd has done. Whoever lost the claim meanwhile leaves it to the other."""
    claimed = OutboxMessage.objects.filter(
        pk=message.pk, state=State.CLAIMED, claimed_at=message.claimed_at
    )
    if claimed.update(
        state=State.DONE,
        claimed_at=None,
        ended_at=timezone.now(),
        error="",
    ):
        HANDLERS[Kind(message.kind)].record(message, outcome)


@transaction.atomic
def outbox_fail(*, message: OutboxMessage, sentence: str) -> None:
    """Record that the crowd refused for good."""
    claimed = OutboxMessage.objects.filter(
        pk=message.pk, state=State.CLAIMED, claimed_at=message.claimed_at
    )
    if claimed.update(state=State.FAILED, claimed_at=None, ended_at=timezone.now(), error=sentence):
        HANDLERS[Kind(message.kind)].give_up(message)


@transaction.atomic
def outbox_take_back(*, messages: QuerySet[OutboxMessage]) -> list[OutboxMessage]:
    """Undo those that no worker has taken yet; which ones that were.

    A message that was tried may have been carried out, whatever its state says. One that a worker
    is just claiming is locked and passed over: it will be sent, and is not undone.
    """
    locked = messages.select_for_update(skip_locked=True, of=("self",))
    taken = list(locked.filter(state=State.WAITING, attempts=0))
    for message in taken:
        message.state, message.ended_at = State.UNDONE, timezone.now()
        HANDLERS[Kind(message.kind)].give_up(message)
    OutboxMessage.objects.bulk_update(taken, ["state", "ended_at"], batch_size=500)
    return taken


def claims_lapse(*, now: dt.datetime | None = None) -> int:
    """Messages whose worker died: the call may have been made, so they are to be looked up."""
    now = now or timezone.now()
    stale = OutboxMessage.objects.filter(state=State.CLAIMED, claimed_at__lt=now - CLAIM_LAPSES)
    return stale.update(
        state=State.UNCLEAR, claimed_at=None, next_try_at=now, error="The worker was interrupted."
    )


@transaction.atomic
def outbox_settle(*, message: OutboxMessage, was_done: bool, by: User) -> None:
    """A person has looked at the crowd's own pages and says what happened to an unclear message."""
    if was_done and message.kind == Kind.PUBLISH:
        raise DomainError("Try it again instead: anything already published will be found.")
    now = timezone.now()
    asking = OutboxMessage.objects.filter(pk=message.pk, state=State.ASKING)
    if not asking.update(state=State.CLAIMED, claimed_at=now):
        raise DomainError("This no longer needs a decision.")
    message.claimed_at = now
    if was_done:
        outbox_done(message=message, outcome=None)
    else:
        outbox_fail(message=message, sentence="A person marked this as not done.")
    word = "done" if was_done else "not done"
    AuditEntry.objects.create(
        campaign=message.campaign, person=by, action="settled", detail=f"{message}: {word}"
    )


@transaction.atomic
def outbox_retry(*, message: OutboxMessage, by: User) -> None:
    """Try again what waits for a person or was refused, looking first whether it was done.

    Where a refusal freed the money (publishing, more people, a bonus), it is to be wanted anew.
    """
    again = Q(state=State.ASKING) | Q(state=State.FAILED, kind__in=REPEATABLE)
    payload = {name: value for name, value in message.payload.items() if name != IN_DOUBT}
    if not OutboxMessage.objects.filter(again, pk=message.pk).update(
        state=State.UNCLEAR, attempts=0, next_try_at=timezone.now(), ended_at=None, payload=payload
    ):
        raise DomainError("This cannot be retried.")
    AuditEntry.objects.create(
        campaign=message.campaign, person=by, action="tried again", detail=str(message)
    )
