"""Signed links: what they carry, and that nothing else is accepted in their place."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import LinkRefused, UnknownItem
from annotations.tokens import (
    Entry,
    Group,
    RatingSession,
    Receipt,
    completion_code,
    entry_read,
    entry_sign,
    group_read,
    group_sign,
    media_name,
    media_position,
    receipt_read,
    receipt_sign,
    session_read,
    session_sign,
)

TURN = RatingSession(campaign=1, hit=2, assignment=3, annotator=4, asks_fluency=False, since=5)
TOKEN = session_sign(TURN)
NOON = dt.datetime(2026, 11, 16, 12, 0, 0, 123_000, tzinfo=dt.UTC)


def test_a_turn_comes_back_as_it_was_signed():
    assert session_read(session_sign(TURN)) == TURN


def test_an_entry_comes_back_as_it_was_signed():
    entry = Entry(campaign=1, crowd="prolific", hit=7, return_to="https://prolific.example/?cc=1")
    assert entry_read(entry_sign(entry)) == entry


@given(st.data())
def test_no_changed_character_goes_unnoticed(data):
    token = TOKEN
    place = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from([c for c in "aZ0-_:é\x00" if c != token[place]]))
    changed = token[:place] + letter + token[place + 1 :]
    with pytest.raises(LinkRefused):
        session_read(changed)


@given(st.text(max_size=200))
def test_random_text_is_refused_with_a_sentence(text):
    with pytest.raises(LinkRefused, match="not valid"):
        session_read(text)


def test_an_entry_link_is_no_turn():
    with pytest.raises(LinkRefused):
        session_read(entry_sign(Entry(campaign=1, crowd="invite")))


def test_a_turn_is_no_receipt_and_a_receipt_no_turn():
    with pytest.raises(UnknownItem):
        receipt_read(session_sign(TURN), assignment=TURN.assignment)
    with pytest.raises(LinkRefused):
        session_read(receipt_sign(Receipt(0, NOON, 0), assignment=TURN.assignment))


def test_no_link_runs_out_by_the_clock():
    with time_machine.travel(NOON):
        token = session_sign(TURN)
    with time_machine.travel(NOON + dt.timedelta(days=400)):
        assert session_read(token) == TURN


def test_a_group_link_is_no_entry_and_an_entry_no_group_link():
    group = Group(campaign=1, version=2)
    assert group_read(group_sign(group)) == group
    with pytest.raises(LinkRefused):
        entry_read(group_sign(group))
    with pytest.raises(LinkRefused):
        group_read(entry_sign(Entry(campaign=1, crowd="invite")))


@given(st.integers(0, 999), st.integers(0, 86_400_000))
def test_a_receipt_tells_item_time_and_length_of_the_video(position, video_ms):
    receipt = Receipt(position, NOON, video_ms)
    assert receipt_read(receipt_sign(receipt, assignment=3), assignment=3) == receipt


def test_a_receipt_shows_nothing_of_the_length_of_the_video():
    tokens = [receipt_sign(Receipt(at, NOON, 4000), assignment=3) for at in range(100)]
    assert len({token.split(".")[2].split(":")[0] for token in tokens}) == 100
    assert {len(token.split(":")[0].rpartition(".")[2]) for token in tokens} == {10}


def test_a_receipt_of_another_assignment_is_refused():
    receipt = receipt_sign(Receipt(41, NOON, 4000), assignment=3)
    with pytest.raises(UnknownItem):
        receipt_read(receipt, assignment=4)


def test_every_item_has_its_own_media_name_and_it_leads_back_to_it():
    names = [media_name(assignment=3, position=position) for position in range(100)]
    assert len(set(names)) == 100
    assert [media_position(name, assignment=3, size=100) for name in names] == list(range(100))


@pytest.mark.parametrize("name", ["", "AAAA", "é", media_name(assignment=4, position=0)])
def test_a_guessed_media_name_is_refused(name):
    with pytest.raises(UnknownItem):
        media_position(name, assignment=3, size=100)


def test_completion_codes_are_short_and_differ():
    codes = {completion_code(number) for number in range(1000)}
    assert len(codes) == 1000
    assert {len(code) for code in codes} == {8}
