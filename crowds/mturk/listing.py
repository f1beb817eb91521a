"""Reading what is there, in as few calls as Mechanical Turk allows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any

from crowds.gateway import Payment, SubmissionReport
from crowds.mturk.calling import Caller, Missing
from crowds.mturk.wording import answered_at, references_of, submission_of

Hit = dict[str, Any]


class Listing:
    """HITs a hundred at a time; assignments HIT by HIT, for there is no other way."""

    def __init__(self, caller: Caller) -> None:
        self._call = caller

    def hits(self) -> Iterator[tuple[Hit, dt.datetime]]:
        """All HITs that are not deleted, each with the time it was told of."""
        for answer in self._call.answers("list_hits"):
            for hit in answer["HITs"]:
                yield hit, answered_at(answer)

    def submissions(self, hits: Collection[str], *, undecided: bool) -> Iterator[SubmissionReport]:
        """Ask only those HITs whose own numbers say that there may be something to hear."""
        waiting = dict.fromkeys(hits)
        for page in self._overview(waiting):
            for hit in page:
                if hit["HITId"] in waiting:
                    del waiting[hit["HITId"]]
                    if _may_have(hit, undecided=undecided):
                        yield from self._of(hit["HITId"], references_of(hit)[1], undecided)
        for unseen in waiting:
            yield from self._of(unseen, "", undecided)

    def _overview(self, waiting: Collection[str]) -> Iterator[list[Hit]]:
        """Pages of all HITs, as long as reading on costs no more than asking one by one."""
        if len(waiting) <= 1:
            return
        for number, answer in enumerate(self._call.answers("list_hits"), start=1):
            yield answer["HITs"]
            if number >= len(waiting):
                return

    def bonuses(self, hit: str) -> Iterator[Payment]:
        try:
            for one in self._call.pages("list_bonus_payments", "BonusPayments", HITId=hit):
                yield Payment(one["AssignmentId"], Decimal(one["BonusAmount"]))
        except Missing:
            return  # an unknown HIT has no bonuses

    def _of(self, hit: str, place: str, undecided: bool) -> Iterator[SubmissionReport]:
        states = {"AssignmentStatuses": ["Submitted"]} if undecided else {}
        try:
            for one in self._call.pages(
                "list_assignments_for_hit", "Assignments", HITId=hit, **states
            ):
                yield submission_of(one, place=place)
        except Missing:
            return  # an unknown HIT has no submissions


def _may_have(hit: Hit, *, undecided: bool) -> bool:
    """Whether places are neither free nor in somebody's hands, nor, if so asked, decided."""
    other = hit["NumberOfAssignmentsAvailable"] + hit["NumberOfAssignmentsPending"]
    if undecided:
        other += hit["NumberOfAssignmentsCompleted"]
    return bool(hit["MaxAssignments"] > other)
