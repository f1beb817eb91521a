"""Submissions as an organiser reviews them, and what follows from decisions and rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from annotations.models import Assignment
from crowds.decisions import Case, invites_again, needs_replacement, use_reason, uses
from crowds.gateway import CrowdError
from crowds.models import Arrival, Launch, OutboxMessage, Policy, Submission, Verdict
from crowds.registry import connect, crowd_named
from crowds.selectors.money import policy_of
from hits.models import Campaign

Pay, Status = Submission.Pay, Submission.Status


@dataclass(frozen=True)
class ReviewRow:
    """One submission in the review table, with what holds of it."""

    submission: Submission
    verdict: str
    used: bool | None
    used_because: str
    invited_again: bool | None
    minutes: float | None

    @property
    def is_open(self) -> bool:
        return self.submission.pay == Pay.OPEN and self.submission.status == Status.SUBMITTED


def submissions_of(campaign: Campaign) -> QuerySet[Submission]:
    """The campaign's submissions, newest first, each with its `verdict` ("" for none).

    `vouched` says that a person decided to use work of the same annotator.
    """
    verdict = Verdict.objects.filter(campaign=campaign, annotator=OuterRef("annotator"))
    rows = Submission.objects.filter(publication__launch__batch__campaign=campaign)
    used = Submission.objects.filter(
        assignment__campaign=campaign, annotator=OuterRef("annotator"), use=True
    )
    return (
        rows.annotate(verdict=Subquery(verdict.values("status")[:1]), vouched=Exists(used))
        .select_related(
            "annotator", "assignment__hit__batch", "publication__launch__batch__campaign"
        )
        .order_by("-submitted_at", "-pk")
    )


def submissions_filtered(campaign: Campaign, view: str = "") -> QuerySet[Submission]:
    """`open`: waiting for a decision; `problem`: something is wrong; else all."""
    rows = submissions_of(campaign)
    if view == "open":
        return rows.filter(pay=Pay.OPEN, status=Status.SUBMITTED)
    return rows.exclude(problem="") if view == "problem" else rows


def review_row(submission: Submission, policy: Policy) -> ReviewRow:
    """What holds of a submission of `submissions_of`."""
    case = case_of(submission)
    return ReviewRow(
        submission=submission,
        verdict=case.verdict,
        used=uses(policy.use_rule, case, submission.use),
        used_because=use_reason(policy.use_rule, case, submission.use),
        invited_again=invites_again(policy.invite_rule, case, submission.invite_again),
        minutes=_minutes(submission.assignment),
    )


def case_of(submission: Submission) -> Case:
    """A submission of `submissions_of`, as the decisions see it."""
    turn = submission.assignment
    return _case(
        state=turn.state if turn else "",
        problem=submission.problem,
        pay=submission.pay,
        status=submission.status,
        verdict=getattr(submission, "verdict", None),
        vouched=getattr(submission, "vouched", False),
    )


def _case(
    *, state: str, problem: str, pay: str, status: str, verdict: str | None, vouched: bool = False
) -> Case:
    return Case(
        finished=not problem and state in Assignment.FINISHED,
        verdict=verdict or "",
        refused=pay == Pay.REFUSE or status == Status.REJECTED,
        odd=bool(problem),
        vouched=vouched,
    )


def shortfalls(launch: Launch) -> dict[int, int]:
    """HITs that lack people whose ratings can be used, and how many each lacks."""
    turns = Assignment.objects.filter(hit__batch=launch.batch, slot__isnull=False).exclude(
        state__in=Assignment.GIVEN_UP
    )
    held = Counter(dict(turns.order_by().values_list("hit").annotate(Count("pk"))))
    held.subtract(_hits_rated_in_vain(launch))
    hits = launch.batch.hits.order_by("number").values_list("pk", flat=True)
    lacking = {hit: launch.people - held[hit] for hit in hits}
    return {hit: count for hit, count in lacking.items() if count > 0}


def _hits_rated_in_vain(launch: Launch) -> Iterator[int]:
    """The HIT of each turn somebody else has to be asked for. Plain columns: there are many."""
    campaign, undoable = launch.batch.campaign, _refusals_undoable(launch)
    rule = policy_of(campaign).use_rule
    rows = submissions_of(campaign).filter(publication__launch=launch, assignment__isnull=False)
    rows = rows.exclude(assignment__state__in=Assignment.GIVEN_UP)
    rows = rows.filter(assignment__slot__isnull=False).order_by()
    facts: Any = rows.values_list(  # type: ignore[misc]  # `verdict` is annotated
        "pk", "assignment__hit", "use",
        "assignment__state", "problem", "pay", "status", "verdict", "vouched",
    )  # fmt: skip
    names = ("state", "problem", "pay", "status", "verdict", "vouched")
    for pk, hit, use, *known in facts:
        case = _case(**dict(zip(names, known, strict=True)))
        if pk not in undoable and needs_replacement(rule, case, use):
            yield hit


def _refusals_undoable(launch: Launch) -> set[int]:
    """Submissions whose rejection may still be undone: nobody is asked in their place yet."""
    messages = OutboxMessage.objects.filter(
        publication__launch=launch,
        kind=OutboxMessage.Kind.REJECT,
        action__isnull=False,
        state=OutboxMessage.State.WAITING,
        attempts=0,
    )
    return set(messages.values_list("submission_id", flat=True))


def rejection_categories(campaign: Campaign) -> dict[str, str]:
    """Reasons for a rejection that the campaign's crowds know."""
    categories: dict[str, str] = {}
    launches = Launch.objects.filter(batch__campaign=campaign).order_by()
    for crowd in launches.values_list("crowd", flat=True).distinct():
        try:
            categories |= connect(crowd).facts.rejection_categories
        except CrowdError:  # not configured any more: nothing can be rejected there either
            continue
    return categories


def median_minutes(campaign: Campaign) -> float | None:
    """How long finished work took, from taking it to handing it in."""
    turns = Assignment.objects.filter(
        campaign=campaign, state__in=Assignment.FINISHED, slot__isnull=False
    )
    times = turns.values_list("claimed_at", "submitted_at")
    minutes = [(end - start).total_seconds() / 60 for start, end in times if start and end]
    return median(minutes) if minutes else None


def _minutes(turn: Assignment | None) -> float | None:
    if turn is None or turn.claimed_at is None or turn.submitted_at is None:
        return None
    return (turn.submitted_at - turn.claimed_at).total_seconds() / 60


def sending_back_obstacle(assignment: Assignment) -> str:
    """Why nothing of this work can be sent back, as a sentence for the organiser; else empty."""
    if assignment.campaign.state == Campaign.State.CLOSED:
        return "This campaign is closed."
    if assignment.state not in (Assignment.State.SUBMITTED, Assignment.State.APPROVED):
        return "Only submitted work that was not refused payment can be sent back."
    if not hasattr(assignment.annotator, "identity"):
        return "This person’s identity and link were erased."
    arrival: Arrival | None = getattr(assignment, "arrival", None)
    if arrival is not None and crowd_named(arrival.crowd).is_marketplace:
        return "People from a marketplace have no link to reopen."
    return ""
