"""The load benchmark's own book-keeping: it must notice what it is there to notice."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from benchmarks.load.annotator import Annotator
from benchmarks.load.ledger import SAVE, Ledger, percentiles
from benchmarks.load.units import deployed, read_unit
from benchmarks.load.watch import Course
from benchmarks.load.wire import Answer, read_answer


def told(**ratings: int) -> Ledger:
    ledger = Ledger()
    for key, score in ratings.items():
        ledger.saved(key, score)
    return ledger


def test_rows_that_are_as_people_were_told_raise_no_word():
    assert told(a=1, b=2).differences([("b", 2), ("a", 1)]) == []


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("a", 1)], "1 lost"),
        ([("a", 1), ("b", 2), ("b", 2)], "1 doubled"),
        ([("a", 1), ("b", 2), ("c", 3)], "1 saved but never called so"),
        ([("a", 1), ("b", 9)], "1 saved with another score"),
    ],
)
def test_it_tells_of_ratings_that_are_not_there_as_told(rows, sentence):
    assert told(a=1, b=2).differences(rows) == [sentence]


def test_a_new_measurement_forgets_waits_but_nothing_that_was_saved():
    ledger = told(a=1)
    ledger.waits[SAVE].append(0.1)
    ledger.begin_again()
    assert not ledger.waits
    assert ledger.differences([]) == ["1 lost"]


def test_percentiles_are_those_of_a_line_of_milliseconds():
    assert percentiles([number / 1000 for number in range(101)]) == (50, 95, 99)


class Wire:
    """A site that answers what it is told to, and keeps what it was sent."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.sent: list[bytes] = []

    async def ask(self, method, path, body=b"", headers=None):
        self.sent.append(body)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(answer, {}, b'{"done": 1, "items": []}')


@pytest.fixture
def rate(monkeypatch):
    """Somebody rates once at a site that answers so; their ledger and the site."""
    monkeypatch.setattr("benchmarks.load.annotator.BACK_OFF", 0.0)
    monkeypatch.setattr("benchmarks.load.annotator.RESENT", 0.0)

    def rating(*answers):
        wire, ledger = Wire(*answers), Ledger()
        person = Annotator(wire, "/", ledger, random.Random(1))
        person.work = {"token": "t", "endpoints": {"rating-create": "/rate/save"}}
        person.items, person.total = {0: {"receipt": "r"}}, 1
        asyncio.run(person.rate())
        return ledger, wire

    return rating


def test_a_rating_is_sent_again_under_its_key_until_it_is_called_saved(rate):
    ledger, wire = rate(ConnectionError(), 503, 200)
    assert len(wire.sent) == 3
    assert len(set(wire.sent)) == 1
    assert len(ledger.told) == len(ledger.waits[SAVE]) == 1
    assert dict(ledger.errors) == {f"{SAVE}: ConnectionError": 1, f"{SAVE}: 503": 1}


def test_a_refusal_is_no_rating_and_stops_the_run(rate):
    with pytest.raises(RuntimeError, match="409"):
        rate(409)


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbroken"])
def test_an_answer_that_broke_off_is_none(content):
    with pytest.raises(ConnectionError):
        read_answer(content)


def test_memory_that_goes_on_growing_is_not_flat():
    seconds = [float(second) for second in range(30)]
    flat = Course(seconds, [100 + second % 3 for second in range(30)])
    growing = Course(seconds, [100 + second for second in range(30)])
    assert flat.is_flat()
    assert not growing.is_flat()
    assert growing.slope() == pytest.approx(60)


@pytest.mark.parametrize(
    "name", ["da-web", "da-beat", "da-worker@default", "da-worker@crowd", "da-worker@gpu"]
)
def test_every_unit_can_be_started_from_this_checkout(name):
    unit = deployed(name, run=Path("/tmp"))
    assert not [word for word in unit.command if word.startswith(("/srv", "/run")) or "$" in word]
    assert Path(unit.command[0]).exists()


def test_a_unit_without_a_program_is_refused():
    with pytest.raises(ValueError, match="ExecStart"):
        read_unit("[Service]\nNice=3", run=Path("/tmp"))
