"""Handing in: only when everything is rated, exactly once, and then the way back."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from django.utils import timezone

from annotations.models import Assignment
from annotations.tokens import completion_code
from tests.pages import markup


def test_it_refuses_unfinished_work_and_says_what_is_missing(anna):
    anna.save(0)
    response = anna.submit()
    assert (response.status_code, response.json()["code"]) == (409, "unfinished")
    assert "Caption 2 is not rated yet" in response.json()["error"]
    assert anna.assignment.state == Assignment.State.ACTIVE


def test_all_but_one_is_not_all(anna):
    anna.save_all()
    anna.assignment.ratings.filter(position=5).delete()
    assert anna.submit().status_code == 409


def test_a_revision_does_not_stand_in_for_a_missing_rating(anna):
    for position in [0, 0, 0, 0, 0, 0]:
        anna.save(position)
    assert anna.submit().status_code == 409


def test_finished_work_is_submitted_with_its_comment(anna):
    anna.save_all()
    before = timezone.now()
    assert anna.submit(comment=" Nice clips.\x00 ").status_code == 200
    assignment = anna.assignment
    assert (assignment.state, assignment.comment) == ("submitted", "Nice clips.")
    assert before <= assignment.submitted_at <= timezone.now()


def test_submitting_twice_is_submitting_once(anna):
    anna.save_all()
    anna.submit(comment="first")
    first = anna.assignment
    again = anna.submit(comment="second")
    assert again.status_code == 200
    assert (anna.assignment.comment, anna.assignment.submitted_at) == (
        "first",
        first.submitted_at,
    )


def test_everything_rated_may_be_submitted_late_while_nobody_else_has_the_work(anna):
    anna.save_all()
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=181)):
        assert anna.submit().status_code == 200


def test_work_given_back_cannot_be_submitted(anna):
    anna.save_all()
    anna.post("/rate/return", {})
    response = anna.submit()
    assert (response.status_code, response.json()["code"]) == (410, "work-closed")


def test_the_end_shows_the_completion_code(anna):
    anna.save_all()
    page = anna.client.get(anna.submit().json()["next"])
    assert completion_code(anna.assignment.pk) in markup(page)


def test_the_end_is_not_shown_before_it(anna):
    path = anna.page_path.replace("/work/", "/done/")
    assert anna.client.get(path)["Location"] == anna.page_path


def test_the_page_of_submitted_work_leads_to_the_end(anna):
    anna.save_all()
    end = anna.submit().json()["next"]
    response = anna.client.get(anna.page_path)
    assert response.status_code == 302
    assert response["Location"].startswith(end[:20])


@pytest.mark.parametrize("body", [{"comment": 5}, {"comment": "x" * 2001}, {"mood": "good"}, []])
def test_it_refuses_what_is_no_submission(anna, body):
    anna.save_all()
    assert anna.post("/rate/submit", body).status_code == 400
    assert anna.assignment.state == Assignment.State.ACTIVE
