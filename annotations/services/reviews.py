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

from annotations.decisions import invites_again, pays
from annotations.models import Assignment, Submission, Verdict
from annotations.selectors.reviews import case_of, submissions_of
from annotations.services.people import decision_note, names_of, people_enlist, person_of
from daplatform.errors import DomainError
from hits.crowds import connect
from hits.models import Act, Campaign, LedgerEntry, Order, Policy, Posting
from hits.selectors.money import policy_of
from hits.services.money import (
    OverBudget,
    bonus_fee,
    campaign_lock,
    money_commit,
    rewards_reserve,
)
from hits.services.outbox import act_begins, act_write

State = Assignment.State
Pay, Progress = Submission.Pay, Submission.Progress
CENT = Decimal("0.01")
# The campaign is locked meanwhile, and people who want to begin wait.
AT_ONCE = 100
UNPAID = "could not pay"
Several = Sequence[Submission]


@transaction.atomic
def submissions_pay(
    *,
    campaign: Campaign,
    submissions: Several,
    by: User | None = None,
    overrule: bool = True,
    order: Order | None = None,
) -> int:
    """Pay for work that was handed in or, to ``overrule``, that was rejected by mistake; how many
    are paid now.

    Those that are paid already, that their crowd has taken back, or that it is just being told not
    to pay, are passed over.
    """
    campaign_lock(campaign)
    rows = _fresh(submissions)
    payable = _payable([row for row in rows if overrule or not _is_rejected(row)])
    postings: dict[Posting, list[Submission]] = {}
    for row in payable:
        postings.setdefault(row.posting, []).append(row)
    for posting, rows in postings.items():
        rewards_reserve(
            posting=posting,
            promised=_promised(posting),
            more=len(rows),
            subject=f"submission:{rows[0].pk}",
        )
    _pay(payable, campaign, by, order)
    if payable:
        plural = "s" if len(payable) > 1 else ""
        decision_note(campaign, by, "paid", f"{len(payable)} submission{plural}")
    return len(payable)


def _payable(rows: Several) -> list[Submission]:
    """A rejection can be overruled once the crowd knows of it: told in the wrong order, the
    rejection would have the last word."""
    subjects = [f"submission:{row.pk}" for row in rows]
    told = Act.objects.filter(kind=Act.Kind.REJECT, subject__in=subjects)
    pending = set(told.exclude(state__in=Act.ENDED).values_list("subject", flat=True))
    return [
        row
        for row in rows
        if row.pay != Pay.PAY
        and (row.progress == Progress.SUBMITTED or _is_rejected(row))
        and f"submission:{row.pk}" not in pending
    ]


def _is_rejected(row: Submission) -> bool:
    return row.progress == Progress.REJECTED or row.pay == Pay.REFUSE


def _pay(rows: Several, campaign: Campaign, by: User | None, order: Order | None) -> None:
    Submission.objects.filter(pk__in=[row.pk for row in rows]).update(
        pay=Pay.PAY, reason="", decided_by=by, decided_at=timezone.now()
    )
    _set_state(rows, State.APPROVED)
    begins = act_begins(order)
    Act.objects.bulk_create(
        (
            Act(
                campaign=campaign,
                crowd=row.crowd,
                kind=Act.Kind.APPROVE,
                subject=f"submission:{row.pk}",
                payload={
                    "submission": row.external_id,
                    "overrule": _is_rejected(row),
                    "before": _decision(row),
                },
                posting=row.posting,
                asked_by=by,
                order=order,
                next_try_at=begins,
            )
            for row in rows
        ),
        ignore_conflicts=True,
    )


def _promised(posting: Posting) -> int:
    """Approvals that are wanted and not yet booked."""
    wanted = Act.objects.filter(posting=posting, kind=Act.Kind.APPROVE)
    wanted = wanted.exclude(state__in=[Act.State.FAILED, Act.State.UNDONE])
    booked = LedgerEntry.objects.filter(posting=posting, kind=LedgerEntry.Kind.PAID)
    return wanted.exclude(subject__in=booked.values("subject")).count()


@transaction.atomic
def submissions_refuse(
    *,
    campaign: Campaign,
    submissions: Several,
    reason: str,
    by: User,
    category: str = "",
    order: Order | None = None,
) -> int:
    """Refuse to pay, for a reason that the person can read; how many are refused now."""
    campaign_lock(campaign)
    reason = reason.strip()
    count = 0
    for submission in _fresh(submissions):
        if submission.pay != Pay.OPEN or submission.progress != Progress.SUBMITTED:
            continue
        _check_refusal(submission, reason, category)
        _refuse(submission, reason, category, by, order)
        count += 1
    if count:
        plural = "s" if count > 1 else ""
        decision_note(campaign, by, "refused", f"{count} submission{plural}: {reason}")
    return count


def _check_refusal(submission: Submission, reason: str, category: str) -> None:
    facts = connect(submission.crowd).facts
    if len(reason) < facts.shortest_reason:
        raise DomainError(
            f"{facts.label} wants a reason of at least {facts.shortest_reason} characters; "
            f"this has {len(reason)}."
        )
    if facts.rejection_categories and category not in facts.rejection_categories:
        raise DomainError(f"{facts.label} wants one of its own categories for a rejection.")


def _refuse(
    submission: Submission, reason: str, category: str, by: User, order: Order | None
) -> None:
    launch = submission.posting.launch
    Submission.objects.filter(pk=submission.pk).update(
        pay=Pay.REFUSE, reason=reason, decided_by=by, decided_at=timezone.now()
    )
    _set_state([submission], State.REJECTED)
    act_write(
        campaign=launch.batch.campaign,
        crowd=launch.crowd,
        kind=Act.Kind.REJECT,
        subject=f"submission:{submission.pk}",
        payload={
            "submission": submission.external_id,
            "reason": reason,
            "category": category,
            "before": _decision(submission),
        },
        posting=submission.posting,
        by=by,
        order=order,
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


def decision_restore(*, act: Act) -> None:
    """Undecide what an approval or a rejection decided that was never sent.

    Where the crowd has decided by itself meanwhile, it stays decided.
    """
    before = act.payload["before"]
    is_refused = before["pay"] == Pay.REFUSE
    progress = (Progress.REJECTED, Progress.SUBMITTED) if is_refused else (Progress.SUBMITTED,)
    rows = Submission.objects.filter(pk=int(act.subject.partition(":")[2]), progress__in=progress)
    if rows.update(**before):
        _set_state(list(rows), State.REJECTED if is_refused else State.SUBMITTED)


@transaction.atomic
def submissions_use(
    *, campaign: Campaign, submissions: Several, use: bool | None, by: User
) -> None:
    """Let ratings count or not, whatever the rules say; None lets the rules decide again."""
    Submission.objects.filter(pk__in=[row.pk for row in submissions]).update(use=use)
    word = {True: "uses", False: "leaves out", None: "lets the rules decide on"}[use]
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
    order: Order | None = None,
) -> None:
    """Pay on top, within the budget; asked for twice with the same ``once``, as by a double click,
    it is paid once."""
    campaign_lock(campaign)
    person = person_of(submission)
    if amount < CENT or not reason.strip():
        raise DomainError("A bonus needs an amount and a reason the person can read.")
    if not person:
        raise DomainError("This person's identity was erased: nobody can be paid.")
    subject = f"bonus:{submission.pk}:{once}"
    rate = connect(submission.crowd).facts.bonus_fee_rate
    fee = bonus_fee(amount, rate)
    money_commit(campaign=campaign, amount=amount + fee, subject=subject)
    act_write(
        campaign=campaign,
        crowd=submission.crowd,
        kind=Act.Kind.BONUS,
        subject=subject,
        payload={
            "submission": submission.external_id,
            "person": person,
            "amount": str(amount),
            "fee": str(fee),
            "reason": reason.strip(),
        },
        posting=submission.posting,
        by=by,
        order=order,
    )
    decision_note(campaign, by, "pays a bonus", f"{amount} to {submission.annotator}")


def submissions_approve_due(*, campaign: Campaign, now: dt.datetime | None = None) -> int:
    """Pay what the campaign's rules pay by themselves and nobody has objected to in time.

    Whoever is paid so is also invited again, or not, as the rules say.
    """
    now = now or timezone.now()
    policy = policy_of(campaign)
    due = submissions_of(campaign).filter(
        Q(submitted_at__lte=now - dt.timedelta(hours=policy.approve_after_hours)),
        pay=Pay.OPEN,
        progress=Progress.SUBMITTED,
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
    return list(rows.select_related("posting__launch__batch__campaign"))


def _set_state(rows: Several, state: Assignment.State) -> None:
    turns = [row.assignment_id for row in rows if row.assignment_id is not None]
    Assignment.objects.filter(pk__in=turns, state__in=Assignment.FINISHED).update(state=state)
