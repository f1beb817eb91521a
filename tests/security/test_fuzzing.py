"""Any bytes at the doors that strangers reach: an answer or a refusal in words, never a fault."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import tempfile
from pathlib import Path

import pytest
from django.core import signing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.reading import RatingsFile, read_ratings
from annotations.errors import LinkRefused, UnknownItem
from annotations.tokens import (
    ENTRY_SALT,
    TURN_SALT,
    entry_read,
    media_position,
    receipt_read,
    session_read,
)
from crowds.prolific.webhooks import (
    EVENT_ID,
    SIGNATURE,
    TIMESTAMP,
    NoticeRefused,
    Notification,
    notice_read,
    sign,
)
from daplatform.tables import TableError
from tests.annotations.person import Person, body, invite, link
from tests.factories import make_campaign, make_hit

LOOSE = settings(max_examples=40, suppress_health_check=list(HealthCheck))
NOON = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
SECRET = "between Prolific and us"
PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just("\0")
)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
DEEP = st.sampled_from([b"[" * 90_000, b'{"a":' * 15_000, b"9" * 90_000, b'"\\ud800"', b"\xff"])
ANYTHING = st.one_of(st.binary(max_size=200), JSON.map(lambda value: json.dumps(value).encode()))


@given(st.text(max_size=300))
def test_any_text_is_no_link_and_no_receipt(text):
    for read in (entry_read, session_read):
        with pytest.raises(LinkRefused):
            read(text)
    with pytest.raises(UnknownItem):
        receipt_read(text, assignment=3)
    with pytest.raises(UnknownItem):
        media_position(text, assignment=3, size=10)


@given(content=JSON)
def test_a_link_whose_content_we_no_longer_understand_is_refused_in_words(content):
    """As after a release that put something else into links: signed by us, and no longer read."""
    for salt, read in ((ENTRY_SALT, entry_read), (TURN_SALT, session_read)):
        with contextlib.suppress(LinkRefused):
            read(signing.dumps(content, salt=salt))


@pytest.fixture
def anna(db) -> Person:
    campaign = make_campaign()
    make_hit(campaign)
    return Person(link(invite(campaign)))


@LOOSE
@given(content=st.one_of(ANYTHING, DEEP), path=st.sampled_from(["save", "submit", "return"]))
def test_any_body_is_a_rating_or_refused_in_words(anna, content, path):
    answer = anna.post(f"/rate/{path}", content)
    assert answer.status_code in {200, 400, 404, 409, 410, 413}
    assert path == "return" or answer.status_code == 200 or answer.json()["error"]


@LOOSE
@given(data=st.data())
def test_any_value_in_any_field_is_a_rating_or_refused_in_words(anna, data):
    whole = body(anna.items[0]["receipt"])
    field = data.draw(st.sampled_from([*whole, "evidence"]))
    value = data.draw(JSON)
    if field == "evidence" and data.draw(st.booleans()):
        name = data.draw(st.sampled_from([*whole["evidence"]]))
        value = {**whole["evidence"], name: value}
    answer = anna.post("/rate/save", {**whole, field: value})
    assert answer.status_code in {200, 400, 404}


@pytest.mark.parametrize("comment", ["\0", "a\0b", "\ufffe\u202e", "\ud800"])
def test_any_comment_can_be_sent(anna, comment):
    anna.save_all()
    assert anna.submit(comment=comment).status_code in {200, 400}
    assert anna.submit(comment="as people write").status_code in {200, 410}


@LOOSE
@given(
    content=st.one_of(ANYTHING, DEEP),
    timestamp=st.one_of(st.just(f"{NOON.timestamp():.0f}"), st.text("0123456789.-e", max_size=400)),
    is_signed=st.booleans(),
    event=st.text(max_size=200),
)
def test_any_notification_is_read_or_refused_in_words(content, timestamp, is_signed, event):
    signature = sign(SECRET, timestamp, content) if is_signed else "AAAA"
    headers = {TIMESTAMP: timestamp, SIGNATURE: signature, EVENT_ID: event}
    with contextlib.suppress(NoticeRefused):
        notice = notice_read(headers=headers, body=content, secrets=[SECRET], now=NOON)
        assert is_signed
        assert isinstance(notice, Notification)


HEADERS = (
    b"annotator,hit,system,item,kind,score,seconds\n",
    b"annotator\thit\tsystem\titem\tkind\tscore\tseconds\n",
    b'{"annotator": "a", "hit": "1", "system": "s", "item": "v", "kind": "system", "score": 1}\n',
    b"HITId,AssignmentId,WorkerId,WorkTimeInSeconds,Answer.x,Answer.score_0\n",
    b"taskID,systemID,username,segmentID,score,startTime,endTime,itemType\n",
    b"ann,sys,1,TGT,en,de,50,1.5,2.5\n",
    b"SYS\tITEM\tTYPE\tRAW\tZ\n",
    b"PAR1",
    b"",
)
CELLS = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([b"\n", b",", b"\t", b'"', b"|", b"_", b"\0", b"\r\n", b"\xef\xbb\xbf"]),
    st.sampled_from(
        [b"system", b"degraded", b"repeat", b"50", b"nan", b"1e999", b"-1", b"a,1,s,v,"]
    ),
    st.sampled_from([b"a_1_SYSTEM_0__50", b"PAR1", b'{"score": ', b"[[", "é".encode("utf-16")]),
)


@settings(max_examples=150)
@given(header=st.sampled_from(HEADERS), cells=st.lists(CELLS, max_size=25))
def test_any_bytes_are_ratings_or_a_fault(header, cells):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        path.write_bytes(header + b"".join(cells))
        with contextlib.suppress(TableError):
            assert isinstance(read_ratings(path), RatingsFile)
