"""The rules of the marketplace: HITs, assignments, money and the three clocks.

Pure: no files, no network, and time only moves when `advance` is called. The same acts at the same
times always lead to the same state, ids included, so that a journal of acts is all that is kept.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import heapq
import json
from collections.abc import Iterable
from decimal import Decimal

from rehearsal.mturk.money import MANY, Account, fee_rate, with_fee
from rehearsal.mturk.qualifying import obstacle
from rehearsal.mturk.records import (
    GIVEN_UP,
    LISTED,
    Assignment,
    Bonus,
    Hit,
    HitType,
    Message,
    QualificationType,
    State,
    Status,
    Worker,
)
from rehearsal.mturk.refusals import Refusal, missing

BEGINNING = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
TOKEN_LIFE = dt.timedelta(hours=24)
OVERRULED_WITHIN = dt.timedelta(days=30)
NOT_DISPOSED = tuple(status for status in Status if status is not Status.DISPOSED)
DEFAULT_BALANCE = Decimal("10000.00")


class Marketplace:
    """Everything there is, at one moment."""

    def __init__(self, *, seed: str, balance: Decimal = DEFAULT_BALANCE) -> None:
        self.seed = seed
        self.now = BEGINNING
        self.account = Account(balance)
        self.types: dict[str, HitType] = {}
        self.hits: dict[str, Hit] = {}
        self.assignments: dict[str, Assignment] = {}
        self.qualifications: dict[str, QualificationType] = {}
        self.workers: dict[str, Worker] = {}
        self.bonuses: dict[str, list[Bonus]] = {}  # by assignment
        self.messages: list[Message] = []
        self._made = 0
        self._type_ids: dict[HitType, str] = {}
        self._timers: list[tuple[dt.datetime, int, str]] = []
        self._tokens: dict[str, tuple[dt.datetime, str]] = {}

    # Time ---------------------------------------------------------------------------------------

    def advance(self, now: dt.datetime) -> None:
        """Let time pass, and everything happen whose hour has come, in its order."""
        while self._timers and self._timers[0][0] <= now:
            when, _, subject = heapq.heappop(self._timers)
            self.now = max(self.now, when)
            if subject in self.hits:
                self._hold(self.hits[subject])
            else:
                self._run_out(self.assignments[subject])
        self.now = max(self.now, now)

    def _run_out(self, assignment: Assignment) -> None:
        """An assignment's deadline, or its auto-approval, whichever it is waiting for."""
        if assignment.state is State.ACCEPTED and assignment.deadline <= self.now:
            self._leave(assignment, State.ABANDONED)
        due = assignment.auto_approval_at
        if assignment.state is State.SUBMITTED and due is not None and due <= self.now:
            self._approve(assignment, "")

    def _wake(self, when: dt.datetime, subject: str) -> None:
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, subject))

    # Names and tokens ---------------------------------------------------------------------------

    def new_id(self) -> str:
        """Thirty capitals and digits that nothing else here, or in another rehearsal, has."""
        self._made += 1
        digest = hashlib.sha256(f"{self.seed}.{self._made}".encode()).digest()
        return "3" + base64.b32encode(digest).decode()[:29]

    def spend_token(self, family: str, token: str | None, code: str) -> None:
        """Refuse a request whose token did something within the last day."""
        spent = self._tokens.get(f"{family}:{token}") if token else None
        if spent is not None and self.now - spent[0] < TOKEN_LIFE:
            raise Refusal(
                f"The request with UniqueRequestToken {token} was carried out before: {spent[1]}",
                code,
            )

    def keep_token(self, family: str, token: str | None, subject: str) -> None:
        if token:
            self._tokens[f"{family}:{token}"] = (self.now, subject)

    # HITs ---------------------------------------------------------------------------------------

    def register_type(self, hit_type: HitType) -> str:
        if hit_type not in self._type_ids:
            type_id = self._type_ids[hit_type] = self.new_id()
            self.types[type_id] = hit_type
        return self._type_ids[hit_type]

    def create_hit(
        self, type_id: str, *, question: str, people: int, lifetime: int, annotation: str
    ) -> Hit:
        hit_type = self.type_of(type_id)
        rate = fee_rate(people)
        self.account.require(people * with_fee(hit_type.reward, rate))
        hit = Hit(
            id=self.new_id(),
            number=len(self.hits),
            type_id=type_id,
            type=hit_type,
            question=question,
            max_assignments=people,
            annotation=annotation,
            created_at=self.now,
            expires_at=self.now + dt.timedelta(seconds=lifetime),
            fee_rate=rate,
        )
        self.hits[hit.id] = hit
        self._hold(hit)
        self._wake(hit.expires_at, hit.id)
        return hit

    def extend(self, hit: Hit, more: int) -> None:
        total = hit.max_assignments + more
        if hit.max_assignments < MANY <= total:
            raise Refusal(
                f"HIT {hit.id} was made for fewer than {MANY} people and cannot be extended to "
                f"{total}.",
                "InvalidMaximumAssignmentsIncrease",
            )
        self.require_status(hit, *NOT_DISPOSED)
        if hit.expires_at > self.now:
            self.account.require(more * self._unit(hit))
        hit.max_assignments = total
        hit.reviewing = False
        self._hold(hit)

    def set_expiry(self, hit: Hit, when: dt.datetime) -> None:
        self.require_status(hit, *NOT_DISPOSED)
        if hit.expires_at <= self.now < when:
            self.account.require(hit.free() * self._unit(hit))
            hit.reviewing = False
        hit.expires_at = when
        self._hold(hit)
        self._wake(when, hit.id)

    def dispose(self, hit: Hit) -> None:
        self.require_status(hit, Status.REVIEWABLE, Status.REVIEWING)
        if hit.count(State.SUBMITTED):
            raise Refusal(
                f"HIT {hit.id} has assignments that are neither approved nor rejected.",
                "InvalidHITState",
            )
        hit.disposed = True
        self._hold(hit)

    def require_status(self, hit: Hit, *allowed: Status) -> None:
        if hit.status(self.now) not in allowed:
            names = ",".join(allowed)
            raise Refusal(f"This HIT must have a status of: {names}", "InvalidHITState")

    def _unit(self, hit: Hit) -> Decimal:
        return with_fee(hit.type.reward, hit.fee_rate)

    def _hold(self, hit: Hit) -> None:
        """Hold money for every place that may still have to be paid."""
        places = hit.available(self.now) + hit.count(State.ACCEPTED, State.SUBMITTED)
        held = places * self._unit(hit)
        self.account.held += held - hit.held
        hit.held = held

    # Looking things up --------------------------------------------------------------------------

    def type_of(self, type_id: str) -> HitType:
        if type_id not in self.types:
            raise missing("HITType", type_id)
        return self.types[type_id]

    def hit(self, hit_id: str) -> Hit:
        if hit_id not in self.hits:
            raise missing("HIT", hit_id)
        return self.hits[hit_id]

    def assignment(self, assignment_id: str) -> Assignment:
        if assignment_id not in self.assignments:
            raise missing("Assignment", assignment_id)
        return self.assignments[assignment_id]

    def qualification(self, type_id: str) -> QualificationType:
        if type_id not in self.qualifications:
            raise missing("QualificationType", type_id)
        return self.qualifications[type_id]

    def worker(self, worker_id: str) -> Worker:
        return self.workers.setdefault(worker_id, Worker(worker_id))

    def open_hits(self, worker_id: str) -> Iterable[Hit]:
        """What a worker finds when they look for work, the newest first."""
        for hit in reversed(self.hits.values()):
            if hit.available(self.now) and not self.obstacle(hit, worker_id, "discover"):
                yield hit

    def obstacle(self, hit: Hit, worker_id: str, action: str) -> str:
        """Why a worker may not discover, preview or accept a HIT; empty when they may."""
        worker = self.workers.get(worker_id) or Worker(worker_id)
        requirements = [json.loads(text) for text in hit.type.requirements]
        unmet = obstacle(worker, requirements, self.qualifications, action)
        if unmet is not None:
            return "You do not have the qualifications this HIT asks for."
        had = (one for one in hit.assignments.values() if one.worker == worker_id)
        if action == "accept" and any(one.state not in GIVEN_UP for one in had):
            return "You have worked on this HIT before."
        if action == "accept" and not hit.available(self.now):
            return "There are no more places in this HIT."
        return ""

    # What workers do ----------------------------------------------------------------------------

    def accept(self, hit: Hit, worker_id: str) -> Assignment:
        if sentence := self.obstacle(hit, worker_id, "accept"):
            raise Refusal(sentence)
        deadline = self.now + dt.timedelta(seconds=hit.type.duration)
        assignment = Assignment(self.new_id(), hit.id, worker_id, self.now, deadline)
        self.assignments[assignment.id] = hit.assignments[assignment.id] = assignment
        self._hold(hit)
        self._wake(deadline, assignment.id)
        return assignment

    def give_back(self, assignment: Assignment, worker_id: str) -> None:
        if assignment.worker != worker_id or assignment.state is not State.ACCEPTED:
            raise Refusal("You are not working on this HIT.")
        self._leave(assignment, State.RETURNED)

    def submit(self, assignment: Assignment, answer: str) -> None:
        """Hand in work, once; the same post again changes nothing."""
        if assignment.state in LISTED:
            return
        if assignment.state is not State.ACCEPTED:
            raise Refusal("Too late: this HIT was given back, or its time ran out.")
        hit = self.hits[assignment.hit]
        assignment.state = State.SUBMITTED
        assignment.answer = answer
        assignment.submitted_at = self.now
        assignment.auto_approval_at = self.now + dt.timedelta(seconds=hit.type.auto_approval)
        self._wake(assignment.auto_approval_at, assignment.id)

    def _leave(self, assignment: Assignment, state: State) -> None:
        assignment.state = state
        self._hold(self.hits[assignment.hit])

    # What the requester decides -----------------------------------------------------------------

    def approve(self, assignment: Assignment, feedback: str, *, overrule: bool) -> None:
        allowed = [State.SUBMITTED, State.REJECTED] if overrule else [State.SUBMITTED]
        self.require_state(assignment, *allowed)
        if assignment.state is State.REJECTED:
            self._require_overrulable(assignment)
            self.account.require(self._unit(self.hits[assignment.hit]))
            self.worker(assignment.worker).rejected -= 1
        self._approve(assignment, feedback)

    def _approve(self, assignment: Assignment, feedback: str) -> None:
        hit = self.hits[assignment.hit]
        assignment.state = State.APPROVED
        assignment.approved_at = self.now
        assignment.feedback = feedback
        self.account.paid += self._unit(hit)
        self._hold(hit)
        self.worker(assignment.worker).approved += 1

    def _require_overrulable(self, assignment: Assignment) -> None:
        submitted = assignment.submitted_at or self.now
        if self.hits[assignment.hit].disposed or self.now - submitted > OVERRULED_WITHIN:
            raise Refusal(
                f"The rejection of assignment {assignment.id} can no longer be overruled.",
                "InvalidAssignmentState",
            )

    def reject(self, assignment: Assignment, feedback: str) -> None:
        self.require_state(assignment, State.SUBMITTED)
        assignment.state = State.REJECTED
        assignment.rejected_at = self.now
        assignment.feedback = feedback
        self._hold(self.hits[assignment.hit])
        self.worker(assignment.worker).rejected += 1

    def require_state(self, assignment: Assignment, *allowed: State) -> None:
        if assignment.state not in allowed:
            names = ",".join(allowed)
            raise Refusal(
                f"This operation can be called with a status of: {names}",
                "InvalidAssignmentState",
            )

    def pay_bonus(self, assignment: Assignment, amount: Decimal, reason: str) -> None:
        cost = with_fee(amount)
        self.account.require(cost)
        self.account.paid += cost
        bonus = Bonus(assignment.id, assignment.worker, amount, reason, self.now)
        self.bonuses.setdefault(assignment.id, []).append(bonus)

    def knows(self, worker_id: str) -> bool:
        """Whether the requester has decided about this worker's work: only then they may write."""
        decided = (State.APPROVED, State.REJECTED)
        return any(
            one.worker == worker_id and one.state in decided for one in self.assignments.values()
        )
