"""The market itself: studies, submissions, money. All amounts are in cents."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from rehearsal.prolific.signing import Signer

BUSY: Final = ("RESERVED", "ACTIVE")
HELD: Final = (*BUSY, "AWAITING REVIEW", "APPROVED")
PAYING: Final = ("ACTIVE", "PAUSED", "AWAITING REVIEW")
STUDY_MOVES: Final = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("PAUSED", "START"): "ACTIVE",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "STOP"): "COMPLETED",
}
SUBMISSION_MOVES: Final = {
    ("AWAITING REVIEW", "APPROVE"): "APPROVED",
    ("AWAITING REVIEW", "REJECT"): "REJECTED",
    ("REJECTED", "UNREJECT"): "AWAITING REVIEW",
}
OUTCOMES: Final = {"APPROVE": "APPROVED", "REJECT": "REJECTED", "UNREJECT": "AWAITING REVIEW"}


class Refusal(Exception):
    """What the market answers with status 400, or 404 where something is not there."""

    def __init__(self, detail: Any, *, status: int = 400) -> None:
        super().__init__(str(detail))
        self.detail = detail
        self.status = status


@dataclass
class Study:
    id: str
    created_at: dt.datetime
    fields: dict[str, Any]
    status: str = "UNPUBLISHED"

    @property
    def places(self) -> int:
        return int(self.fields["total_available_places"])

    @property
    def access_details(self) -> list[dict[str, Any]]:
        details: list[dict[str, Any]] = self.fields["access_details"]
        return details


@dataclass
class Submission:
    id: str
    study: str
    participant: str
    address: str
    started_at: dt.datetime
    status: str = "RESERVED"
    completed_at: dt.datetime | None = None
    code: str | None = None
    return_requested: dt.datetime | None = None
    bonuses: list[int] = field(default_factory=list)


@dataclass
class BonusBatch:
    id: str
    study: str
    amounts: dict[str, int]


@dataclass
class Group:
    id: str
    name: str
    members: dict[str, dt.datetime] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """Something subscribers are told."""

    id: str
    kind: str
    resource: str
    status: str
    study: str


class Market:
    """One researcher's corner of Prolific: a workspace with a project and a balance.

    Every method that begins a change holds the lock; readers of single attributes need none.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        balance: int = 1_000_000,
        currency: str = "USD",
        fee: Fraction = Fraction(40, 100),
        token: str = "rehearsal",  # noqa: S107 - nothing is behind it
    ) -> None:
        self.clock = clock
        self.token = token
        self.workspace, self.project = "workspace", "project"
        self.total_balance, self.currency, self.fee = balance, currency, fee
        self.studies: dict[str, Study] = {}
        self.submissions: dict[str, Submission] = {}
        self.bonuses: dict[str, BonusBatch] = {}
        self.groups: dict[str, Group] = {}
        self.messages: list[dict[str, Any]] = []
        self.events: list[Event] = []
        self.signer = Signer()
        self.lock = threading.RLock()
        self._numbers = itertools.count(1)

    # Money ------------------------------------------------------------------------------------
    def cost(self, reward: int, people: int) -> int:
        """Rewards and fees for so many people; each pays a whole number of cents."""
        return people * math.ceil(reward * (1 + self.fee))

    @property
    def available_balance(self) -> int:
        """What no running study needs for the places it still has to pay."""
        return self.total_balance - sum(map(self._reserved, self.studies.values()))

    def _reserved(self, study: Study) -> int:
        mine = [one for one in self.submissions.values() if one.study == study.id]
        open_work = sum(one.status in (*BUSY, "AWAITING REVIEW") for one in mine)
        if study.status not in PAYING:
            return self.cost(study.fields["reward"], open_work)
        free = study.places - sum(one.status in HELD for one in mine)
        return self.cost(study.fields["reward"], open_work + max(free, 0))

    # Studies ----------------------------------------------------------------------------------
    def study(self, study: str) -> Study:
        if study not in self.studies:
            raise Refusal("Not found.", status=404)
        return self.studies[study]

    def draft(self, fields: dict[str, Any]) -> Study:
        with self.lock:
            offered = sum(int(detail["total_allocation"]) for detail in fields["access_details"])
            if offered != fields["total_available_places"]:
                raise Refusal({"access_details": ["Must add up to total_available_places."]})
            codes = [code["code"] for code in fields["completion_codes"]]
            if len(set(codes)) != len(codes):
                raise Refusal({"completion_codes": ["Each code must be unique."]})
            study = Study(self._id(), self.clock(), fields)
            self.studies[study.id] = study
            return study

    def add_places(
        self, study: Study, details: Sequence[dict[str, Any]], total: int | None
    ) -> None:
        """With a total, addresses the study has get more places; without, addresses are added."""
        with self.lock:
            more = sum(int(detail["total_allocation"]) for detail in details)
            if total is not None and total != study.places + more:
                raise Refusal({"total_available_places": ["Can only be increased by the places."]})
            if study.status != "UNPUBLISHED":
                self._afford(self.cost(study.fields["reward"], more))
            known = {detail["external_url"]: detail for detail in study.access_details}
            if total is not None and not {d["external_url"] for d in details} <= known.keys():
                raise Refusal({"access_details": ["Unknown external_url."]})
            for detail in details:
                if total is None:
                    study.access_details.append(dict(detail))
                else:
                    known[detail["external_url"]]["total_allocation"] += detail["total_allocation"]
            study.fields["total_available_places"] = study.places + more
            if study.status in ("AWAITING REVIEW", "COMPLETED"):
                self._set_study(study, "ACTIVE")

    def move_study(self, study: Study, action: str) -> None:
        with self.lock:
            status = STUDY_MOVES.get((study.status, action))
            if status is None:
                raise Refusal(f"A study that is {study.status} cannot {action}.")
            if action == "PUBLISH":
                self._afford(self.cost(study.fields["reward"], study.places))
            self._set_study(study, status)

    def delete_study(self, study: Study) -> None:
        with self.lock:
            if study.status != "UNPUBLISHED":
                raise Refusal("Only draft studies can be deleted.")
            del self.studies[study.id]

    def allocated(self, study: Study, address: str) -> int:
        return sum(
            one.study == study.id and one.address == address and one.status in HELD
            for one in self.submissions.values()
        )

    # What people do ---------------------------------------------------------------------------
    def begin(self, study_id: str, participant: str) -> Submission:
        """Somebody takes a place, at the first address with room."""
        with self.lock:
            study = self.study(study_id)
            if study.status != "ACTIVE":
                raise Refusal("The study is not active.")
            if any(s.study == study_id and s.participant == participant for s in self._all()):
                raise Refusal("Took part already.")
            self._admit(study, participant)
            for detail in study.access_details:
                if self.allocated(study, detail["external_url"]) < detail["total_allocation"]:
                    return self._begin(study, participant, detail["external_url"])
            raise Refusal("All places are taken.")

    def complete(self, submission: str, code: str) -> None:
        """Somebody comes back with a code, and its actions happen."""
        with self.lock:
            one = self.submissions[submission]
            study = self.study(one.study)
            actions = {
                action["action"]
                for known in study.fields["completion_codes"]
                if known["code"] == code
                for action in known["actions"]
            }
            one.completed_at, one.code = self.clock(), code
            if "REQUEST_RETURN" in actions:
                one.return_requested = self.clock()
            self._set_submission(one, "AWAITING REVIEW")

    def leave(self, submission: str, *, timed_out: bool = False) -> None:
        with self.lock:
            one = self.submissions[submission]
            self._set_submission(one, "TIMED-OUT" if timed_out else "RETURNED")

    # Deciding ---------------------------------------------------------------------------------
    def submission(self, submission: str) -> Submission:
        if submission not in self.submissions:
            raise Refusal("Not found.", status=404)
        return self.submissions[submission]

    def decide(self, submission: Submission, action: str) -> None:
        """The second of two equal requests is ignored, as documented."""
        with self.lock:
            if submission.status == OUTCOMES[action]:
                return
            status = SUBMISSION_MOVES.get((submission.status, action))
            if status is None:
                raise Refusal(f"A submission that is {submission.status} cannot {action}.")
            if status == "APPROVED":
                reward = self.study(submission.study).fields["reward"]
                self.total_balance -= self.cost(reward, 1)
            self._set_submission(submission, status)

    def approve_together(self, submissions: Sequence[str]) -> None:
        """All or none. Stricter than documented: what is approved already is refused."""
        with self.lock:
            found = [self.submission(one) for one in submissions]
            wrong = [one.id for one in found if one.status != "AWAITING REVIEW"]
            if wrong:
                raise Refusal([f"{one} is not awaiting review." for one in wrong])
            for one in found:
                self.decide(one, "APPROVE")

    def set_up_bonuses(self, study: str, amounts: dict[str, int]) -> BonusBatch:
        with self.lock:
            for one in amounts:
                if one not in self.submissions or self.submissions[one].study != study:
                    raise Refusal(f"{one} did not take part in the study.")
            batch = BonusBatch(self._id(), study, amounts)
            self.bonuses[batch.id] = batch
            return batch

    def bonus_cost(self, batch: BonusBatch) -> int:
        return sum(self.cost(amount, 1) for amount in batch.amounts.values())

    def pay_bonuses(self, batch: str) -> None:
        """As documented, not idempotent: asked twice it pays twice."""
        with self.lock:
            if batch not in self.bonuses:
                raise Refusal("Not found.", status=404)
            self._afford(self.bonus_cost(self.bonuses[batch]))
            self.total_balance -= self.bonus_cost(self.bonuses[batch])
            for one, amount in self.bonuses[batch].amounts.items():
                self.submissions[one].bonuses.append(amount)

    # Groups -----------------------------------------------------------------------------------
    def make_group(self, name: str) -> Group:
        with self.lock:
            group = Group(self._id(), name)
            self.groups[group.id] = group
            return group

    def group(self, group: str) -> Group:
        if group not in self.groups:
            raise Refusal("Not found.", status=404)
        return self.groups[group]

    # Inside -----------------------------------------------------------------------------------
    def _id(self) -> str:
        """Like MongoDB's: 24 digits, later ones greater."""
        return f"{next(self._numbers):024x}"

    def _all(self) -> Iterator[Submission]:
        return iter(self.submissions.values())

    def _afford(self, amount: int) -> None:
        if self.available_balance < amount:
            raise Refusal("You do not have enough balance.")

    def _admit(self, study: Study, participant: str) -> None:
        for wanted in study.fields["filters"]:
            groups = [self.groups.get(value) for value in wanted.get("selected_values", [])]
            member = any(group and participant in group.members for group in groups)
            if wanted["filter_id"] == "participant_group_allowlist" and not member:
                raise Refusal("Not invited.")
            if wanted["filter_id"] == "participant_group_blocklist" and member:
                raise Refusal("Excluded.")

    def _begin(self, study: Study, participant: str, address: str) -> Submission:
        one = Submission(self._id(), study.id, participant, address, self.clock())
        self.submissions[one.id] = one
        self._set_submission(one, "ACTIVE")
        return one

    def _set_submission(self, one: Submission, status: str) -> None:
        one.status = status
        self._tell("submission.status.change", one.id, status, one.study)
        self._settle(self.studies[one.study])

    def _settle(self, study: Study) -> None:
        """A study whose places are all filled awaits review, and is completed by the last one."""
        mine = [one.status for one in self._all() if one.study == study.id]
        filled = sum(status in HELD for status in mine) >= study.places
        if study.status == "ACTIVE" and filled and not set(mine) & set(BUSY):
            self._set_study(study, "AWAITING REVIEW")
        if study.status == "AWAITING REVIEW" and "AWAITING REVIEW" not in mine:
            self._set_study(study, "COMPLETED" if filled else "ACTIVE")

    def _set_study(self, study: Study, status: str) -> None:
        study.status = status
        self._tell("study.status.change", study.id, status, study.id)

    def _tell(self, kind: str, resource: str, status: str, study: str) -> None:
        self.events.append(Event(self._id(), kind, resource, status, study))
