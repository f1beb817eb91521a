"""Notifications are believed only if Prolific signed them, just now."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds.prolific.webhooks import (
    EVENT_ID,
    LARGEST,
    SIGNATURE,
    TIMESTAMP,
    WINDOW,
    NoticeRefused,
    notice_read,
    sign,
)
from rehearsal.prolific.hooks import Hooks
from rehearsal.prolific.market import Event

NOW = dt.datetime(2026, 11, 16, 9, tzinfo=dt.UTC)
BODY = json.dumps(
    {"event_type": "submission.status.change", "resource_id": "s1", "study_id": "study1"}
).encode()


def signed(body=BODY, *, secret="secret", at=NOW, event="e1"):
    timestamp = str(int(at.timestamp()))
    return {
        TIMESTAMP: timestamp,
        SIGNATURE: sign(secret, timestamp, body),
        EVENT_ID: event,
    }


def read(headers, body=BODY, *, secrets=("secret",), now=NOW):
    return notice_read(headers=headers, body=body, secrets=secrets, now=now)


def test_a_signed_notification_is_read():
    notice = read(signed())
    assert (notice.event, notice.kind) == ("e1", "submission.status.change")
    assert (notice.resource, notice.study) == ("s1", "study1")


def test_the_signature_is_the_documented_one():
    # base64(HMAC-SHA256(secret, timestamp + body)), computed with
    # printf '%s' '1700000000{"a": 1}' | openssl dgst -sha256 -hmac secret -binary | base64
    assert sign("secret", "1700000000", b'{"a": 1}') == (
        "fhEuMyjZXVBNiCyg6eX04jYuQHHGlae+XtzInd3IHaQ="
    )


def test_it_agrees_with_the_stand_in(market, clock):
    hooks = Hooks(market)
    secret = hooks.new_secret()
    event = Event("e7", "study.status.change", "study1", "PAUSED", "study1")
    delivery = hooks.sign(event)
    notice = read(delivery.headers, delivery.body, secrets=[secret], now=clock())
    assert (notice.event, notice.study) == ("e7", "study1")


def test_both_secrets_count_while_they_are_changed():
    assert read(signed(secret="new"), secrets=["old", "new"])


@given(st.binary(max_size=200))
def test_it_refuses_another_body(body):
    if body != BODY:
        with pytest.raises(NoticeRefused, match="not signed"):
            read(signed(), body)


@pytest.mark.parametrize("name", [SIGNATURE, TIMESTAMP])
def test_it_refuses_a_notification_without(name):
    headers = signed()
    del headers[name]
    with pytest.raises(NoticeRefused, match="not signed"):
        read(headers)


@pytest.mark.parametrize("signature", ["", "é", "AAAA", "x" * 10_000])
def test_it_refuses_a_forged_signature(signature):
    with pytest.raises(NoticeRefused, match="not signed"):
        read({**signed(), SIGNATURE: signature})


def test_it_refuses_another_moment_than_the_signed_one():
    later = str(int(NOW.timestamp()) + 1)
    with pytest.raises(NoticeRefused, match="not signed"):
        read({**signed(), TIMESTAMP: later})


@pytest.mark.parametrize("late", [WINDOW, -WINDOW])
def test_it_reads_what_comes_within_the_window(late):
    assert read(signed(), now=NOW + late)


@pytest.mark.parametrize("late", [WINDOW, -WINDOW])
def test_it_refuses_what_comes_late_or_from_the_future(late):
    beyond = NOW + late + dt.timedelta(seconds=1 if late > dt.timedelta() else -1)
    with pytest.raises(NoticeRefused, match="too old, or from the future"):
        read(signed(), now=beyond)


@pytest.mark.parametrize("timestamp", ["soon", "1e9", str(10**20)])
def test_it_refuses_a_moment_that_is_none(timestamp):
    headers = {**signed(), TIMESTAMP: timestamp, SIGNATURE: sign("secret", timestamp, BODY)}
    with pytest.raises(NoticeRefused, match="when it was sent"):
        read(headers)


@pytest.mark.parametrize("event", ["", "e" * 151])
def test_it_refuses_a_notification_that_cannot_be_known_again(event):
    with pytest.raises(NoticeRefused, match="no id"):
        read(signed(event=event))


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"null"])
def test_it_refuses_a_body_that_says_nothing(body):
    with pytest.raises(NoticeRefused, match="cannot be read"):
        read(signed(body), body)


def test_it_refuses_a_body_far_too_large():
    body = b" " * (LARGEST + 1)
    with pytest.raises(NoticeRefused, match="not signed"):
        read(signed(body), body)


def test_it_refuses_everything_where_no_secret_is_set():
    with pytest.raises(NoticeRefused, match="not expected"):
        read(signed(secret=""), secrets=[])


def test_a_replay_under_another_id_is_known_by_its_signature():
    first, again = read(signed(event="e1")), read(signed(event="e2"))
    assert set(first.ids) & set(again.ids)


def test_a_second_delivery_is_known_by_its_id():
    first = read(signed())
    again = read(signed(at=NOW + dt.timedelta(seconds=30)))
    assert first.signature != again.signature
    assert set(first.ids) & set(again.ids)
