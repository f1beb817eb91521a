"""What people handed in, as Prolific reports it, and what is decided about it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Final

from crowds.gateway import (
    Bonus,
    Payment,
    PermanentFault,
    SubmissionReport,
    SubmissionStatus,
    UnclearOutcome,
)
from crowds.prolific.client import Client, Row, with_texts
from crowds.prolific.money import bonus_amount, from_cents
from crowds.prolific.shapes import Approvals, Bonuses, RejectionCategory, SubmissionMove

SUBMISSIONS: Final = "/api/v1/submissions/"
APPROVALS_PER_CALL: Final = 1_000
STATUSES: Final = {
    "RESERVED": SubmissionStatus.WORKING,
    "ACTIVE": SubmissionStatus.WORKING,
    "AWAITING REVIEW": SubmissionStatus.SUBMITTED,
    "APPROVED": SubmissionStatus.APPROVED,
    "PARTIALLY APPROVED": SubmissionStatus.APPROVED,
    "REJECTED": SubmissionStatus.REJECTED,
    "RETURNED": SubmissionStatus.RETURNED,
    "TIMED-OUT": SubmissionStatus.TIMED_OUT,
    "SCREENED OUT": SubmissionStatus.SCREENED_OUT,
}


class Submissions:
    """The submissions of one account's studies."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def of_study(self, study: str, *, undecided: bool = False) -> Iterator[SubmissionReport]:
        """In the order people began, so that whoever begins meanwhile is on the last page."""
        asked: dict[str, str | int] = {"study": study, "ordering": "started_at"}
        if undecided:
            asked |= {"approved": "false", "rejected": "false"}
        for row in self._client.pages(SUBMISSIONS, asked):
            person = with_texts(row, "participant_id")["participant_id"]
            yield _submission(row, study=study, person=person)

    def get(self, submission: str) -> SubmissionReport:
        row = self._client.read(f"{SUBMISSIONS}{submission}/")
        return _submission(row, study=row["study_id"], person=row.get("participant") or "")

    def approve(self, study: str, submissions: Sequence[str]) -> None:
        """Approve one with a call that may be repeated, several with one that leaves that open."""
        if len(submissions) == 1:
            self._move(submissions[0], SubmissionMove(action="APPROVE"))
            return
        try:
            self._approve_together(submissions)
        except PermanentFault:
            waiting = self._not_approved(study, submissions)
            if len(waiting) == len(submissions):
                raise
            if waiting:
                self._approve_together(waiting)

    def unreject(self, submission: str) -> None:
        if self.get(submission).status is SubmissionStatus.REJECTED:
            self._move(submission, SubmissionMove(action="UNREJECT"))

    def reject(self, submission: str, category: RejectionCategory, reason: str) -> None:
        move = SubmissionMove(action="REJECT", rejection_category=category, message=reason)
        self._move(submission, move)

    def pay_bonus(self, bonus: Bonus) -> None:
        """Set up, which is free however often, then pay: only once, a second call pays again."""
        line = f"{bonus.submission},{bonus_amount(bonus.amount)}"
        asked = Bonuses(study_id=bonus.publication, csv_bonuses=line)
        made = self._client.settle("POST", f"{SUBMISSIONS}bonus-payments/", asked)
        try:
            self._client.act("POST", f"/api/v1/bulk-bonus-payments/{made['id']}/pay/")
        except UnclearOutcome:
            raise UnclearOutcome(
                f"Prolific did not say whether the bonus of {bonus.amount} was paid: "
                "look at the submission there before it is paid again."
            ) from None

    def bonuses(self, study: str) -> Iterator[Payment]:
        """Sums that were paid, in cents; told of each submission by itself, and minutes late."""
        for one in self.of_study(study):
            if one.submitted_at:
                row = self._client.read(f"{SUBMISSIONS}{one.external_id}/")
                for figure in row.get("bonus_payments") or []:
                    yield Payment(one.external_id, from_cents(figure))

    def _move(self, submission: str, move: SubmissionMove) -> None:
        """Documented as idempotent: the second of two equal requests is ignored."""
        self._client.settle("POST", f"{SUBMISSIONS}{submission}/transition/", move)

    def _approve_together(self, submissions: Sequence[str]) -> None:
        approvals = Approvals(submission_ids=list(submissions))
        self._client.settle("POST", f"{SUBMISSIONS}bulk-approve/", approvals)

    def _not_approved(self, study: str, submissions: Sequence[str]) -> list[str]:
        approved = {
            submission.external_id
            for submission in self.of_study(study)
            if submission.status is SubmissionStatus.APPROVED
        }
        return [submission for submission in submissions if submission not in approved]


def _submission(row: Row, *, study: str, person: str) -> SubmissionReport:
    with_texts(row, "id", "status")
    return SubmissionReport(
        external_id=row["id"],
        publication=study,
        person=person,
        # What is not known to be over is not decided about.
        status=STATUSES.get(row["status"], SubmissionStatus.WORKING),
        started_at=_time(row.get("started_at")),
        submitted_at=_time(row.get("completed_at")),
        code=row.get("study_code") or row.get("entered_code") or "",
    )


def _time(text: str | None) -> dt.datetime | None:
    """Prolific writes UTC, and not always that it is UTC."""
    if not text:
        return None
    time = dt.datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=dt.UTC)
