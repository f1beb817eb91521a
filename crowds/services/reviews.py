"""Deciding about submissions: pay, use, invite again, each by itself, one or many at once.

A decision is a row; what the crowd has to be told follows from it, in the same transaction.
Refusing to pay is always a person's decision, with a reason the annotator can read.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.models import Assignment, Correction
from crowds.decisions import invites_again, pays
from crowds.models import (
    LedgerEntry,
    OutboxMessage,
    Policy,
    Publication,
    ReviewAction,
    Submission,
    Verdict,
)
from crowds.registry import connect
from crowds.selectors.money import policy_of
from crowds.selectors.reviews import case_of, sending_back_obstacle, submissions_of
from crowds.services.money import (
    OverBudget,
    bonus_commit,
    bonus_fee,
    campaign_lock,
    rewards_reserve,
)
from crowds.services.outbox import outbox_begins, outbox_write
from crowds.services.people import decision_note, names_of, people_enlist, person_of
from daplatform.errors import DomainError
from hits.models import Campaign, Video

State = Assignment.State
Pay, Status = Submission.Pay, Submission.Status
CENT = Decimal("0.01")
# The campaign is locked meanwhile, and people who want to begin wait.
AT_ONCE = 100
UNPAID = "could not pay"
Several = Sequence[Submission]


class ReasonTooShort(DomainError):
    """The crowd shows the reason to the person, and wants more of it."""

    field = "text"


class CategoryMissing(DomainError):
    """The crowd files rejections by categories of its own."""

    field = "category"


@transaction.atomic
def submissions_pay(
    *,
    campaign: Campaign,
    submissions: Several,
    by: User | None = None,
    overrule: bool = True,
    action: ReviewAction | None = None,
) -> int:
    """Pay for work that was handed in or, to ``overrule``, that was rejected by mistake; how many
    are paid now.

    Those that are paid already, that their crowd has taken back, or that it is just being told not
    to pay, are passed over.
    """
    campaign_lock(campaign)
    rows = _fresh(submissions)
    payable = _payable([row for row in rows if overrule or not _is_rejected(row)])
    publications: dict[Publication, list[Submission]] = {}
    for row in payable:
        publications.setdefault(row.publication, []).append(row)
    for publication, rows in publications.items():
        rewards_reserve(
            publication=publication,
            promised=_promised(publication),
            more=len(rows),
            first=rows[0],
        )
    _pay(payable, campaign, by, action)
    if payable:
        plural = "s" if len(payable) > 1 else ""
        decision_note(campaign, by, "paid", f"{len(payable)} submission{plural}")
    return len(payable)


def _payable(rows: Several) -> list[Submission]:
    """A rejection can be overruled once the crowd knows of it: told in the wrong order, the
    rejection would have the last word."""
    told = OutboxMessage.objects.filter(kind=OutboxMessage.Kind.REJECT, submission__in=rows)
    pending = set(told.exclude(state__in=OutboxMessage.ENDED).values_list("submission", flat=True))
    return [
        row
        for row in rows
        if row.pay != Pay.PAY
        and (row.status == Status.SUBMITTED or _is_rejected(row))
        and row.pk not in pending
    ]


def _is_rejected(row: Submission) -> bool:
    return row.status == Status.REJECTED or row.pay == Pay.REFUSE


def _pay(rows: Several, campaign: Campaign, by: User | None, action: ReviewAction | None) -> None:
    Submission.objects.filter(pk__in=[row.pk for row in rows]).update(
        pay=Pay.PAY, reason="", decided_by=by, decided_at=timezone.now()
    )
    _set_state(rows, State.APPROVED)
    begins = outbox_begins(action)
    OutboxMessage.objects.bulk_create(
        (
            OutboxMessage(
                campaign=campaign,
                crowd=row.crowd,
                kind=OutboxMessage.Kind.APPROVE,
                submission=row,
                payload={"overrule": _is_rejected(row), "before": _decision(row)},
                publication=row.publication,
                asked_by=by,
                action=action,
                next_try_at=begins,
            )
            for row in rows
        ),
        ignore_conflicts=True,
    )


def _promised(publication: Publication) -> int:
    """Approvals that are wanted and not yet booked."""
    wanted = OutboxMessage.objects.filter(publication=publication, kind=OutboxMessage.Kind.APPROVE)
    wanted = wanted.exclude(state__in=[OutboxMessage.State.FAILED, OutboxMessage.State.UNDONE])
    booked = LedgerEntry.objects.filter(publication=publication, kind=LedgerEntry.Kind.PAID)
    return wanted.exclude(submission__in=booked.values("submission")).count()


@transaction.atomic
def submissions_refuse(
    *,
    campaign: Campaign,
    submissions: Several,
    reason: str,
    by: User,
    category: str = "",
    action: ReviewAction | None = None,
) -> int:
    """Do not pay, for a reason that the person can read; how many were decided now."""
    campaign_lock(campaign)
    reason = reason.strip()
    count = 0
    for submission in _fresh(submissions):
        if submission.pay != Pay.OPEN or submission.status != Status.SUBMITTED:
            continue
        _check_refusal(submission, reason, category)
        _refuse(submission, reason, category, by, action)
        count += 1
    if count:
        plural = "s" if count > 1 else ""
        decision_note(campaign, by, "did not pay", f"{count} submission{plural}: {reason}")
    return count


def _check_refusal(submission: Submission, reason: str, category: str) -> None:
    facts = connect(submission.crowd).facts
    if len(reason) < facts.shortest_reason:
        raise ReasonTooShort(
            f"{facts.label} needs a reason of at least {facts.shortest_reason} characters; "
            f"this has {len(reason)}."
        )
    if facts.rejection_categories and category not in facts.rejection_categories:
        raise CategoryMissing(f"{facts.label} needs one of its own categories for a rejection.")


def _refuse(
    submission: Submission, reason: str, category: str, by: User, action: ReviewAction | None
) -> None:
    launch = submission.publication.launch
    Submission.objects.filter(pk=submission.pk).update(
        pay=Pay.REFUSE, reason=reason, decided_by=by, decided_at=timezone.now()
    )
    _set_state([submission], State.REJECTED)
    outbox_write(
        campaign=launch.batch.campaign,
        crowd=launch.crowd,
        kind=OutboxMessage.Kind.REJECT,
        submission=submission,
        payload={"reason": reason, "category": category, "before": _decision(submission)},
        publication=submission.publication,
        by=by,
        action=action,
    )


def _decision(submission: Submission) -> dict[str, Any]:
    """What was decided about it so far, for whoever takes the next decision back."""
    at = submission.decided_at
    return {
        "pay": submission.pay,
        "reason": submission.reason,
        "decided_by": submission.decided_by_id,
        "decided_at": at.isoformat() if at else None,
    }


def decision_restore(*, message: OutboxMessage) -> None:
    """Undecide what an approval or a rejection decided that was never sent.

    Where the crowd has decided by itself meanwhile, it stays decided.
    """
    before = message.payload["before"]
    is_refused = before["pay"] == Pay.REFUSE
    status = (Status.REJECTED, Status.SUBMITTED) if is_refused else (Status.SUBMITTED,)
    rows = Submission.objects.filter(messages=message, status__in=status)
    if rows.update(**before):
        _set_state(list(rows), State.REJECTED if is_refused else State.SUBMITTED)


@transaction.atomic
def submissions_use(
    *, campaign: Campaign, submissions: Several, use: bool | None, by: User
) -> None:
    """Let ratings count or not, whatever the rules say; None lets the rules decide again."""
    Submission.objects.filter(pk__in=[row.pk for row in submissions]).update(use=use)
    word = {True: "used", False: "left out", None: "let the rule decide on"}[use]
    decision_note(campaign, by, word, names_of(submissions))


@transaction.atomic
def submission_bonus(
    *,
    campaign: Campaign,
    submission: Submission,
    amount: Decimal,
    reason: str,
    once: str,
    by: User,
    action: ReviewAction | None = None,
) -> None:
    """Pay on top, within the budget; asked for twice with the same ``once``, as by a double click,
    it is paid once."""
    campaign_lock(campaign)
    if amount < CENT or not reason.strip():
        raise DomainError("A bonus needs an amount and a reason the person can read.")
    if not person_of(submission):
        raise DomainError("This person's identity was erased, so they cannot be paid.")
    rate = connect(submission.crowd).facts.bonus_fee_rate
    fee = bonus_fee(amount, rate)
    bonus_commit(submission=submission, occasion=once, amount=amount + fee)
    outbox_write(
        campaign=campaign,
        crowd=submission.crowd,
        kind=OutboxMessage.Kind.BONUS,
        occasion=once,
        submission=submission,
        payload={"amount": str(amount), "fee": str(fee), "reason": reason.strip()},
        publication=submission.publication,
        by=by,
        action=action,
    )
    decision_note(campaign, by, "paid a bonus", f"{amount} to {submission.annotator}")


def submissions_approve_due(*, campaign: Campaign, now: dt.datetime | None = None) -> int:
    """Pay what the campaign's rules pay by themselves and nobody has objected to in time.

    Whoever is paid so is also invited again, or not, as the rules say.
    """
    now = now or timezone.now()
    policy = policy_of(campaign)
    due = submissions_of(campaign).filter(
        Q(submitted_at__lte=now - dt.timedelta(hours=policy.approve_after_hours)),
        pay=Pay.OPEN,
        status=Status.SUBMITTED,
        problem="",
    )
    ripe = [row for row in due if pays(policy.pay_rule, case_of(row))]
    return sum(
        _pay_by_rule(campaign, policy, ripe[first : first + AT_ONCE])
        for first in range(0, len(ripe), AT_ONCE)
    )


def _pay_by_rule(campaign: Campaign, policy: Policy, ripe: Several) -> int:
    try:
        count = submissions_pay(campaign=campaign, submissions=ripe)
    except OverBudget as error:
        if not campaign.trail.filter(action=UNPAID, detail=str(error)).exists():
            decision_note(campaign, None, UNPAID, str(error))
        return 0
    for again in (True, False):
        rule = policy.invite_rule
        people = [
            row for row in ripe if invites_again(rule, case_of(row), row.invite_again) is again
        ]
        people_enlist(campaign=campaign, submissions=people, again=again, by=None)
    return count


@transaction.atomic
def video_send_back(
    *, assignment: Assignment, video: Video, remark: str, by: User | None = None
) -> Correction:
    """Ask a person to look at a video again: their link leads to it until they hand it in.

    Sent back again meanwhile, it has the newer remark.
    """
    if obstacle := sending_back_obstacle(assignment):
        raise DomainError(obstacle)
    if not remark.strip():
        raise DomainError("Say what they should look at again.")
    correction, _ = Correction.objects.update_or_create(
        assignment=assignment, video=video, done_at=None, defaults={"remark": remark, "by": by}
    )
    detail = f"{video.name} to {assignment.annotator}"
    decision_note(assignment.campaign, by, "sent back", detail)
    return correction


@transaction.atomic
def verdicts_record(*, campaign: Campaign, verdicts: Iterable[Verdict]) -> None:
    """Keep what quality control said of each person, in place of what it said before."""
    Verdict.objects.bulk_create(
        verdicts,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=["status", "p", "pairs", "checked_at"],
    )


def _fresh(submissions: Several) -> list[Submission]:
    """The rows as they are now, under the campaign's lock, not as a page showed them."""
    rows = Submission.objects.filter(pk__in=[row.pk for row in submissions]).order_by("pk")
    return list(rows.select_related("publication__launch__batch__campaign"))


def _set_state(rows: Several, state: Assignment.State) -> None:
    turns = [row.assignment_id for row in rows if row.assignment_id is not None]
    Assignment.objects.filter(pk__in=turns, state__in=Assignment.FINISHED).update(state=state)
