"""What a crowd's address says, and what of it is believed."""

from __future__ import annotations

import pytest

from annotations.errors import LinkRefused
from annotations.tokens import Entry
from crowds.registry import crowd_named
from crowds.visitors import Visitor

MTURK, PROLIFIC = crowd_named("mturk"), crowd_named("prolific")
SANDBOX = "https://workersandbox.mturk.com"
QUERY = {"assignmentId": "3XYZ", "hitId": "3HIT", "workerId": "A1B2", "turkSubmitTo": SANDBOX}


def entry(return_to=""):
    return Entry(campaign=1, crowd="", return_to=return_to)


@pytest.fixture(autouse=True)
def only_the_sandbox(settings):
    settings.MTURK_SUBMIT_ORIGINS = [SANDBOX]


def read(**changes):
    return MTURK.visitor(entry(), QUERY | changes)


def test_mechanical_turk_says_who_comes_and_where_the_work_is_reported():
    address = f"{SANDBOX}/mturk/externalSubmit"
    assert read() == Visitor(person="A1B2", external_id="3XYZ", return_to=address)


def test_prolific_says_who_comes_and_the_link_where_they_go_back_to():
    query = {"PROLIFIC_PID": "5f", "STUDY_ID": "s", "SESSION_ID": "9e"}
    visitor = PROLIFIC.visitor(entry("https://done.example"), query)
    assert visitor == Visitor(person="5f", external_id="9e", return_to="https://done.example")


@pytest.mark.parametrize(
    "origin",
    ["", "https://evil.example", "http://workersandbox.mturk.com", f"{SANDBOX}.evil.example",
     f"{SANDBOX}@evil.example", "javascript:alert(1)", f"{SANDBOX}:8443"],
)  # fmt: skip
def test_finished_work_is_never_reported_to_an_unlisted_origin(origin):
    with pytest.raises(LinkRefused, match="not known"):
        read(turkSubmitTo=origin)


@pytest.mark.parametrize("worker", ["", "a b", "x" * 201, "é", "a\x00", "<b>"])
def test_an_id_no_crowd_would_give_is_refused(worker):
    with pytest.raises(LinkRefused, match="incomplete"):
        read(workerId=worker)


def test_only_mechanical_turk_has_previews():
    assert MTURK.is_preview({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"})
    assert MTURK.is_preview({})
    assert not MTURK.is_preview(QUERY)
    assert not PROLIFIC.is_preview({})


def test_a_crowd_like_prolific_says_who_comes_in_its_own_words(settings):
    settings.PROLIFIC_PARAMETERS = ["participantId", "projectId", "turnId"]
    query = {"participantId": "p1", "projectId": "s1", "turnId": "t1", "PROLIFIC_PID": "other"}
    visitor = PROLIFIC.visitor(entry(), query)
    assert (visitor.person, visitor.external_id) == ("p1", "t1")
