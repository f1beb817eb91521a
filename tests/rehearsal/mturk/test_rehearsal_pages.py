"""What workers see and do: find, preview, accept, give back, submit; and what is refused them."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from rehearsal.mturk.worker_client import Turned
from tests.pages import markup, shown
from tests.rehearsal.mturk.market import hit_request


@pytest.fixture
def hit(client) -> str:
    return client.create_hit(**hit_request())["HIT"]["HITId"]


@pytest.fixture
def browser(server):
    with httpx.Client(base_url=server.origin, follow_redirects=True) as browser:
        browser.post("/sign-in", data={"worker": "a1", "approved": "5000", "country": "us"})
        yield browser


def test_a_stranger_is_asked_who_they_are(server):
    page = httpx.get(server.origin)
    assert "Who are you today?" in shown(page.text)
    assert httpx.get(f"{server.origin}/hits/3X").status_code == 401


@pytest.mark.parametrize("name", ["", "B1", "A", "A-1", "A" * 70])
def test_a_worker_id_looks_like_one(server, name):
    answer = httpx.post(f"{server.origin}/sign-in", data={"worker": name})
    assert answer.status_code == 409


def test_a_hit_is_found_previewed_and_accepted(browser, hit):
    assert f"/hits/{hit}" in markup(browser.get("/").text)
    preview = browser.get(f"/hits/{hit}").text
    assert "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE" in preview
    assert "workerId" not in preview
    work = browser.post(f"/hits/{hit}/accept")
    assert work.url.path.startswith("/assignments/3")
    assert "workerId=A1" in work.text
    assert "a=1&amp;b=2" in work.text  # the requester's own parameters are kept
    assert "Continue working" in shown(browser.get("/").text)


def test_the_frame_is_told_who_works_on_what(worker, server, hit):
    one = worker("A1")
    assignment = one.accept(hit)
    told = parse_qs(urlsplit(one.frame(assignment)).query)
    assert told["hitId"] == [hit]
    assert (told["assignmentId"], told["workerId"]) == ([assignment], ["A1"])
    assert told["turkSubmitTo"] == [server.origin]


def test_a_group_leads_to_a_hit_of_it(browser, hit, client):
    group = client.get_hit(HITId=hit)["HIT"]["HITGroupId"]
    page = browser.get("/mturk/preview", params={"groupId": group})
    assert page.url.path == f"/hits/{hit}"
    assert browser.get("/mturk/preview", params={"groupId": "3NONE"}).status_code == 409


def test_work_is_given_back(browser, hit):
    work = browser.post(f"/hits/{hit}/accept")
    back = browser.post(f"{work.url.path}/return")
    assert back.url.path == "/"
    assert "Continue working" not in back.text


def test_the_form_that_ends_the_work_needs_no_cookie(server, worker, hit, client):
    assignment = worker("A1").accept(hit)
    form = {"assignmentId": assignment, "code": "AB<C>&"}
    submit = f"{server.origin}/mturk/externalSubmit"
    page = httpx.post(submit, data=form, headers={"Origin": "https://study.example"})
    assert page.status_code == 200
    assert "Submitted" in shown(page.text)
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    assert httpx.post(submit, data=form).status_code == 200  # pressed twice
    listed = client.list_assignments_for_hit(HITId=hit)["Assignments"]
    assert "AB&lt;C&gt;&amp;" in listed[0]["Answer"]
    assert len(listed) == 1


def test_a_forged_or_empty_submission_is_refused(worker, hit):
    one = worker("A1")
    with pytest.raises(Turned, match="does not exist"):
        one.submit("3FORGED", code="C")
    with pytest.raises(Turned, match="no field"):
        one.submit(one.accept(hit))


def test_work_given_back_cannot_be_submitted(worker, hit):
    one = worker("A1")
    assignment = one.accept(hit)
    one.give_back(assignment)
    with pytest.raises(Turned, match="Too late"):
        one.submit(assignment, code="C")
    with pytest.raises(Turned, match="You are not working on this HIT"):
        one.give_back(assignment)


def test_nobody_sees_or_returns_anothers_work(worker, hit):
    assignment = worker("A1").accept(hit)
    other = worker("A2")
    with pytest.raises(Turned, match="You are not working on this HIT"):
        other.frame(assignment)
    with pytest.raises(Turned, match="You are not working on this HIT"):
        other.give_back(assignment)


def test_another_sites_page_cannot_accept_in_somebodys_name(browser, hit):
    answer = browser.post(f"/hits/{hit}/accept", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 409
    assert "another site" in shown(answer.text)


def test_text_of_the_requesters_is_shown_as_text(browser, client):
    client.create_hit(**hit_request(Title="<script>alert(1)</script>"))
    assert "<script>alert" not in markup(browser.get("/").text)


@pytest.mark.parametrize(
    "path", ["/nothing", "/hits/../../etc/passwd", "/static/css/../../manage.py", "/static/js/x"]
)
def test_other_addresses_lead_nowhere(browser, path):
    assert browser.get(path).status_code == 404


def test_it_wears_the_platforms_look(server):
    sheet = httpx.get(f"{server.origin}/static/css/rehearsal.css")
    assert sheet.headers["Content-Type"] == "text/css"
    assert "rehearsal-frame" in sheet.text
