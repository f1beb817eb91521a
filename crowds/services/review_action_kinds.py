"""What each kind of review action does with the annotators that were chosen.

Each function does its part through the services that decide about single submissions, and returns
remarks: whom of those chosen the action does not concern, and why, in sentences for the organiser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.contrib.auth.models import User

from annotations.models import Annotator
from crowds.models import ReviewAction, Submission
from crowds.registry import MODULES, OWN, connect
from crowds.services.people import (
    annotators_exclude,
    decision_note,
    lists_change,
    person_of,
    submissions_message,
)
from crowds.services.reviews import submission_bonus, submissions_pay, submissions_refuse
from daplatform.wording import counted
from hits.models import Campaign

Pay, Status = Submission.Pay, Submission.Status
Remarks = list[str]


@dataclass(frozen=True)
class ActionRequest:
    """What is to be done, and in which words."""

    kind: ReviewAction.Kind
    text: str = ""
    category: str = ""
    amount: Decimal = Decimal("0")


@dataclass(frozen=True)
class Chosen:
    """The annotators an action is about, with their submissions in the campaign, newest first."""

    action: ReviewAction
    asked: ActionRequest
    annotators: Sequence[Annotator]
    submissions: Sequence[Submission]

    @property
    def campaign(self) -> Campaign:
        return self.action.campaign

    @property
    def by(self) -> User:
        return self.action.given_by


def approve(chosen: Chosen) -> Remarks:
    rows, remarks = _undecided(chosen)
    submissions_pay(
        campaign=chosen.campaign,
        submissions=rows,
        by=chosen.by,
        overrule=False,
        action=chosen.action,
    )
    return remarks + _paid_outside(rows)


def reject(chosen: Chosen) -> Remarks:
    rows, remarks = _undecided(chosen)
    submissions_refuse(
        campaign=chosen.campaign,
        submissions=rows,
        reason=chosen.asked.text,
        category=chosen.asked.category,
        by=chosen.by,
        action=chosen.action,
    )
    return remarks


def bonus(chosen: Chosen) -> Remarks:
    """One for each person, with the last work they handed in."""
    latest = {
        row.annotator_id: row
        for row in reversed(chosen.submissions)
        if not row.problem and row.status in (Status.SUBMITTED, Status.APPROVED) and person_of(row)
    }
    for row in latest.values():
        submission_bonus(
            campaign=chosen.campaign,
            submission=row,
            amount=chosen.asked.amount,
            reason=chosen.asked.text,
            once=chosen.action.once,
            by=chosen.by,
            action=chosen.action,
        )
    others = len(chosen.annotators) - len(latest)
    return [
        *_remark(
            others,
            "person has no submission to pay a bonus for.",
            "people have no submission to pay a bonus for.",
        ),
        *_paid_outside(list(latest.values())),
    ]


def message(chosen: Chosen) -> Remarks:
    reachable = {crowd for crowd in _crowds(chosen.submissions) if connect(crowd).facts.can_message}
    rows = [row for row in chosen.submissions if row.crowd in reachable and person_of(row)]
    if rows:
        submissions_message(
            campaign=chosen.campaign,
            submissions=rows,
            subject=chosen.campaign.name,
            text=chosen.asked.text,
            by=chosen.by,
            action=chosen.action,
        )
    return _remark(
        len(chosen.annotators) - len({row.annotator_id for row in rows}),
        "person was invited by a link or is simulated, and cannot be written to from here.",
        "people were invited by a link or are simulated, and cannot be written to from here.",
    )


def exclude(chosen: Chosen) -> Remarks:
    changed = _admit(chosen, again=False)
    decision_note(chosen.campaign, chosen.by, "did not invite again", _people_counted(changed))
    return _remark(
        len(chosen.annotators) - changed,
        "person was already not invited, or their identity was erased.",
        "people were already not invited, or their identities were erased.",
    )


def _people_counted(count: int) -> str:
    return counted(count, "person", "people")


def readmit(chosen: Chosen) -> Remarks:
    changed = _admit(chosen, again=True)
    decision_note(chosen.campaign, chosen.by, "invited again", _people_counted(changed))
    return _remark(
        len(chosen.annotators) - changed,
        "person could already be invited.",
        "people could already be invited.",
    )


def _admit(chosen: Chosen, *, again: bool) -> int:
    """How many it is new for. People of no marketplace have messages too, to be undone alike."""
    people: dict[str, list[int]] = {}
    for each in chosen.annotators:
        if identity := getattr(each, "identity", None):
            crowd = identity.crowd if identity.crowd in MODULES else OWN
            people.setdefault(crowd, []).append(each.pk)
    return sum(_admit_crowd(chosen, crowd, some, again=again) for crowd, some in people.items())


def _admit_crowd(chosen: Chosen, crowd: str, people: Sequence[int], *, again: bool) -> int:
    changed = annotators_exclude(campaign=chosen.campaign, annotators=people, excluded=not again)
    rows = [row for row in chosen.submissions if row.annotator_id in changed]
    Submission.objects.filter(pk__in=[row.pk for row in rows]).update(
        invite_again=None if again else False
    )
    if changed:
        lists_change(
            campaign=chosen.campaign,
            crowd=crowd,
            annotators=changed,
            again=again,
            by=chosen.by,
            action=chosen.action,
            before={str(row.pk): row.invite_again for row in rows},
        )
    return len(changed)


ACTIONS: dict[ReviewAction.Kind, Callable[[Chosen], Remarks]] = {
    ReviewAction.Kind.APPROVE: approve,
    ReviewAction.Kind.REJECT: reject,
    ReviewAction.Kind.BONUS: bonus,
    ReviewAction.Kind.MESSAGE: message,
    ReviewAction.Kind.EXCLUDE: exclude,
    ReviewAction.Kind.READMIT: readmit,
}


def _undecided(chosen: Chosen) -> tuple[list[Submission], Remarks]:
    """Clean work that waits for a decision, and what else there is."""
    handed_in = [row for row in chosen.submissions if row.status == Status.SUBMITTED]
    undecided = [row for row in handed_in if row.pay == Pay.OPEN]
    clean = [row for row in undecided if not row.problem]
    known = {row.annotator_id for row in chosen.submissions}
    remarks = [
        *_remark(
            len({each.pk for each in chosen.annotators} - known),
            "person rated without a launch (by a link, or simulated): nothing is owed to them.",
            "people rated without a launch (by links, or simulated): nothing is owed to them.",
        ),
        *_remark(
            len(chosen.submissions) - len(undecided),
            "submission is already decided or was not handed in.",
            "submissions are already decided or were not handed in.",
        ),
        *_remark(
            len(undecided) - len(clean),
            "submission has a problem: decide about it under Review.",
            "submissions have a problem: decide about them under Review.",
        ),
    ]
    return clean, remarks


def _paid_outside(rows: Sequence[Submission]) -> Remarks:
    outside = {crowd for crowd in _crowds(rows) if not connect(crowd).facts.pays}
    count = sum(row.crowd in outside for row in rows)
    return _remark(
        count,
        "is owed to a person you invited: you pay them yourself, and here it is only recorded.",
        "are owed to people you invited: you pay them yourself, and here it is only recorded.",
    )


def _crowds(rows: Sequence[Submission]) -> set[str]:
    return {row.crowd for row in rows}


def _remark(count: int, one: str, many: str) -> Remarks:
    return [counted(count, one, many)] if count else []
