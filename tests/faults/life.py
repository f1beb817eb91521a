"""A simple model of an assignment's life: what must hold of it, in plain values, without rows."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from crowds.gateway import SubmissionStatus

ACTIVE, SUBMITTED, APPROVED, REJECTED = "active", "submitted", "approved", "rejected"
RETURNED, EXPIRED = "returned", "expired"
FINISHED = (SUBMITTED, APPROVED, REJECTED)
GIVEN_UP = (RETURNED, EXPIRED)
HANDED_IN = (SubmissionStatus.SUBMITTED, SubmissionStatus.APPROVED, SubmissionStatus.REJECTED)
DECIDED = (SubmissionStatus.APPROVED, SubmissionStatus.REJECTED)


@dataclass
class Turn:
    """One person at one HIT: what they did here, and what has been heard of it from their crowd."""

    pk: int
    hit: int
    person: str
    size: int
    expires_at: dt.datetime
    state: str = ACTIVE
    answers: dict[int, list[int]] = field(default_factory=dict)  # by position, oldest first
    heard: SubmissionStatus | None = None  # nothing: its crowd has not confirmed it
    is_placed: bool = False  # confirmed, it had or has a place
    problem: str = ""
    pay: str = ""

    @property
    def name(self) -> str:
        """What the crowd calls it."""
        return f"A-{self.hit}-{self.person}"

    @property
    def done(self) -> int:
        return len(self.answers)

    @property
    def is_complete(self) -> bool:
        return self.done == self.size

    def is_overdue(self, now: dt.datetime) -> bool:
        return self.state == ACTIVE and self.expires_at <= now

    def takes_ratings(self, now: dt.datetime) -> bool:
        return self.state == ACTIVE and not self.is_overdue(now)

    def answer(self, position: int, score: int) -> None:
        self.answers.setdefault(position, []).append(score)

    def rows(self) -> set[tuple[int, int, int, int]]:
        """Its ratings as the database has them: turn, position, revision, score."""
        return {
            (self.pk, position, revision, score)
            for position, scores in self.answers.items()
            for revision, score in enumerate(scores, start=1)
        }

    def hear(self, status: SubmissionStatus) -> None:
        """The crowd reports how far the turn is, as it sees it."""
        if status == self.heard and not self.problem:
            return
        self.heard, self.problem = status, self._problem(status)
        if status == SubmissionStatus.RETURNED and self.state == ACTIVE:
            self.state = RETURNED
        if status == SubmissionStatus.TIMED_OUT and self.state == ACTIVE:
            self.state = EXPIRED
        if status in DECIDED and self.state == SUBMITTED:
            self.state = status.value
        if status == SubmissionStatus.APPROVED:
            self.pay = self.pay or "pay"

    def is_holding(self) -> bool:
        """Whether it keeps others from a place."""
        return self.is_placed and self.state not in GIVEN_UP

    def _problem(self, status: SubmissionStatus) -> str:
        if status not in HANDED_IN or self.state in FINISHED:
            return ""
        return "late" if self.state in GIVEN_UP else "unfinished"

    def is_undecided(self) -> bool:
        return self.heard == SubmissionStatus.SUBMITTED and not self.pay

    def is_payable(self, *, is_being_rejected: bool) -> bool:
        wanted = (
            self.heard in (SubmissionStatus.SUBMITTED, SubmissionStatus.REJECTED)
            or self.pay == "refuse"
        )
        return wanted and self.pay != "pay" and not is_being_rejected

    def decide(self, pay: str) -> None:
        self.pay = pay
        if self.state in FINISHED:
            self.state = APPROVED if pay == "pay" else REJECTED

    def needs_replacement(self) -> bool:
        """Whether somebody else is to be asked: it is reported, and cannot be used."""
        if self.heard is None or self.state in GIVEN_UP:
            return False
        refused = self.pay == "refuse" or self.heard == SubmissionStatus.REJECTED
        return refused or bool(self.problem) or self.state not in FINISHED
