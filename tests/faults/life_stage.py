"""A campaign whose assignments live: what the machine of test_assignment_life.py works on."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from urllib.parse import urlencode

import time_machine
from django.db import transaction
from hypothesis.stateful import RuleBasedStateMachine

from crowds.models import OutboxMessage, PublishedHit, Submission
from crowds.services.outbox import outbox_run
from crowds.services.topups import MOST_TIMES
from hits.models import Hit
from tests import crowd as crowd_module
from tests.annotations.person import Person
from tests.crowd import Marketplace, launch
from tests.factories import make_campaign, make_hit, make_hit_like
from tests.faults.life import EXPIRED, GIVEN_UP, Turn

PEOPLE_PER_HIT, MINUTES = 2, 180
UNIT = Decimal("1.19")  # a reward of 0.99 and its fee
BEGINNING = dt.datetime(2026, 11, 16, 9, tzinfo=dt.UTC)


class LifeStage(RuleBasedStateMachine):
    """Two HITs for two people each, launched at a crowd in memory; and what can be asked of it."""

    reached: Counter[str] = Counter()  # what has happened, over all lives

    def __init__(self) -> None:
        super().__init__()
        self.clock = time_machine.travel(BEGINNING, tick=False)
        self.time = self.clock.start()
        self.rows = transaction.atomic()
        self.rows.__enter__()
        self.turns: list[Turn] = []
        self.browsers: dict[int, Person] = {}  # by turn
        self.is_open = True
        self.is_under_way = False

    def set_up(self) -> None:
        self.market = crowd_module.MARKET = Marketplace()
        self.campaign = make_campaign(assignments=PEOPLE_PER_HIT, minutes_allowed=MINUTES)
        first = make_hit(self.campaign)
        self.hits = [first, make_hit_like(first)]
        self.slots = dict.fromkeys((hit.pk for hit in self.hits), PEOPLE_PER_HIT)
        self.launch = launch(self.campaign)
        outbox_run(crowd="mturk")

    def note(self, what: str) -> None:
        """Count it, unless it only served to begin or to settle."""
        if self.is_under_way:
            self.reached[what] += 1

    def take_down(self) -> None:
        transaction.set_rollback(True)
        self.rows.__exit__(None, None, None)
        self.clock.stop()

    def _expire(self) -> None:
        for turn in self.turns:
            if turn.is_overdue(self._now()):
                turn.state = EXPIRED
                self.note("expire")

    def _is_free(self, hit: Hit) -> bool:
        return self.is_open and self._taken(hit.pk, without_overdue=True) < self.slots[hit.pk]

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
            and turn.is_holding()
            and not (without_overdue and turn.is_overdue(self._now()))
            for turn in self.turns
        )

    def _confirm(self, turn: Turn) -> None:
        """Whom the crowd has named takes a place, or one more where all are taken."""
        if turn.heard is None or turn.is_placed:
            return
        if turn.state not in GIVEN_UP and self._taken(turn.hit) == self.slots[turn.hit]:
            self.slots[turn.hit] += 1
            self.note("one more")
        turn.is_placed = True
        self.note("confirm")

    def _link(self, hit: int, person: str) -> str:
        path = (
            PublishedHit.objects.filter(hit=hit)
            .earliest("pk")
            .url.removeprefix("http://127.0.0.1:8000")
        )
        query = {
            "assignmentId": f"A-{hit}-{person}",
            "hitId": "H",
            "workerId": person,
            "turkSubmitTo": "https://www.mturk.com",
        }
        return f"{path}?{urlencode(query)}"

    def _publication(self, hit: int) -> str:
        specs = self.market.specs.items()
        return next(name for name, spec in specs if spec.places[0].reference == f"hit-{hit}")

    def _is_closed_there(self, publication: str) -> bool:
        return self.market.out[publication].status == "closed"

    def _pending(self, kind: str, turn: Turn) -> bool:
        messages = OutboxMessage.objects.filter(kind=kind, submission__external_id=turn.name)
        return messages.exclude(state__in=OutboxMessage.ENDED).exists()

    def _turn(self, pick: int, likely: Callable[[Turn], bool] = lambda turn: True) -> Turn:
        """Mostly one that this can happen to, now and then any: then it must be refused."""
        some = [turn for turn in self.turns if likely(turn)] if pick % 4 else []
        some = some or self.turns
        return some[pick % len(some)]

    def _row(self, turn: Turn) -> Submission:
        return Submission.objects.get(external_id=turn.name)

    def _now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC)
