"""What the marketplace remembers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """Of an assignment. Requesters only ever hear of the last three."""

    ACCEPTED = "Accepted"
    RETURNED = "Returned"
    ABANDONED = "Abandoned"
    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"


LISTED = (State.SUBMITTED, State.APPROVED, State.REJECTED)
GIVEN_UP = (State.RETURNED, State.ABANDONED)


class Status(StrEnum):
    """Of a HIT."""

    ASSIGNABLE = "Assignable"
    UNASSIGNABLE = "Unassignable"
    REVIEWABLE = "Reviewable"
    REVIEWING = "Reviewing"
    DISPOSED = "Disposed"


@dataclass(frozen=True)
class HitType:
    """What HITs of one kind share; the same values make the same type."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    duration: int
    auto_approval: int
    requirements: tuple[str, ...]  # each as canonical JSON, so that types can be compared


@dataclass
class Assignment:
    """One worker at one HIT."""

    id: str
    hit: str
    worker: str
    accepted_at: dt.datetime
    deadline: dt.datetime
    state: State = State.ACCEPTED
    submitted_at: dt.datetime | None = None
    auto_approval_at: dt.datetime | None = None
    approved_at: dt.datetime | None = None
    rejected_at: dt.datetime | None = None
    answer: str = ""
    feedback: str = ""


@dataclass
class Hit:
    """A task, the number of people it wants, and those who took it."""

    id: str
    number: int
    type_id: str
    type: HitType
    question: str
    max_assignments: int
    annotation: str
    created_at: dt.datetime
    expires_at: dt.datetime
    fee_rate: Decimal
    assignments: dict[str, Assignment] = field(default_factory=dict)
    reviewing: bool = False
    disposed: bool = False
    held: Decimal = Decimal(0)

    def count(self, *states: State) -> int:
        return sum(assignment.state in states for assignment in self.assignments.values())

    def free(self) -> int:
        """Places nobody has; a returned or abandoned place is free again, a rejected one is not."""
        taken = len(self.assignments) - self.count(*GIVEN_UP)
        return max(0, self.max_assignments - taken)

    def available(self, now: dt.datetime) -> int:
        return 0 if self.disposed or self.expires_at <= now else self.free()

    def status(self, now: dt.datetime) -> Status:
        if self.disposed:
            return Status.DISPOSED
        if self.available(now):
            return Status.ASSIGNABLE
        if self.count(State.ACCEPTED):
            return Status.UNASSIGNABLE
        return Status.REVIEWING if self.reviewing else Status.REVIEWABLE


@dataclass
class QualificationType:
    """A mark that its requester gives to workers."""

    id: str
    name: str
    description: str
    keywords: str
    status: str
    created_at: dt.datetime
    settings: dict[str, Any]  # what else the requester said of it, told back as it was
    grants: dict[str, Grant] = field(default_factory=dict)


@dataclass
class Grant:
    """A worker's qualification."""

    worker: str
    granted_at: dt.datetime
    value: int | None
    revoked: bool = False


@dataclass(frozen=True)
class Bonus:
    assignment: str
    worker: str
    amount: Decimal
    reason: str
    granted_at: dt.datetime


@dataclass(frozen=True)
class Message:
    worker: str
    subject: str
    text: str
    sent_at: dt.datetime


@dataclass
class Worker:
    """Somebody who works here, and the record they came with."""

    id: str
    approved: int = 0
    rejected: int = 0
    country: str = "US"
    subdivision: str = ""

    def approval_rate(self) -> int:
        """Everybody counts as perfect until a hundred assignments have been decided."""
        decided = self.approved + self.rejected
        return 100 if decided < 100 else 100 * self.approved // decided
