"""No label of a submission and no sentence on closed work stands where it is false.

Each has a row here that tells when it is true; one without a row fails. The work is of every kind
there can be, such as that of somebody who rated everything and went away before handing it in.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import Assignment
from annotations.selectors.work import CLOSED, SUBMITTED, closed_sentence
from crowds.gateway import SubmissionReport as Reported
from crowds.gateway import SubmissionStatus
from crowds.models import Submission
from crowds.services.submissions import (
    GIVEN_UP,
    HANDED_IN,
    submission_problem,
)
from tests.crowd import launch, work
from tests.crowds.crowd_people import arrive, rate

State, Problem = Assignment.State, Submission.Problem
HERE = (None, State.ACTIVE, State.SUBMITTED, State.RETURNED, State.EXPIRED)


@dataclass(frozen=True)
class Work:
    """What became of work here and at the crowd.

    Parameters
    ----------
    state : here; None where nobody came
    is_theirs : whether the crowd's name for the person is the one they came under
    is_erased : whether who they are is no longer known here
    is_placed : whether the HIT is one of the publication's
    has_rated_all : whether every caption has a rating
    is_taken : whether somebody else has taken the place since
    progress : as the crowd reports it
    """

    state: Any
    is_theirs: bool
    is_erased: bool
    is_placed: bool
    has_rated_all: bool
    is_taken: bool
    progress: SubmissionStatus

    @property
    def problem(self) -> Any:
        report = Reported("S1", "P1", "W1", self.progress)
        turn = None if self.state is None else Assignment(state=self.state)
        named = self.is_theirs and not self.is_erased
        return submission_problem(report, turn, is_theirs=named, is_placed=self.is_placed)


WORK = [Work(*case) for case in product(HERE, *[(True, False)] * 5, SubmissionStatus)]
LABELS = {
    "None": lambda work: True,
    "Nobody came here with this submission": lambda work: work.state is None,
    "Not under the name that the crowd gives": lambda work: not work.is_theirs or work.is_erased,
    "Belongs to another HIT": lambda work: not work.is_placed,
    "Not finished here": lambda work: work.state == State.ACTIVE,
    "Handed in after it was given up here": lambda work: (
        work.progress in HANDED_IN and work.state in Assignment.GIVEN_UP
    ),
    "Has a place in this HIT already": lambda work: False,  # told apart below
}


def test_every_label_of_a_problem_is_true_of_all_work_it_stands_at():
    told = {work: work.problem for work in WORK}
    assert [
        work for work, problem in told.items() if not LABELS[Problem(problem).label](work)
    ] == []
    assert {*Problem.values} - {"repeated"} == set(told.values())


def test_every_label_has_a_row():
    assert {problem.label for problem in Problem} == set(LABELS)


@pytest.mark.django_db
def test_whoever_is_said_to_have_a_place_has_one_and_need_not_have_rated(campaign, market):
    """One person is named twice at a HIT, and the first time has rated nothing."""
    campaign.assignments = 3
    campaign.save()
    made = launch(campaign)
    work(made, market)
    hit = made.batch.hits.get()
    first, second = arrive(hit, "W1", "A1"), arrive(hit, "W1", "A2")
    rate(second)
    market.submit("P1", "W1", "A1")
    work(made, market)
    market.submit("P1", "W1", "A2")
    work(made, market)
    [row] = Submission.objects.filter(problem="repeated")
    held = Assignment.objects.filter(hit=hit, annotator=row.annotator, slot__isnull=False)
    assert held.exists()
    assert not first.ratings.exists()
    assert row.get_problem_display() == "Has a place in this HIT already"


NOW = timezone.now()
SENTENCES = {
    "": lambda state, overdue: state == State.ACTIVE and not overdue,
    CLOSED[State.RETURNED]: lambda state, overdue: state == State.RETURNED,
    CLOSED[State.EXPIRED]: lambda state, overdue: overdue or state == State.EXPIRED,
    SUBMITTED: lambda state, overdue: state in Assignment.FINISHED,
}


@pytest.mark.django_db
@pytest.mark.parametrize("state", [*HERE[1:], State.APPROVED, State.REJECTED])
@pytest.mark.parametrize("minutes", [-1, 1])
def test_what_closed_work_says_is_true_of_it(state, minutes):
    turn = Assignment(pk=1, state=state, expires_at=NOW + dt.timedelta(minutes=minutes))
    said = closed_sentence(turn, NOW)
    assert SENTENCES[said](state, minutes < 0)


def test_nobody_is_told_that_they_gave_back_what_their_crowd_took():
    """The crowd may screen somebody out: their work ends as work given back does."""
    assert SubmissionStatus.SCREENED_OUT in GIVEN_UP
    assert "you gave" not in CLOSED[State.RETURNED].casefold()
