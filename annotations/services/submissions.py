"""What crowds report about people's turns, matched with what people did here.

A crowd's word is never taken for ours, nor ours for the crowd's: a submission is clean only where
both agree on the person, the HIT and that the work is finished. Everything else is kept with its
problem, is paid by nobody but a person, and counts in no ranking. Who is reported has a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.models import Annotator, Assignment, Submission
from annotations.references import audience_enough
from annotations.services.annotators import INVITED, annotator_identify
from annotations.services.assignments import assignment_withdraw
from annotations.services.confirming import assignments_confirm, repeats_mark, turns_named
from annotations.services.people import digest_of
from hits.crowds import connect
from hits.crowds.gateway import Gateway, Progress
from hits.crowds.gateway import Submission as Reported
from hits.models import Act, ExternalId, Launch, Posting
from hits.services.money import campaign_lock, reward_book, reward_release
from hits.services.outbox import act_write

State, Problem = Assignment.State, Submission.Problem
GIVEN_UP = (Progress.RETURNED, Progress.TIMED_OUT, Progress.SCREENED_OUT)
HANDED_IN = (Progress.SUBMITTED, Progress.APPROVED, Progress.REJECTED)
CHUNK = 200
TURN = "turn-"  # how our own reports call a turn


def launch_sync(*, launch: Launch, gateway: Gateway | None = None, undecided: bool = True) -> int:
    """Take down what the crowd reports; how many submissions were new or changed.

    What is approved or rejected already is asked for only where ``undecided`` is False.
    """
    gateway = gateway or connect(launch.crowd)
    if gateway.facts.reports_submissions:
        # A crowd closes nothing while somebody is at work there.
        postings = _publications(launch, ~Q(posting__standing=Posting.Standing.CLOSED))
        reports = gateway.submissions(list(postings), undecided=undecided)
    else:
        postings = _publications(launch)
        reports = own_reports(postings)
    count = 0
    for chunk in _chunks(reports):
        changed = submissions_record(launch=launch, postings=postings, reports=chunk)
        people_enough(launch, changed)
        count += len(changed)
    Launch.objects.filter(pk=launch.pk).update(synced_at=timezone.now())
    return count


def _publications(launch: Launch, *which: Q) -> dict[str, Posting]:
    """The launch's postings, by what the crowd calls them."""
    known = ExternalId.objects.filter(
        *which, posting__launch=launch, kind=ExternalId.Kind.PUBLICATION
    )
    known = known.select_related("posting__launch__batch__campaign")
    return {each.external_id: each.posting for each in known.prefetch_related("posting__places")}


def own_reports(postings: dict[str, Posting]) -> Iterator[Reported]:
    """Where there is no marketplace, our own rows are the report."""
    names = {place.hit_id: name for name, row in postings.items() for place in row.places.all()}
    turns = Assignment.objects.filter(hit__in=names, state=State.SUBMITTED, submission=None)
    for turn in turns.select_related("annotator__identity"):
        yield Reported(
            external_id=f"{TURN}{turn.pk}",
            publication=names[turn.hit_id],
            person=_person(turn.annotator),
            progress=Progress.SUBMITTED,
            submitted_at=turn.submitted_at,
        )


@transaction.atomic
def submissions_record(
    *, launch: Launch, postings: dict[str, Posting], reports: Sequence[Reported]
) -> list[Submission]:
    """Take down a page of reports, each once: the same report twice changes nothing.

    A page takes a fixed number of queries, save for what is over, which is followed one by one.
    """
    campaign_lock(launch.batch.campaign)
    latest = {report.external_id: report for report in reports}  # some crowds deliver twice
    rows = Submission.objects.filter(crowd=launch.crowd, external_id__in=latest)
    known = {row.external_id: row for row in rows}
    new = [report for name, report in latest.items() if _is_news(report, known.get(name))]
    turns = _turns(launch.crowd, [report.external_id for report in new])
    hits = {name: {place.hit_id for place in row.places.all()} for name, row in postings.items()}
    found = [
        _submission(launch.crowd, postings, hits, report, turns.get(report.external_id))
        for report in new
    ]
    repeats_mark(found)
    changed = Submission.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["crowd", "external_id"],
        update_fields=["assignment", "annotator", "progress", "problem", "submitted_at"],
    )
    for submission in changed:
        submission_follow(submission=submission)
    assignments_confirm(turns=turns_named(changed))
    return changed


def _is_news(report: Reported, row: Submission | None) -> bool:
    """A problem may have gone meanwhile: somebody at work when it was reported has finished, or
    has come here only since."""
    has_come = row is not None and row.assignment_id is None and report.progress == Progress.WORKING
    return row is None or has_come or row.progress != report.progress or bool(row.problem)


def _turns(crowd: str, names: Sequence[str]) -> dict[str, Assignment]:
    """Who came here with these submissions, and what they worked on."""
    turns = Assignment.objects.select_related("annotator__identity")
    if crowd == INVITED:
        pks = [int(name.removeprefix(TURN)) for name in names]
        return {f"{TURN}{turn.pk}": turn for turn in turns.filter(pk__in=pks)}
    mine = turns.filter(arrival__crowd=crowd, arrival__external_id__in=names)
    return {turn.arrival.external_id: turn for turn in mine.select_related("arrival")}


def _submission(
    crowd: str,
    postings: dict[str, Posting],
    hits: dict[str, set[int]],
    report: Reported,
    turn: Assignment | None,
) -> Submission:
    """The row of a report, not saved. Somebody else's turn is not this submission's."""
    is_theirs = turn is not None and _person(turn.annotator) == report.person
    problem = submission_problem(
        report,
        turn,
        is_theirs=is_theirs,
        is_placed=bool(turn and turn.hit_id in hits[report.publication]),
    )
    mine = turn if problem not in (Problem.FORGED, Problem.MISPLACED) else None
    annotator = turn.annotator if turn and is_theirs else None
    return Submission(
        crowd=crowd,
        external_id=report.external_id,
        posting=postings[report.publication],
        annotator=annotator or annotator_identify(crowd=crowd, external_id=report.person),
        assignment=mine,
        progress=report.progress.value,
        problem=problem,
        submitted_at=report.submitted_at or (mine.submitted_at if mine else None),
    )


def _person(annotator: Annotator | None) -> str:
    """What the crowd calls an annotator; nothing once their identity was erased."""
    identity = getattr(annotator, "identity", None)
    return identity.external_id if identity else ""


def submission_problem(
    report: Reported, turn: Assignment | None, *, is_theirs: bool, is_placed: bool
) -> Submission.Problem:
    """What is wrong with a report, as far as our rows tell."""
    if turn is None:
        return Problem.UNKNOWN if report.progress in HANDED_IN else Problem.NONE
    if not is_theirs:
        return Problem.FORGED
    if not is_placed:
        return Problem.MISPLACED
    if report.progress not in HANDED_IN or turn.state in Assignment.FINISHED:
        return Problem.NONE
    return Problem.LATE if turn.state in Assignment.GIVEN_UP else Problem.UNFINISHED


def submission_follow(*, submission: Submission) -> None:
    """Bring our rows in line with what the crowd says is over."""
    turn, posting = submission.assignment, submission.posting
    progress, subject = Progress(submission.progress), f"submission:{submission.pk}"
    if progress in GIVEN_UP and turn is not None:
        assignment_withdraw(assignment=turn, ran_out=progress == Progress.TIMED_OUT)
    elif progress == Progress.APPROVED:
        _decided_there(submission, Submission.Pay.PAY, State.APPROVED)
        reward_book(posting=posting, subject=subject)
    elif progress == Progress.REJECTED:
        _decided_there(submission, Submission.Pay.OPEN, State.REJECTED)
        reward_release(posting=posting, subject=subject)


def _decided_there(submission: Submission, pay: Submission.Pay, state: Assignment.State) -> None:
    """The crowd, or somebody on its pages, has decided. Who and why is known there only."""
    undecided = Submission.objects.filter(pk=submission.pk, pay=Submission.Pay.OPEN)
    undecided.update(pay=pay, decided_at=timezone.now())
    Assignment.objects.filter(pk=submission.assignment_id or 0, state=State.SUBMITTED).update(
        state=state
    )
    submission.refresh_from_db()


def people_enough(launch: Launch, changed: Sequence[Submission]) -> None:
    """Spare people who have reached the limit an offer they could not take.

    Our own page refuses them in any case; so it does no harm if this is ever missed.
    """
    campaign = launch.batch.campaign
    limit = campaign.max_hits_per_annotator
    handed_in = [row for row in changed if row.progress == Progress.SUBMITTED]
    if limit is None or not handed_in or launch.crowd == INVITED:
        return
    turns = Assignment.objects.filter(
        campaign=campaign,
        annotator__in=[row.annotator_id for row in handed_in],
        slot__isnull=False,
    ).exclude(state__in=Assignment.GIVEN_UP)
    counts = Counter(turns.values_list("annotator", flat=True))
    people = {
        row.annotator_id: _person(row.annotator)
        for row in handed_in
        if counts[row.annotator_id] >= limit and _person(row.annotator)
    }
    if people:
        audience = audience_enough(campaign)
        act_write(
            campaign=campaign,
            crowd=launch.crowd,
            kind=Act.Kind.ENLIST,
            subject=f"{audience}:{digest_of(sorted(people.values()))}",
            payload={"audience": audience, "people": sorted(people.values())},
        )


def _chunks(reports: Iterable[Reported]) -> Iterator[list[Reported]]:
    """Read no further ahead than a chunk, so that memory stays flat."""
    rest = iter(reports)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
