"""The whole life of assignments in any order, held against a simple model after every step.

People work through the very pages they see, organisers and workers through the services. The
model knows who holds what, every answer ever called saved, and what was decided and paid.
"""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from urllib.parse import urlencode

import pytest
import time_machine
from django.db import transaction
from django.db.models import Count
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotations.models import Assignment, Rating, Submission
from annotations.services.launches import launch_close
from annotations.services.reviews import submissions_pay, submissions_refuse
from annotations.services.submissions import launch_sync
from annotations.services.topups import MOST_TIMES, launch_top_up
from annotations.tasks import assignments_expire_task
from annotations.tokens import turn_read
from daplatform.errors import DomainError
from daplatform.verification import INVARIANTS
from hits.crowds import MODULES
from hits.crowds.gateway import Progress
from hits.models import Act, Hit, HitItem, Place
from hits.selectors.money import campaign_sums
from hits.services.campaigns import campaign_close
from hits.services.outbox import acts_run
from tests import crowd as crowd_module
from tests.annotations.person import Person, body
from tests.crowd import Marketplace, launch
from tests.factories import make_campaign, make_hit
from tests.faults.life import ACTIVE, DECIDED, EXPIRED, FINISHED, GIVEN_UP, RETURNED, Turn

TIMES = int(os.environ.get("CHAOS_TIMES", "1"))
EXAMPLES, STEPS = 20, 50
PEOPLE_PER_HIT, MINUTES = 2, 180
UNIT = Decimal("1.19")  # a reward of 0.99 and its fee
BEGINNING = dt.datetime(2026, 11, 16, 9, tzinfo=dt.UTC)
picks = st.integers(0, 11)
scores = st.integers(0, 100)
has_turns = precondition(lambda self: self.turns)
has_reports = precondition(lambda self: any(turn.heard for turn in self.turns))
is_far = precondition(lambda self: len(self.turns) > 3 and self._is_anybody_paid())


def another_like(first: Hit) -> Hit:
    """A second HIT of the same batch, with the same captions."""
    hit = Hit.objects.create(batch=first.batch, number=2)
    copies: dict[int, HitItem] = {}
    for item in first.items.order_by("position"):
        copies[item.pk] = HitItem.objects.create(
            hit=hit,
            position=item.position,
            kind=item.kind,
            caption=item.caption,
            original=copies.get(item.original_id or 0),
            degraded_text=item.degraded_text,
            words_replaced=item.words_replaced,
        )
    return hit


class AssignmentLife(RuleBasedStateMachine):
    """A campaign with two HITs for two people each, and more where work falls out."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = time_machine.travel(BEGINNING, tick=False)
        self.time = self.clock.start()
        self.rows = transaction.atomic()
        self.rows.__enter__()
        self.turns: list[Turn] = []
        self.browsers: dict[int, Person] = {}  # by turn
        self.is_open = True

    @initialize(stages=st.lists(st.integers(1, 5), min_size=2, max_size=4))
    def begin(self, stages: list[int]) -> None:
        """Some are under way already: they came, rated half, all, handed in here, and there."""
        self.market = crowd_module.MARKET = Marketplace()
        self.campaign = make_campaign(assignments=PEOPLE_PER_HIT, minutes_allowed=MINUTES)
        first = make_hit(self.campaign)
        self.hits = [first, another_like(first)]
        self.slots = dict.fromkeys((hit.pk for hit in self.hits), PEOPLE_PER_HIT)
        self.launch = launch(self.campaign)
        acts_run(crowd="mturk")
        for pick, stage in enumerate(stages):
            self.claim(pick, "ABCDEF"[pick])
            self.rate(pick, 50, [0, 3, 6, 6, 6][stage - 1], is_repeated=False)
            if stage >= 4:
                self.submit(pick)
            if stage == 5:
                self.tell_the_crowd(pick, "submitted")
        self.sync(undecided=True)

    # What people do.

    @rule(pick=picks, person=st.sampled_from("ABCDEF"))
    def claim(self, pick: int, person: str) -> None:
        hit = self.hits[pick % len(self.hits)]
        earlier = [turn for turn in self.turns if (turn.hit, turn.person) == (hit.pk, person)]
        if earlier:
            return self.come_back(earlier[0])
        is_free = self.is_open and self._taken(hit.pk, without_overdue=True) < self.slots[hit.pk]
        browser = Person(self._link(hit.pk, person))
        assert browser.entered.status_code == (302 if is_free else 409)
        if is_free:
            self._expire()  # taking work gives back what is overdue
            pk = browser.assignment.pk
            late = self._now() + dt.timedelta(minutes=MINUTES)
            self.turns.append(Turn(pk, hit.pk, person, browser.work["total"], late))
            self.browsers[pk] = browser
        return None

    def come_back(self, turn: Turn) -> None:
        """The same link leads to the same work, whatever has become of it."""
        entered = self.browsers[turn.pk].client.post(self._link(turn.hit, turn.person))
        assert turn_read(entered["Location"].rstrip("/").rpartition("/")[2]).assignment == turn.pk

    @has_turns
    @rule(pick=picks, score=scores, count=st.integers(1, 6), is_repeated=st.booleans())
    def rate(self, pick: int, score: int, count: int, is_repeated: bool) -> None:
        """Some captions on end; a post may come twice."""
        turn = self._turn(pick)
        for _ in range(min(count, turn.size - turn.done)):
            self._save(turn, turn.done, score, times=1 + is_repeated)

    @precondition(lambda self: any(turn.done for turn in self.turns))
    @rule(pick=picks, position=picks, score=scores)
    def revise(self, pick: int, position: int, score: int) -> None:
        begun = [turn for turn in self.turns if turn.done]
        turn = begun[pick % len(begun)]
        self._save(turn, position % turn.done, score)

    @has_turns
    @rule(pick=picks, position=picks)
    def reload(self, pick: int, position: int) -> None:
        """The page knows how far one was, and every answer that counts."""
        turn = self._turn(pick)
        browser = self.browsers[turn.pk]
        if not turn.takes_ratings(self._now()):
            gone = 302 if turn.state in FINISHED else 410
            assert browser.client.get(browser.page_path).status_code == gone
            return
        assert browser.reload()["done"] == turn.done
        if turn.done:
            position %= turn.done
            [item] = browser.get(f"/rate/item?position={position}").json()["items"]
            assert item["answer"]["score"] == turn.answers[position][-1]

    @has_turns
    @rule(pick=picks)
    def return_(self, pick: int) -> None:
        turn = self._turn(pick)
        allowed = turn.state in (ACTIVE, RETURNED)
        answer = self.browsers[turn.pk].post("/rate/return", {})
        assert answer.status_code == (200 if allowed else 410)
        if allowed:
            turn.state = RETURNED

    @has_turns
    @rule(pick=picks)
    def submit(self, pick: int) -> None:
        """Who rated everything may hand it in, late too, until another has it."""
        turn = self._turn(pick)
        expected = 200 if turn.state in FINISHED else 410
        if turn.state == ACTIVE:
            expected = 200 if turn.is_complete else 409
            turn.state = "submitted" if turn.is_complete else ACTIVE
        assert self.browsers[turn.pk].submit().status_code == expected

    @rule(minutes=st.sampled_from([1, 10, 30, MINUTES // 2]))
    def time_passes(self, minutes: int) -> None:
        self.time.shift(dt.timedelta(minutes=minutes))

    @rule()
    def expire(self) -> None:
        assignments_expire_task()
        self._expire()

    # What their crowd does.

    @has_turns
    @rule(pick=picks, word=st.sampled_from(["submitted", "submitted", "returned", "timed_out"]))
    def tell_the_crowd(self, pick: int, word: str) -> None:
        """People hand in there, or give up, whatever they did here."""
        turn = self._turn(pick)
        if turn.name not in self.market.turns:
            self.market.submit(self._publication(turn.hit), turn.person, turn.name)
            self.market.turn(turn.name, Progress(word))

    @rule(undecided=st.booleans())
    def sync(self, undecided: bool) -> None:
        launch_sync(launch=self.launch, undecided=undecided)
        for turn in self.turns:
            there = self.market.turns.get(turn.name)
            closed = there and self._is_closed_there(there.publication)
            if there and not closed and not (undecided and there.progress in DECIDED):
                turn.hear(there.progress)

    # What organisers and workers do.

    @has_reports
    @rule(pick=picks)
    def approve(self, pick: int) -> None:
        turn = self._reported(pick)
        being_rejected = self._pending("reject", turn)
        is_payable = turn.is_payable(is_being_rejected=being_rejected)
        paid = submissions_pay(campaign=self.campaign, submissions=[self._row(turn)])
        assert paid == is_payable
        if is_payable:
            turn.decide("pay")

    @has_reports
    @rule(pick=picks)
    def reject(self, pick: int) -> None:
        turn = self._reported(pick)
        refused = submissions_refuse(
            campaign=self.campaign,
            submissions=[self._row(turn)],
            reason="Rated without watching.",
            by=self.campaign.owner,
        )
        assert refused == turn.is_undecided()
        if refused:
            turn.decide("refuse")

    @rule()
    def top_up(self) -> None:
        if not self.is_open:
            with pytest.raises(DomainError):
                launch_top_up(launch=self.launch)
            return
        lacking = {hit: self._lacking(hit) for hit in self.slots}
        asked = {hit: more for hit, more in lacking.items() if self._is_sensible(hit, more)}
        assert launch_top_up(launch=self.launch).people == sum(asked.values())
        for hit, more in asked.items():
            self.slots[hit] += more

    @rule()
    def workers_work(self) -> None:
        acts_run(crowd="mturk")

    @is_far
    @rule()
    def close(self) -> None:
        if any(turn.is_undecided() for turn in self.turns):
            with pytest.raises(DomainError):
                launch_close(launch=self.launch, by=self.campaign.owner)
        else:
            launch_close(launch=self.launch, by=self.campaign.owner)
            campaign_close(campaign=self.campaign)
            self.is_open = False

    # What holds.

    @invariant()
    def every_rating_called_saved_is_there_once(self) -> None:
        columns = ("assignment", "position", "revision", "score")
        rows = list(Rating.objects.values_list(*columns))
        assert len(rows) == len(set(rows))
        assert set(rows) == set().union(*(turn.rows() for turn in self.turns))

    @invariant()
    def everybody_is_where_the_model_says(self) -> None:
        taken = Assignment.objects.exclude(state="open").values_list("pk", "state")
        assert dict(taken) == {turn.pk: turn.state for turn in self.turns}
        places = Assignment.objects.filter(state="open").order_by().values_list("hit")
        free = {hit: self.slots[hit] - self._taken(hit) for hit in getattr(self, "slots", ())}
        assert dict(places.annotate(n=Count("pk"))) == {hit: n for hit, n in free.items() if n}

    @invariant()
    def decisions_are_what_the_model_says(self) -> None:
        rows = Submission.objects.values_list("assignment", "progress", "problem", "pay")
        heard = [turn for turn in self.turns if turn.heard]
        assert set(rows) == {(turn.pk, str(turn.heard), turn.problem, turn.pay) for turn in heard}

    def teardown(self) -> None:
        """Everything is decided and closed: then the books agree, and nothing is found amiss."""
        try:
            if hasattr(self, "launch"):
                self._settle()
        finally:
            transaction.set_rollback(True)
            self.rows.__exit__(None, None, None)
            self.clock.stop()

    def _settle(self) -> None:
        self.expire()
        self.workers_work()
        self.sync(undecided=False)
        for number, _ in enumerate([turn for turn in self.turns if turn.heard]):
            self.approve(number)
        self.workers_work()
        self.close() if self.is_open else None
        self.workers_work()
        there = [turn.progress for turn in self.market.turns.values()]
        assert self.market.spent == UNIT * there.count(Progress.APPROVED)
        sums = campaign_sums(self.campaign)
        assert (sums.spent, sums.outstanding) == (self.market.spent, Decimal(0))
        assert [each.sentence for each in INVARIANTS if list(each.broken())] == []

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
            turn.answer(position, score)

    def _expire(self) -> None:
        for turn in self.turns:
            if turn.is_overdue(self._now()):
                turn.state = EXPIRED

    def _is_anybody_paid(self) -> bool:
        return any(turn.pay == "pay" for turn in self.turns)

    def _lacking(self, hit: int) -> int:
        lost = sum(turn.needs_replacement() for turn in self.turns if turn.hit == hit)
        return PEOPLE_PER_HIT - (self.slots[hit] - lost)

    def _is_sensible(self, hit: int, more: int) -> bool:
        return more > 0 and self.slots[hit] + more <= PEOPLE_PER_HIT * (1 + MOST_TIMES)

    def _taken(self, hit: int, *, without_overdue: bool = False) -> int:
        return sum(
            turn.hit == hit
            and turn.state not in GIVEN_UP
            and not (without_overdue and turn.is_overdue(self._now()))
            for turn in self.turns
        )

    def _link(self, hit: int, person: str) -> str:
        path = (
            Place.objects.filter(hit=hit).earliest("pk").url.removeprefix("http://127.0.0.1:8000")
        )
        query = {
            "assignmentId": f"A-{hit}-{person}",
            "hitId": "H",
            "workerId": person,
            "turkSubmitTo": "https://www.mturk.com",
        }
        return f"{path}?{urlencode(query)}"

    def _publication(self, hit: int) -> str:
        offers = self.market.offers.items()
        return next(name for name, offer in offers if offer.places[0].reference == f"hit-{hit}")

    def _is_closed_there(self, publication: str) -> bool:
        return self.market.out[publication].standing == "closed"

    def _pending(self, kind: str, turn: Turn) -> bool:
        acts = Act.objects.filter(kind=kind, payload__submission=turn.name)
        return acts.exclude(state__in=Act.ENDED).exists()

    def _turn(self, pick: int) -> Turn:
        return self.turns[pick % len(self.turns)]

    def _reported(self, pick: int) -> Turn:
        heard = [turn for turn in self.turns if turn.heard]
        return heard[pick % len(heard)]

    def _row(self, turn: Turn) -> Submission:
        return Submission.objects.get(external_id=turn.name)

    def _now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)


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
