"""Carrying out what crowds are to be told: once, whatever dies in between.

Acts are written with the change that wants them (`act_write`). A worker claims one, commits, calls
the crowd, and records the outcome in a transaction of its own: no transaction is ever held across
a call. A claim that is never recorded means that the call may have been made: the act becomes
unclear, and the crowd is asked what happened before anything is tried again. So it is with all that
waits in a database that was restored (`hits.services.restoring`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from daplatform.errors import DomainError
from hits.crowds import connect
from hits.crowds.gateway import (
    CrowdError,
    Gateway,
    PermanentFault,
    TransientFault,
    UnclearOutcome,
)
from hits.mark import MarkUnwritable
from hits.models import Act, AuditEntry, Campaign, Order, Posting
from hits.services.errands import ERRANDS, Undecidable
from hits.services.restoring import LOOK_UP_AFTER, sending_lock, sending_note

Kind, State = Act.Kind, Act.State
# Longer than any call with its retries takes.
CLAIM_LAPSES = dt.timedelta(minutes=5)
SHORTEST_WAIT, LONGEST_WAIT = dt.timedelta(seconds=5), dt.timedelta(minutes=30)
MOST_ATTEMPTS = 50
REPEATABLE = tuple(kind for kind in Kind if kind not in (Kind.PUBLISH, Kind.EXTEND, Kind.BONUS))
# Who somebody is to a crowd is not kept longer than it is needed.
PERSONAL = ("people", "person")


def act_write(
    *,
    campaign: Campaign,
    crowd: str,
    kind: Act.Kind,
    subject: str,
    payload: dict[str, Any] | None = None,
    posting: Posting | None = None,
    by: User | None = None,
    order: Order | None = None,
) -> Act:
    """Write down what is to be done. The same wish written twice is one wish."""
    act, _ = Act.objects.exclude(state=State.UNDONE).get_or_create(
        crowd=crowd,
        kind=kind,
        subject=subject,
        defaults={
            "campaign": campaign,
            "posting": posting,
            "payload": payload or {},
            "asked_by": by,
            "order": order,
            "next_try_at": act_begins(order),
        },
    )
    return act


def act_begins(order: Order | None) -> dt.datetime:
    """When an act may be sent: at once, or when an order can no longer be regretted."""
    grace = settings.UNDO_SECONDS if order else 0
    return timezone.now() + dt.timedelta(seconds=grace)


def acts_due(now: dt.datetime, crowd: str | None = None) -> QuerySet[Act]:
    """What can be tried now: nothing before its posting is published, what changes a posting's
    standing only after the changes that were wanted earlier, and closing it only after what was
    decided about its people."""
    pending = Act.objects.filter(posting=OuterRef("posting"), pk__lt=OuterRef("pk")).exclude(
        state__in=Act.ENDED
    )
    due = Act.objects.filter(
        ~Exists(pending.filter(kind=Kind.PUBLISH)),
        ~Q(kind__in=Act.STANDING) | ~Exists(pending.filter(kind__in=Act.STANDING)),
        ~Q(kind=Kind.CLOSE) | ~Exists(pending.filter(kind__in=Act.DECIDING)),
        state__in=[State.WAITING, State.UNCLEAR],
        next_try_at__lte=now,
    )
    return due if crowd is None else due.filter(crowd=crowd)


def crowds_waiting(now: dt.datetime | None = None) -> list[str]:
    """The crowds that something is to be told now."""
    return sorted(set(acts_due(now or timezone.now()).order_by().values_list("crowd", flat=True)))


def acts_run(*, crowd: str, limit: int = 500, now: dt.datetime | None = None) -> int:
    """Carry out what is due at a crowd, one after the other; how many acts were tried."""
    try:
        return _acts_run(crowd, limit, now)
    except (PermanentFault, MarkUnwritable) as fault:
        acts_due(now or timezone.now(), crowd).update(
            error=str(fault), next_try_at=timezone.now() + LONGEST_WAIT
        )
        return 0


def _acts_run(crowd: str, limit: int, now: dt.datetime | None) -> int:
    tried, gateway = 0, connect(crowd)
    while tried < limit:
        moment = now or timezone.now()
        acts = acts_claim(crowd=crowd, size=gateway.facts.approvals_per_call, now=moment)
        if not acts:
            break
        try:
            sending_note()
        except MarkUnwritable as fault:
            _acts_note(acts, State(acts[0].state), str(fault))
            raise
        acts_carry_out(gateway=gateway, acts=acts)
        tried += len(acts)
    return tried


@transaction.atomic
def acts_claim(*, crowd: str, size: int, now: dt.datetime) -> list[Act]:
    """Take what is due next: one act, or approvals that the crowd takes in one call.

    The acts are as they were before, so that one sees whether their outcome was unclear.
    """
    sending = sending_lock()
    due = acts_due(now, crowd).select_for_update(skip_locked=True, of=("self",))
    first = due.order_by("next_try_at", "pk").first()
    if first is None:
        return []
    acts = [first]
    if first.kind == Kind.APPROVE and first.state == State.WAITING and size > 1:
        alike = due.filter(posting=first.posting, kind=Kind.APPROVE, state=State.WAITING)
        alike = alike.filter(payload__overrule=first.payload["overrule"]).exclude(pk=first.pk)
        acts += alike.order_by("pk")[: size - 1]
    Act.objects.filter(pk__in=[act.pk for act in acts]).update(
        state=State.CLAIMED, claimed_at=now, attempts=F("attempts") + 1
    )
    sending.claims += 1
    sending.save()
    for act in acts:
        act.claimed_at, act.attempts = now, act.attempts + 1
    return acts


def acts_carry_out(*, gateway: Gateway, acts: Sequence[Act]) -> None:
    """Call the crowd about claimed acts of one kind, and record what came of it."""
    errand = ERRANDS[Kind(acts[0].kind)]
    doubt = State.UNCLEAR if acts[0].state == State.UNCLEAR else State.WAITING
    outcome = None
    try:
        if doubt == State.UNCLEAR:
            outcome = errand.look_up(gateway, acts[0])
            doubt = State.WAITING
        if outcome is None:
            outcome = errand.perform(gateway, acts)
    except Undecidable as reason:
        _acts_note(acts, State.ASKING, str(reason))
    except UnclearOutcome as fault:
        _acts_note(acts, State.UNCLEAR, str(fault), LOOK_UP_AFTER)
    except TransientFault as fault:
        _acts_note(acts, doubt, str(fault), _wait(acts[0], fault))
    except PermanentFault as fault:
        if doubt == State.UNCLEAR:  # it was the looking that was refused
            _acts_note(acts, State.ASKING, str(fault))
        else:
            _acts_refused(gateway, acts, fault)
    else:
        for act in acts:
            act_done(act=act, outcome=outcome)


def _acts_refused(gateway: Gateway, acts: Sequence[Act], fault: CrowdError) -> None:
    """One bad apple spoils a call for all of them: then each is tried alone."""
    if len(acts) == 1:
        return act_fail(act=acts[0], sentence=str(fault))
    for act in acts:
        acts_carry_out(gateway=gateway, acts=[act])
    return None


def _acts_note(
    acts: Sequence[Act], state: Act.State, sentence: str, wait: dt.timedelta | None = None
) -> None:
    """Let go of acts that are not over, and say why and when to try again."""
    for act in acts:
        claimed_at = act.claimed_at or timezone.now()
        # Closing waits for people and their reviewers, however long they take.
        tired = act.attempts >= MOST_ATTEMPTS and act.kind != Kind.CLOSE
        Act.objects.filter(pk=act.pk, state=State.CLAIMED, claimed_at=act.claimed_at).update(
            state=State.ASKING if tired else state,
            claimed_at=None,
            error=sentence,
            next_try_at=claimed_at + (wait or dt.timedelta()),
        )


def _wait(act: Act, fault: TransientFault) -> dt.timedelta:
    """Twice as long after every attempt, within bounds; or as long as the crowd asks for."""
    doublings = min(act.attempts - 1, 12)
    wait = min(SHORTEST_WAIT * (1 << doublings), LONGEST_WAIT)
    return max(wait, dt.timedelta(seconds=fault.retry_after or 0))


@transaction.atomic
def act_done(*, act: Act, outcome: Any) -> None:
    """Record what the crowd has done. Whoever lost the claim meanwhile leaves it to the other."""
    claimed = Act.objects.filter(pk=act.pk, state=State.CLAIMED, claimed_at=act.claimed_at)
    if claimed.update(
        state=State.DONE,
        claimed_at=None,
        ended_at=timezone.now(),
        error="",
        payload=_impersonal(act),
    ):
        ERRANDS[Kind(act.kind)].record(act, outcome)


@transaction.atomic
def act_fail(*, act: Act, sentence: str) -> None:
    """Record that the crowd refused for good."""
    claimed = Act.objects.filter(pk=act.pk, state=State.CLAIMED, claimed_at=act.claimed_at)
    if claimed.update(state=State.FAILED, claimed_at=None, ended_at=timezone.now(), error=sentence):
        ERRANDS[Kind(act.kind)].give_up(act)


@transaction.atomic
def acts_take_back(*, acts: QuerySet[Act]) -> list[Act]:
    """Undo those that no worker has taken yet; which ones that were.

    An act that was tried may have been carried out, whatever its state says now. One that a worker
    is just claiming is locked and passed over: it will be sent, and is not undone.
    """
    locked = acts.select_for_update(skip_locked=True, of=("self",))
    taken = list(locked.filter(state=State.WAITING, attempts=0))
    for act in taken:
        act.state, act.ended_at, act.payload = State.UNDONE, timezone.now(), _impersonal(act)
        ERRANDS[Kind(act.kind)].give_up(act)
    Act.objects.bulk_update(taken, ["state", "ended_at", "payload"], batch_size=500)
    return taken


def _impersonal(act: Act) -> dict[str, Any]:
    return {name: value for name, value in act.payload.items() if name not in PERSONAL}


def claims_lapse(*, now: dt.datetime | None = None) -> int:
    """Acts whose worker died: the call may have been made, so they are to be looked up."""
    now = now or timezone.now()
    stale = Act.objects.filter(state=State.CLAIMED, claimed_at__lt=now - CLAIM_LAPSES)
    return stale.update(
        state=State.UNCLEAR, claimed_at=None, next_try_at=now, error="The worker was interrupted."
    )


@transaction.atomic
def act_settle(*, act: Act, was_done: bool, by: User) -> None:
    """A person has looked at the crowd's own pages and says what happened to an unclear act."""
    if was_done and act.kind == Kind.PUBLISH:
        raise DomainError("Try it again instead: what is published already is found there.")
    now = timezone.now()
    asking = Act.objects.filter(pk=act.pk, state=State.ASKING)
    if not asking.update(state=State.CLAIMED, claimed_at=now):
        raise DomainError("Nobody is asked about this any more.")
    act.claimed_at = now
    if was_done:
        act_done(act=act, outcome=None)
    else:
        act_fail(act=act, sentence="Not done, a person says.")
    word = "done" if was_done else "not done"
    AuditEntry.objects.create(
        campaign=act.campaign, person=by, action="settled", detail=f"{act}: {word}"
    )


@transaction.atomic
def act_retry(*, act: Act, by: User) -> None:
    """Try again what waits for a person or was refused, looking first whether it was done.

    Where a refusal freed the money (publishing, more people, a bonus), it is to be wanted anew.
    """
    again = Q(state=State.ASKING) | Q(state=State.FAILED, kind__in=REPEATABLE)
    if not Act.objects.filter(again, pk=act.pk).update(
        state=State.UNCLEAR, attempts=0, next_try_at=timezone.now(), ended_at=None
    ):
        raise DomainError("This cannot be tried again.")
    AuditEntry.objects.create(
        campaign=act.campaign, person=by, action="tried again", detail=str(act)
    )
