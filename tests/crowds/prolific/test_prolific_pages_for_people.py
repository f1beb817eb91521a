"""A participant's way through the stand-in, in a browser's place."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.core.management import call_command

from rehearsal.prolific import StandIn
from tests.pages import markup, shown


@pytest.fixture
def browser(stand_in):
    with httpx.Client(base_url=stand_in.address) as browser:
        yield browser


def test_somebody_takes_part_and_comes_back(gateway, market, make_offer, browser):
    spec = make_offer()
    study = gateway.publish(spec, key="k").external_id
    assert "5.00 USD, 6 of 6 places left" in shown(browser.get("/").text)

    answer = browser.get("/take", params={"study": study, "person": "anna"})
    sent = urlsplit(answer.headers["Location"])
    (one,) = market.submissions.values()
    assert sent.path == "/rate/enter/1/"
    assert parse_qs(sent.query) == {
        "PROLIFIC_PID": ["anna"],
        "STUDY_ID": [study],
        "SESSION_ID": [one.id],
        "place": ["hit-1"],
    }

    back = urlsplit(gateway.completion_address("DONE1"))
    assert "awaiting review" in shown(browser.get(f"{back.path}?{back.query}").text)
    assert market.submissions[one.id].status == "AWAITING REVIEW"


def test_nobody_takes_part_twice(gateway, make_offer, browser):
    study = gateway.publish(make_offer(), key="k").external_id
    browser.get("/take", params={"study": study, "person": "anna"})
    again = browser.get("/take", params={"study": study, "person": "anna"})
    assert (again.status_code, again.text) == (400, "Took part already.")


def test_who_never_began_cannot_come_back(browser):
    assert browser.get("/submissions/complete", params={"cc": "DONE1"}).status_code == 404


def test_there_are_no_other_pages(browser):
    assert browser.get("/researcher").status_code == 404


def test_a_study_s_words_are_shown_as_words(gateway, make_offer, browser):
    gateway.publish(make_offer(title="<script>"), key="k")
    assert "<script>" not in markup(browser.get("/").text)


def test_the_command_says_what_to_set_and_serves_until_interrupted(monkeypatch, capsys):
    def interrupted(stand_in):
        raise KeyboardInterrupt

    monkeypatch.setattr(StandIn, "serve", interrupted)
    call_command("rehearse_prolific", port=0, balance=50)
    said = capsys.readouterr().out
    assert "PROLIFIC_URL=http://127.0.0.1:" in said
    assert said.endswith("Nothing of it is kept.\n")
