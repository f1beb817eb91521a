"""What crowds report about people's turns, matched with what people did here.

A crowd's word is never taken for ours, nor ours for the crowd's: a submission is clean only where
both agree on the person, the HIT and that the work is finished. Everything else is kept with its
problem, is paid by nobody but a person, and counts in no ranking. Who is reported has a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from annotations.models import Annotator, Assignment
from annotations.services.assignments import annotator_identify, assignment_withdraw
from crowds.gateway import Gateway, SubmissionReport, SubmissionStatus
from crowds.models import ExternalId, Launch, Notice, OutboxMessage, Publication, Submission
from crowds.references import audience_enough
from crowds.registry import connect, crowd_named
from crowds.services.confirming import assignments_confirm, assignments_named, repeats_mark
from crowds.services.money import campaign_lock, reward_book, reward_release
from crowds.services.outbox import outbox_write
from crowds.services.people import digest_of

State, Problem = Assignment.State, Submission.Problem
GIVEN_UP = (SubmissionStatus.RETURNED, SubmissionStatus.TIMED_OUT, SubmissionStatus.SCREENED_OUT)
HANDED_IN = (SubmissionStatus.SUBMITTED, SubmissionStatus.APPROVED, SubmissionStatus.REJECTED)
CHUNK = 200
TURN = "turn-"  # how our own reports call a turn


def launch_sync(*, launch: Launch, gateway: Gateway | None = None, undecided: bool = True) -> int:
    """Take down what the crowd reports; how many submissions were new or changed.

    What is approved or rejected already is asked for only where ``undecided`` is False.
    """
    gateway = gateway or connect(launch.crowd)
    if gateway.facts.reports_submissions:
        # A crowd closes nothing while somebody is at work there.
        publications = _publications(launch, ~Q(publication__status=Publication.Status.CLOSED))
        reports = gateway.submissions(list(publications), undecided=undecided)
    else:
        publications = _publications(launch)
        reports = own_reports(publications)
    count = 0
    for chunk in _chunks(reports):
        changed = submissions_record(launch=launch, publications=publications, reports=chunk)
        people_enough(launch, changed)
        count += len(changed)
    Launch.objects.filter(pk=launch.pk).update(synced_at=timezone.now())
    return count


def _publications(launch: Launch, *which: Q) -> dict[str, Publication]:
    """The launch's publications, by what the crowd calls them."""
    known = ExternalId.objects.filter(
        *which, publication__launch=launch, kind=ExternalId.Kind.PUBLICATION
    )
    known = known.select_related("publication__launch__batch__campaign")
    return {
        each.external_id: each.publication
        for each in known.prefetch_related("publication__published_hits")
    }


def own_reports(publications: dict[str, Publication]) -> Iterator[SubmissionReport]:
    """Where there is no marketplace, our own rows are the report."""
    names = {
        place.hit_id: name
        for name, row in publications.items()
        for place in row.published_hits.all()
    }
    turns = Assignment.objects.filter(hit__in=names, state=State.SUBMITTED, submission=None)
    for turn in turns.select_related("annotator__identity"):
        yield SubmissionReport(
            external_id=f"{TURN}{turn.pk}",
            publication=names[turn.hit_id],
            person=_person(turn.annotator),
            status=SubmissionStatus.SUBMITTED,
            submitted_at=turn.submitted_at,
        )


@transaction.atomic
def submissions_record(
    *, launch: Launch, publications: dict[str, Publication], reports: Sequence[SubmissionReport]
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
    hits = {
        name: {place.hit_id for place in row.published_hits.all()}
        for name, row in publications.items()
    }
    found = [
        _submission(launch.crowd, publications, hits, report, turns.get(report.external_id))
        for report in new
    ]
    repeats_mark(found)
    changed = Submission.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["crowd", "external_id"],
        update_fields=["assignment", "annotator", "status", "problem", "submitted_at"],
    )
    for submission in changed:
        submission_follow(submission=submission)
    assignments_confirm(turns=assignments_named(changed))
    return changed


def _is_news(report: SubmissionReport, row: Submission | None) -> bool:
    """A problem may have gone meanwhile: somebody at work when it was reported has finished, or
    has come here only since."""
    has_come = (
        row is not None and row.assignment_id is None and report.status == SubmissionStatus.WORKING
    )
    return row is None or has_come or row.status != report.status or bool(row.problem)


def _turns(crowd: str, names: Sequence[str]) -> dict[str, Assignment]:
    """Who came here with these submissions, and what they worked on."""
    turns = Assignment.objects.select_related("annotator__identity")
    if not crowd_named(crowd).is_marketplace:
        pks = [int(name.removeprefix(TURN)) for name in names]
        return {f"{TURN}{turn.pk}": turn for turn in turns.filter(pk__in=pks)}
    mine = turns.filter(arrival__crowd=crowd, arrival__external_id__in=names)
    return {turn.arrival.external_id: turn for turn in mine.select_related("arrival")}


def _submission(
    crowd: str,
    publications: dict[str, Publication],
    hits: dict[str, set[int]],
    report: SubmissionReport,
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
        publication=publications[report.publication],
        annotator=annotator or annotator_identify(crowd=crowd, external_id=report.person),
        assignment=mine,
        status=report.status.value,
        problem=problem,
        submitted_at=report.submitted_at or (mine.submitted_at if mine else None),
    )


def _person(annotator: Annotator | None) -> str:
    """What the crowd calls an annotator; nothing once their identity was erased."""
    identity = getattr(annotator, "identity", None)
    return identity.external_id if identity else ""


def submission_problem(
    report: SubmissionReport, turn: Assignment | None, *, is_theirs: bool, is_placed: bool
) -> Submission.Problem:
    """What is wrong with a report, as far as our rows tell."""
    if turn is None:
        return Problem.UNKNOWN if report.status in HANDED_IN else Problem.NONE
    if not is_theirs:
        return Problem.FORGED
    if not is_placed:
        return Problem.MISPLACED
    if report.status not in HANDED_IN or turn.state in Assignment.FINISHED:
        return Problem.NONE
    return Problem.LATE if turn.state in Assignment.GIVEN_UP else Problem.UNFINISHED


def submission_follow(*, submission: Submission) -> None:
    """Bring our rows in line with what the crowd says is over."""
    turn, status = submission.assignment, SubmissionStatus(submission.status)
    if status in GIVEN_UP and turn is not None:
        assignment_withdraw(assignment=turn, ran_out=status == SubmissionStatus.TIMED_OUT)
    elif status == SubmissionStatus.APPROVED:
        _decided_there(submission, Submission.Pay.PAY, State.APPROVED)
        reward_book(submission=submission)
    elif status == SubmissionStatus.REJECTED:
        _decided_there(submission, Submission.Pay.OPEN, State.REJECTED)
        reward_release(submission=submission)


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
    handed_in = [row for row in changed if row.status == SubmissionStatus.SUBMITTED]
    if limit is None or not handed_in or not crowd_named(launch.crowd).is_marketplace:
        return
    turns = Assignment.objects.filter(
        campaign=campaign,
        annotator__in=[row.annotator_id for row in handed_in],
        slot__isnull=False,
    ).exclude(state__in=Assignment.GIVEN_UP)
    counts = Counter(turns.values_list("annotator", flat=True))
    people = {
        row.annotator_id
        for row in handed_in
        if counts[row.annotator_id] >= limit and _person(row.annotator)
    }
    if people:
        audience = audience_enough(campaign)
        outbox_write(
            campaign=campaign,
            crowd=launch.crowd,
            kind=OutboxMessage.Kind.ENLIST,
            occasion=f"{audience}:{digest_of(people)}",
            payload={"audience": audience},
            annotators=people,
        )


def _chunks(reports: Iterable[SubmissionReport]) -> Iterator[list[SubmissionReport]]:
    """Read no further ahead than a chunk, so that memory stays flat."""
    rest = iter(reports)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


@transaction.atomic
def notice_accept(*, crowd: str, ids: Sequence[str], publication: str) -> Launch | None:
    """The launch to be looked at; None for a repeated notice, or one about nothing of ours.

    A notice has several ids where each alone may be new in a repetition.
    """
    firsts = [notice_record(crowd=crowd, external_id=name) for name in ids]
    if not all(firsts):
        return None
    known = ExternalId.objects.filter(
        crowd=crowd, kind=ExternalId.Kind.PUBLICATION, external_id=publication
    ).select_related("publication__launch")
    found = known.first()
    return found.publication.launch if found else None


def notice_record(*, crowd: str, external_id: str) -> bool:
    """Whether this is the first delivery of a notice; a repeated one has been acted upon."""
    try:
        with transaction.atomic():
            Notice.objects.create(crowd=crowd, external_id=external_id)
    except IntegrityError:
        return False
    return True
