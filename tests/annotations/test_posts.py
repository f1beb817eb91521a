"""Bodies the page may send: whole numbers are whole numbers, and nothing unknown comes in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import InvalidPost
from annotations.posts import RatingPost, SubmissionPost, read_post
from tests.annotations.person import EVIDENCE, body


def read(**changes):
    return read_post(RatingPost, json.dumps(body("receipt") | changes).encode())


@pytest.mark.parametrize("score", [0, 1, 50, 100])
def test_it_reads_whole_scores(score):
    assert read(score=score, fluency=score).score == score


@pytest.mark.parametrize("score", [-1, 50.0, 49.5, "50", True, None, [50], {}, 10**30])
def test_it_refuses_a_score_that_is_not_one(score):
    with pytest.raises(InvalidPost, match="whole number"):
        read(score=score)


@pytest.mark.parametrize("fluency", [-1, 50.0, "50", True])
def test_it_refuses_a_fluency_that_is_not_one(fluency):
    with pytest.raises(InvalidPost, match="whole number"):
        read(fluency=fluency)


@pytest.mark.parametrize(
    "changes",
    [
        {"key": "not-a-uuid"},
        {"key": None},
        {"receipt": "x" * 201},
        {"receipt": 5},
        {"kind": "system"},
        {"evidence": {}},
        {"evidence": EVIDENCE | {"moves": -1}},
        {"evidence": EVIDENCE | {"moves": 2**31}},
        {"evidence": EVIDENCE | {"elapsed_ms": "9000"}},
        {"evidence": EVIDENCE | {"mood": 3}},
    ],
)
def test_it_refuses_fields_that_are_wrong_or_unknown(changes):
    with pytest.raises(InvalidPost, match="Reload the page"):
        read(**changes)


@given(st.binary(max_size=300))
def test_random_bytes_are_refused_or_read_but_never_break(content):
    with pytest.raises(InvalidPost):
        read_post(RatingPost, content)


def test_it_refuses_nan_which_json_does_not_know():
    text = json.dumps(body("receipt")).replace('"score": 50', '"score": NaN')
    with pytest.raises(InvalidPost):
        read_post(RatingPost, text.encode())


def test_it_refuses_a_comment_that_is_too_long():
    assert read_post(SubmissionPost, json.dumps({"comment": "x" * 2000}).encode()).comment
    with pytest.raises(InvalidPost, match="too long"):
        read_post(SubmissionPost, json.dumps({"comment": "x" * 2001}).encode())
