"""Prolific answers JSON that is not what its document says: nothing is done twice, none is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crowds.gateway import (
    Extension,
    HitSpec,
    PermanentFault,
    SubmissionStatus,
    TransientFault,
    UnclearOutcome,
)
from crowds.registry import guarded
from rehearsal.prolific.routes import Answer
from tests.malformed import other_types

ACTS = 4


MALFORMED: dict[str, Callable[[Any], Any]] = {
    "a list": lambda body: [1, 2, 3],
    "a string": lambda body: "ok",
    "null": lambda body: None,
    "wrong types": other_types,
    "no members": lambda body: {name: {} for name in body} if isinstance(body, dict) else {},
    "huge": lambda body: {"detail": "x" * 3_000_000},
}


class Babbler:
    """Stands in the market's door and spoils its answers for a while."""

    def __init__(self, stand_in) -> None:
        self.answer_truly = stand_in.answer
        self.spoil: Callable[[Any], Any] | None = None
        stand_in.answer = self.answer

    def answer(self, *call: Any) -> Answer:
        true = self.answer_truly(*call)
        if self.spoil is None:
            return true
        return Answer(true.status, self.spoil(true.body), true.headers)


@pytest.fixture
def babbler(stand_in) -> Babbler:
    return Babbler(stand_in)


@pytest.fixture
def insist(babbler):
    """What the outbox does: the act while nonsense is talked, then until it is done."""

    def insist(spoil, act):
        babbler.spoil = spoil
        for _ in range(2):
            try:
                act()
            except (TransientFault, UnclearOutcome):  # nothing else may leave a gateway
                continue
        babbler.spoil = None
        for _ in range(ACTS):
            try:
                return act()
            except (TransientFault, UnclearOutcome) as fault:
                last = fault
        raise AssertionError(f"Still not done: {last}")

    return insist


@pytest.mark.parametrize("kind", MALFORMED)
def test_everything_is_done_once(gateway, market, make_offer, work, insist, kind):
    told, spoil, spec = guarded(gateway), MALFORMED[kind], make_offer(hits=1, people=2)
    study = insist(spoil, lambda: told.publish(spec, key="k1")).external_id
    assert [one.status for one in market.studies.values()] == ["ACTIVE"]
    more = [Extension(HitSpec("hit-1", spec.places[0].url, 3), 1)]
    insist(spoil, lambda: told.extend(study, more, key="k2"))
    assert market.studies[study].places == 3
    first, second = (one.id for one in work(study, range(2)))
    before = market.total_balance
    insist(spoil, lambda: told.approve(study, [first], key="k3"))
    rejection = {"reason": "x" * 100, "category": "NO_DATA"}
    insist(spoil, lambda: told.reject(study, second, key="k4", **rejection))
    assert market.total_balance == before - market.cost(500, 1)
    assert told.submission(second).status is SubmissionStatus.REJECTED
    insist(spoil, lambda: told.enlist("passed", ["anna"], key="k5"))
    assert [set(group.members) for group in market.groups.values()] == [{"anna"}]
    insist(spoil, lambda: told.close(study, key="k6"))
    assert market.studies[study].status == "COMPLETED"


@pytest.mark.parametrize("kind", MALFORMED)
def test_reading_nonsense_is_said_to_the_organiser(gateway, babbler, make_offer, work, kind):
    told = guarded(gateway)
    study = told.publish(make_offer(), key="k").external_id
    work(study, range(3))
    babbler.spoil = MALFORMED[kind]
    for read in (told.balance, lambda: list(told.submissions([study]))):
        with pytest.raises((TransientFault, PermanentFault)):
            read()
    babbler.spoil = None
    assert len(list(told.submissions([study]))) == 3
