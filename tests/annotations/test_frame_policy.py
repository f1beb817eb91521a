"""Who may show these pages in a frame, and what they may load."""

from __future__ import annotations

import pytest
from django.test import Client

from annotations.services.assignments import batches_open
from tests.annotations.person import Person, crowd_link, invite, link

WORKER = "https://worker.example"


@pytest.fixture
def pages(campaign, settings):
    """A response of every page an annotator sees, refusals included."""
    settings.FRAME_ANCESTORS = [WORKER]
    path = link(invite(campaign))
    welcome = Client().get(path)
    anna = Person(path)
    work = anna.client.get(anna.page_path)
    anna.save_all()
    done = anna.client.get(anna.submit().json()["next"])
    preview = Client().get(crowd_link(campaign))
    refusal = Client().get("/rate/enter/nonsense/")
    return [welcome, work, done, preview, refusal]


def directives(response):
    policy = response["Content-Security-Policy"]
    return dict(part.strip().split(" ", 1) for part in policy.split(";"))


def test_only_the_listed_origins_may_frame_them(pages):
    for page in pages:
        assert directives(page)["frame-ancestors"] == WORKER
        assert "X-Frame-Options" not in page


def test_nobody_may_frame_them_when_no_origin_is_listed(campaign, settings):
    settings.FRAME_ANCESTORS = []
    assert directives(Client().get(link(invite(campaign))))["frame-ancestors"] == "'none'"


def test_everything_else_is_framed_by_nobody(db):
    page = Client().get("/accounts/login/")
    assert directives(page)["frame-ancestors"] == "'none'"
    assert page["X-Frame-Options"] == "DENY"


def test_they_run_no_inline_script_or_style_and_load_nothing_from_elsewhere(pages):
    for page in pages:
        policy = directives(page)
        assert "unsafe" not in page["Content-Security-Policy"]
        assert policy["script-src"] == policy["style-src"] == policy["default-src"] == "'self'"


def test_they_tell_no_other_site_where_the_visitor_was(pages):
    welcome, *others = pages
    assert welcome["Referrer-Policy"] == "same-origin"
    assert {page["Referrer-Policy"] for page in others} == {"no-referrer"}


def test_they_are_never_kept_in_a_cache(pages):
    for page in pages:
        assert "no-store" in page["Cache-Control"]


def test_a_form_may_only_go_to_us_and_to_the_marketplace(campaign, settings):
    settings.FORM_ORIGINS = ["https://turk.example"]
    batches_open(campaign=campaign)
    page = Client().get(crowd_link(campaign))
    assert directives(page)["form-action"] == "'self' https://turk.example"
