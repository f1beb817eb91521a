"""The whole life of assignments in any order, held against a simple model after every step.

People work through the very pages they see, organisers and workers through the services. The
model knows who holds what, every answer ever called saved, and what was decided and paid.
"""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal

import pytest
from django.db.models import Count
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from annotations.models import Assignment, Rating
from annotations.tasks import assignments_expire_task
from annotations.tokens import session_read
from crowds.gateway import SubmissionStatus
from crowds.models import Submission
from crowds.registry import MODULES
from crowds.selectors.counting import assignments_left_out
from crowds.selectors.money import campaign_sums
from crowds.services.launches import launch_close
from crowds.services.outbox import outbox_run
from crowds.services.reviews import submissions_pay, submissions_refuse
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_top_up
from daplatform.errors import DomainError
from daplatform.verification import INVARIANTS
from hits.models import Hit
from hits.services.campaigns import campaign_close
from tests.annotations.person import Person, body
from tests.crowd import Marketplace
from tests.faults.life import ACTIVE, DECIDED, FINISHED, RETURNED, Turn
from tests.faults.life_stage import MINUTES, UNIT, LifeStage

TIMES = int(os.environ.get("CHAOS_TIMES", "1"))
EXAMPLES, STEPS = 20, 50
# All of this has to happen in a run, or it is weighed wrongly below.
LIFE = {"claim", "confirm", "rate", "revise", "reload", "expire", "return", "submit"}
LIFE |= {"approve", "reject", "top up", "close"}
PEOPLE = "ABCDEFGHIJKLMNOP"
# What happens, and how often: one rule for all, or a life would know a few kinds of steps only.
ACTS = {
    "claim": 5, "rate": 5, "revise": 2, "reload": 1, "return_": 1, "submit": 3,
    "time_passes": 3, "expire": 1,
    "tell_the_crowd": 4, "sync": 4,
    "approve": 3, "reject": 2, "top_up": 2, "workers_work": 2, "close": 2,
}  # fmt: skip
TOLD = [
    SubmissionStatus.SUBMITTED,
    SubmissionStatus.SUBMITTED,
    SubmissionStatus.RETURNED,
    SubmissionStatus.TIMED_OUT,
]


class AssignmentLife(LifeStage):
    """A campaign with two HITs for two people each, and more where work falls out."""

    @initialize(stages=st.lists(st.integers(1, 5), min_size=2, max_size=4))
    def begin(self, stages: list[int]) -> None:
        """Some are under way already: they came, rated half, all, handed in here, and there."""
        self.set_up()
        for pick, stage in enumerate(stages):
            self._claim(self.hits[pick % 2], PEOPLE[pick])
            turn = self.turns[pick]
            self._rate(turn, 50, [0, 3, 6, 6, 6][stage - 1])
            if stage >= 4:
                self._submit(turn)
            if stage == 5:
                self._tell(turn, SubmissionStatus.SUBMITTED)
        self.sync(0, 0)
        self.is_under_way = True

    @rule(
        message=st.sampled_from([message for message, times in ACTS.items() for _ in range(times)]),
        pick=st.integers(0, 11),
        number=st.integers(0, 100),
    )
    def happens(self, message: str, pick: int, number: int) -> None:
        """One of the acts below; `pick` says to whom, `number` how."""
        getattr(self, message)(pick, number)

    # What people do.

    def claim(self, pick: int, number: int) -> None:
        """Mostly by somebody new, of a HIT that wants people."""
        known = {turn.person for turn in self.turns} if pick % 4 else set()
        people = [person for person in PEOPLE if person not in known] or PEOPLE
        hits = [hit for hit in self.hits if self._is_free(hit)] if pick % 4 else []
        hit, person = (
            (hits or self.hits)[pick % len(hits or self.hits)],
            people[number % len(people)],
        )
        earlier = [turn for turn in self.turns if (turn.hit, turn.person) == (hit.pk, person)]
        self._come_back(earlier[0]) if earlier else self._claim(hit, person)

    def _claim(self, hit: Hit, person: str) -> None:
        is_free = self._is_free(hit)
        browser = Person(self._link(hit.pk, person))
        assert browser.entered.status_code == (302 if is_free else 409)
        self.note("claim" if is_free else "claim refused")
        if is_free:
            self._expire()  # taking work gives back what is overdue
            pk = browser.assignment.pk
            late = self._now() + dt.timedelta(minutes=MINUTES)
            self.turns.append(Turn(pk, hit.pk, person, browser.work["total"], late))
            self.browsers[pk] = browser

    def _come_back(self, turn: Turn) -> None:
        """The same link leads to the same work, whatever has become of it."""
        entered = self.browsers[turn.pk].client.post(self._link(turn.hit, turn.person))
        assert (
            session_read(entered["Location"].rstrip("/").rpartition("/")[2]).assignment == turn.pk
        )

    def rate(self, pick: int, number: int) -> None:
        """Some captions on end; a post may come twice."""
        turn = self._turn(pick, lambda turn: turn.state == ACTIVE and not turn.is_complete)
        self._rate(turn, number, count=(1, 6, 6)[number % 3], times=1 + number % 2)

    def revise(self, pick: int, number: int) -> None:
        turn = self._turn(pick, lambda turn: turn.done > 0 and turn.takes_ratings(self._now()))
        if turn.done:
            self._save(turn, pick % turn.done, number)

    def reload(self, pick: int, number: int) -> None:
        """The page knows how far one was, and every answer that counts."""
        turn = self._turn(pick)
        browser = self.browsers[turn.pk]
        if not turn.takes_ratings(self._now()):
            gone = 302 if turn.state in FINISHED else 410
            assert browser.client.get(browser.page_path).status_code == gone
            return
        assert browser.reload()["done"] == turn.done
        self.note("reload")
        if turn.done:
            position = number % turn.done
            [item] = browser.get(f"/rate/item?position={position}").json()["items"]
            assert item["answer"]["score"] == turn.answers[position][-1]

    def return_(self, pick: int, number: int) -> None:
        turn = self._turn(pick)
        allowed = turn.state in (ACTIVE, RETURNED)
        answer = self.browsers[turn.pk].post("/rate/return", {})
        assert answer.status_code == (200 if allowed else 410)
        if allowed:
            turn.state = RETURNED
            self.note("return")

    def submit(self, pick: int, number: int) -> None:
        """Who rated everything may hand it in, late too, until another has it."""
        self._submit(self._turn(pick, lambda turn: turn.state == ACTIVE and turn.is_complete))

    def time_passes(self, pick: int, number: int) -> None:
        minutes = (1, 30, MINUTES // 2, MINUTES)[number % 4]
        self.time.shift(dt.timedelta(minutes=minutes))

    def expire(self, *_: int) -> None:
        assignments_expire_task()
        self._expire()

    # What their crowd does.

    def tell_the_crowd(self, pick: int, number: int) -> None:
        """People hand in there, or give up, whatever they did here."""
        turn = self._turn(pick, lambda turn: turn.name not in self.market.turns)
        self._tell(turn, TOLD[number % len(TOLD)])

    def sync(self, pick: int, number: int) -> None:
        undecided = number % 2 == 0
        launch_sync(launch=self.launch, undecided=undecided)
        for turn in self.turns:
            there = self.market.turns.get(turn.name)
            closed = there and self._is_closed_there(there.publication)
            if there and not closed and not (undecided and there.status in DECIDED):
                turn.hear(there.status)
        for turn in self.turns:
            self._confirm(turn)

    # What organisers and workers do.

    def approve(self, pick: int, number: int) -> None:
        turn = self._turn(pick, Turn.is_undecided)
        if turn.heard:
            self._approve(turn)

    def _approve(self, turn: Turn) -> None:
        being_rejected = self._pending("reject", turn)
        is_payable = turn.is_payable(is_being_rejected=being_rejected)
        paid = submissions_pay(campaign=self.campaign, submissions=[self._row(turn)])
        assert paid == is_payable
        if is_payable:
            turn.decide("pay")
            self.note("approve")

    def reject(self, pick: int, number: int) -> None:
        turn = self._turn(pick, Turn.is_undecided)
        if not turn.heard:
            return
        refused = submissions_refuse(
            campaign=self.campaign,
            submissions=[self._row(turn)],
            reason="Rated without watching.",
            by=self.campaign.owner,
        )
        assert refused == turn.is_undecided()
        if refused:
            turn.decide("refuse")
            self.note("reject")

    def top_up(self, *_: int) -> None:
        if not self.is_open:
            with pytest.raises(DomainError):
                launch_top_up(launch=self.launch)
            return
        lacking = {hit: self._lacking(hit) for hit in self.slots}
        asked = {hit: more for hit, more in lacking.items() if self._is_sensible(hit, more)}
        assert launch_top_up(launch=self.launch).people == sum(asked.values())
        for hit, more in asked.items():
            self.slots[hit] += more
            self.note("top up")

    def workers_work(self, *_: int) -> None:
        outbox_run(crowd="mturk")

    def close(self, *_: int) -> None:
        if len(self.turns) <= 4 or not self._is_anybody_paid():
            return  # too early
        self._close()

    def _close(self) -> None:
        if any(turn.is_undecided() for turn in self.turns):
            with pytest.raises(DomainError):
                launch_close(launch=self.launch, by=self.campaign.owner)
            self.note("close refused")
        else:
            launch_close(launch=self.launch, by=self.campaign.owner)
            campaign_close(campaign=self.campaign)
            self.is_open = False
            self.note("close")

    # What holds.

    @invariant()
    def every_rating_called_saved_is_there_once(self) -> None:
        columns = ("assignment", "position", "revision", "score")
        rows = list(Rating.objects.values_list(*columns))
        assert len(rows) == len(set(rows))
        assert set(rows) == set().union(*(turn.rows() for turn in self.turns))

    @invariant()
    def everybody_is_where_the_model_says(self) -> None:
        taken = Assignment.objects.exclude(state="open").values_list("pk", "state", "slot")
        found = {pk: (state, slot is not None) for pk, state, slot in taken}
        assert found == {turn.pk: (turn.state, turn.is_placed) for turn in self.turns}
        places = Assignment.objects.filter(state="open").order_by().values_list("hit")
        free = {hit: self.slots[hit] - self._taken(hit) for hit in getattr(self, "slots", ())}
        assert dict(places.annotate(n=Count("pk"))) == {hit: n for hit, n in free.items() if n}

    @invariant()
    def only_what_the_crowd_has_named_counts(self) -> None:
        if hasattr(self, "campaign"):
            left_out = set(assignments_left_out(self.campaign))
            assert {turn.pk for turn in self.turns if not turn.is_placed} <= left_out

    @invariant()
    def decisions_are_what_the_model_says(self) -> None:
        rows = Submission.objects.values_list("assignment", "status", "problem", "pay")
        heard = [turn for turn in self.turns if turn.heard]
        assert set(rows) == {(turn.pk, str(turn.heard), turn.problem, turn.pay) for turn in heard}

    def teardown(self) -> None:
        """Everything is decided and closed: then the books agree, and nothing is found amiss."""
        try:
            if hasattr(self, "launch"):
                self._settle()
        finally:
            self.take_down()

    def _settle(self) -> None:
        self.is_under_way = False
        self.expire()
        self.workers_work()
        self.sync(0, 1)
        for turn in self.turns:
            if turn.heard:
                self._approve(turn)
        self.workers_work()
        self._close() if self.is_open else None
        self.workers_work()
        there = [turn.status for turn in self.market.turns.values()]
        assert self.market.spent == UNIT * there.count(SubmissionStatus.APPROVED)
        sums = campaign_sums(self.campaign)
        assert (sums.spent, sums.outstanding) == (self.market.spent, Decimal(0))
        assert [each.sentence for each in INVARIANTS if list(each.broken())] == []

    def _rate(self, turn: Turn, score: int, count: int, times: int = 1) -> None:
        for _ in range(min(count, turn.size - turn.done)):
            self._save(turn, turn.done, score, times)

    def _submit(self, turn: Turn) -> None:
        expected = 200 if turn.state in FINISHED else 410
        if turn.state == ACTIVE:
            expected = 200 if turn.is_complete else 409
            turn.state = "submitted" if turn.is_complete else ACTIVE
            self.note("submit" if turn.is_complete else "submit refused")
        assert self.browsers[turn.pk].submit().status_code == expected

    def _tell(self, turn: Turn, status: SubmissionStatus) -> None:
        if turn.name not in self.market.turns:
            self.market.submit(self._publication(turn.hit), turn.person, turn.name)
            self.market.turn(turn.name, status)

    def _save(self, turn: Turn, position: int, score: int, times: int = 1) -> None:
        browser = self.browsers[turn.pk]
        if position not in browser.items:
            return
        rating = body(browser.items[position]["receipt"], score)
        is_taken = turn.takes_ratings(self._now())
        for _ in range(times):
            answer = browser.post("/rate/save", rating)
            assert answer.status_code == (200 if is_taken else 410)
            browser.keep(answer.json().get("items", []))
        if is_taken:
            self.note("revise" if position in turn.answers else "rate")
            turn.answer(position, score)


@pytest.fixture
def market(monkeypatch, settings, tmp_path) -> None:
    """A crowd in memory, in the place of Mechanical Turk."""
    settings.DATA_DIR = tmp_path
    settings.MTURK_SUBMIT_ORIGINS = ["https://www.mturk.com"]
    monkeypatch.setattr("tests.crowd.MARKET", Marketplace())
    monkeypatch.setitem(MODULES, "mturk", "tests.crowd")


@pytest.mark.timeout(3600)
@pytest.mark.django_db
def test_rows_and_model_agree_whatever_happens(market):
    AssignmentLife.reached.clear()
    run_state_machine_as_test(
        AssignmentLife,
        settings=settings(
            max_examples=EXAMPLES * TIMES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate],
        ),
    )
    assert set(AssignmentLife.reached) >= LIFE
