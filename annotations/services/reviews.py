"""Deciding about submissions: pay, use, invite again, each by itself, one or many at once.

A decision is a row; what the crowd has to be told follows from it, in the same transaction.
Refusing to pay is always a person's decision, with a reason the annotator can read.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.decisions import invites_again, pays
from annotations.models import Assignment, Submission, Verdict
from annotations.references import audience_again, audience_not_again
from annotations.selectors.reviews import case_of, submissions_of
from annotations.services.annotators import INVITED
from daplatform.errors import DomainError
from hits.crowds import connect
from hits.models import Act, AuditEntry, Campaign, LedgerEntry, Policy, Posting
from hits.selectors.money import policy_of
from hits.services.money import OverBudget, campaign_lock, money_commit, rewards_reserve
from hits.services.outbox import act_write

State = Assignment.State
Pay, Progress = Submission.Pay, Submission.Progress
CENT = Decimal("0.01")
# The campaign is locked meanwhile, and people who want to begin wait.
AT_ONCE = 100
UNPAID = "could not pay"
Several = Sequence[Submission]


@transaction.atomic
def submissions_pay(
    *, campaign: Campaign, submissions: Several, by: User | None = None, overrule: bool = True
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
    _pay(payable, campaign, by)
    if payable:
        plural = "s" if len(payable) > 1 else ""
        _note(campaign, by, "paid", f"{len(payable)} submission{plural}")
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


def _pay(rows: Several, campaign: Campaign, by: User | None) -> None:
    Submission.objects.filter(pk__in=[row.pk for row in rows]).update(
        pay=Pay.PAY, reason="", decided_by=by, decided_at=timezone.now()
    )
    _set_state(rows, State.APPROVED)
    Act.objects.bulk_create(
        (
            Act(
                campaign=campaign,
                crowd=row.crowd,
                kind=Act.Kind.APPROVE,
                subject=f"submission:{row.pk}",
                payload={"submission": row.external_id, "overrule": _is_rejected(row)},
                posting=row.posting,
                asked_by=by,
            )
            for row in rows
        ),
        ignore_conflicts=True,
    )


def _promised(posting: Posting) -> int:
    """Approvals that are wanted and not yet booked."""
    wanted = Act.objects.filter(posting=posting, kind=Act.Kind.APPROVE)
    wanted = wanted.exclude(state=Act.State.FAILED)
    booked = LedgerEntry.objects.filter(posting=posting, kind=LedgerEntry.Kind.PAID)
    return wanted.exclude(subject__in=booked.values("subject")).count()


@transaction.atomic
def submissions_refuse(
    *, campaign: Campaign, submissions: Several, reason: str, by: User, category: str = ""
) -> int:
    """Refuse to pay, for a reason that the person can read; how many are refused now."""
    campaign_lock(campaign)
    reason = reason.strip()
    count = 0
    for submission in _fresh(submissions):
        if submission.pay != Pay.OPEN or submission.progress != Progress.SUBMITTED:
            continue
        _check_refusal(submission, reason, category)
        _refuse(submission, reason, category, by)
        count += 1
    if count:
        _note(campaign, by, "refused", f"{count}: {reason}")
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


def _refuse(submission: Submission, reason: str, category: str, by: User) -> None:
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
        },
        posting=submission.posting,
        by=by,
    )


@transaction.atomic
def submissions_use(
    *, campaign: Campaign, submissions: Several, use: bool | None, by: User
) -> None:
    """Let ratings count or not, whatever the rules say; None lets the rules decide again."""
    Submission.objects.filter(pk__in=[row.pk for row in submissions]).update(use=use)
    word = {True: "uses", False: "leaves out", None: "lets the rules decide on"}[use]
    _note(campaign, by, word, _names(submissions))


@transaction.atomic
def submissions_invite_again(
    *, campaign: Campaign, submissions: Several, again: bool | None, by: User
) -> None:
    """Invite people again or not, whatever the rules say; None lets the rules decide again."""
    Submission.objects.filter(pk__in=[row.pk for row in submissions]).update(invite_again=again)
    if again is not None:
        people_enlist(campaign=campaign, submissions=submissions, again=again, by=by)
    word = {True: "invites again", False: "does not invite again", None: "lets the rules decide on"}
    _note(campaign, by, word[again], _names(submissions))


def people_enlist(
    *, campaign: Campaign, submissions: Iterable[Submission], again: bool, by: User | None
) -> None:
    """Keep the crowds' lists of who is invited again, and who is not, as they should be."""
    here, there = audience_again(campaign), audience_not_again(campaign)
    wanted, unwanted = (here, there) if again else (there, here)
    for crowd, people in _people(submissions).items():
        if crowd == INVITED:  # the organiser's own memory is the list
            continue
        for kind, audience in ((Act.Kind.ENLIST, wanted), (Act.Kind.DELIST, unwanted)):
            times = Act.objects.filter(crowd=crowd, kind=kind).count()
            act_write(
                campaign=campaign,
                crowd=crowd,
                kind=kind,
                subject=f"{audience}:{_digest(people)}:{times}",
                payload={"audience": audience, "people": people},
                by=by,
            )


@transaction.atomic
def submission_bonus(
    *,
    campaign: Campaign,
    submission: Submission,
    amount: Decimal,
    reason: str,
    once: str,
    by: User,
) -> None:
    """Pay on top, within the budget; asked for twice with the same ``once``, as by a double click,
    it is paid once."""
    campaign_lock(campaign)
    person = _person(submission)
    if amount < CENT or not reason.strip():
        raise DomainError("A bonus needs an amount and a reason the person can read.")
    if not person:
        raise DomainError("This person's identity was erased: nobody can be paid.")
    subject = f"bonus:{submission.pk}:{once}"
    rate = connect(submission.crowd).facts.bonus_fee_rate
    fee = (amount * rate).quantize(CENT, ROUND_CEILING)
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
    )
    _note(campaign, by, "pays a bonus", f"{amount} to {submission.annotator}")


@transaction.atomic
def submissions_message(
    *, campaign: Campaign, submissions: Several, subject: str, text: str, by: User
) -> None:
    """Write to the people who made these submissions."""
    if not subject.strip() or not text.strip():
        raise DomainError("A message needs a subject and a text.")
    for crowd, people in _people(submissions).items():
        if not connect(crowd).facts.can_message:
            raise DomainError("People of this crowd have no address here: write to them yourself.")
        act_write(
            campaign=campaign,
            crowd=crowd,
            kind=Act.Kind.MESSAGE,
            subject=f"message:{_digest([*people, subject, text])}",
            payload={"people": people, "subject": subject.strip(), "text": text.strip()},
            by=by,
        )
    _note(campaign, by, "wrote", f"“{subject.strip()}” to {_names(submissions)}")


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
            _note(campaign, None, UNPAID, str(error))
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
    finished = (State.SUBMITTED, State.APPROVED, State.REJECTED)
    turns = [row.assignment_id for row in rows if row.assignment_id is not None]
    Assignment.objects.filter(pk__in=turns, state__in=finished).update(state=state)


def _people(submissions: Iterable[Submission]) -> dict[str, list[str]]:
    """External ids by crowd, of those whose identity was not erased."""
    people: dict[str, set[str]] = {}
    for submission in submissions:
        if person := _person(submission):
            people.setdefault(submission.crowd, set()).add(person)
    return {crowd: sorted(each) for crowd, each in people.items()}


def _person(submission: Submission) -> str:
    identity = getattr(submission.annotator, "identity", None)
    return identity.external_id if identity else ""


def _names(submissions: Several) -> str:
    names = sorted({str(row.annotator) for row in submissions})
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def _note(campaign: Campaign, by: User | None, action: str, detail: str) -> None:
    AuditEntry.objects.create(campaign=campaign, person=by, action=action, detail=detail)
