"""The page where it really lives: in another site's frame, third-party cookies blocked."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote

import pytest
from playwright.sync_api import FloatRect, Locator, expect

from annotations.models import Assignment, Rating
from annotations.services.assignments import batches_open
from tests.annotations.person import crowd_link
from tests.browser.annotator import Annotator
from tests.browser.conftest import FLAGS


class Marketplace(ThreadingHTTPServer):
    """Shows a task in a frame and takes the form that ends it, as Mechanical Turk does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.frame = ""
        self.reports: list[dict[str, list[str]]] = []

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.server_port}"  # another site than 127.0.0.1


class Handler(BaseHTTPRequestHandler):
    server: Marketplace

    def do_GET(self) -> None:
        self._answer(f'<iframe src="{self.server.frame}" width="900" height="700"></iframe>')

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.reports.append({"path": [self.path], **parse_qs(form)})
        self._answer("<p>Reported.</p>")

    def _answer(self, content: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def marketplace():
    server = Marketplace()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def cookieless(playwright, chromium, tmp_path):
    """A browser profile that blocks third-party cookies, as a person's settings would."""
    profile = tmp_path / "profile"
    (profile / "Default").mkdir(parents=True)
    choices = {"profile": {"cookie_controls_mode": 1, "block_third_party_cookies": True}}
    (profile / "Default" / "Preferences").write_text(json.dumps(choices))
    context = playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium, args=FLAGS
    )
    yield context
    context.close()


class Framed(Annotator):
    """Somebody who sees the page inside a marketplace's."""

    def __init__(self, site, context) -> None:
        super().__init__(site, context)
        self.outer = self.page

    def visit(self, marketplace, path) -> None:
        marketplace.frame = self.site.url + path
        self.outer.goto(marketplace.origin)
        self.page = self.outer.frames[1]


def turk_path(campaign, marketplace, assignment="3ASSIGN") -> str:
    batches_open(campaign=campaign)
    query = (
        f"?assignmentId={assignment}&hitId=3HIT&workerId=A1WORKER"
        f"&turkSubmitTo={quote(marketplace.origin)}"
    )
    return crowd_link(campaign) + query


@pytest.fixture
def framed(site, cookieless, marketplace, settings):
    settings.FRAME_ANCESTORS = [marketplace.origin]
    settings.MTURK_SUBMIT_ORIGINS = settings.FORM_ORIGINS = [marketplace.origin]
    person = Framed(site, cookieless)
    yield person
    assert not person.faults, person.faults


def box_of(part: Locator) -> FloatRect:
    box = part.bounding_box()
    assert box is not None
    return box


def expect_whole_screen(framed: Framed) -> None:
    """Video and caption side by side, and all of them and the button in the frame at once."""
    button = framed.page.get_by_role("button", name="Next")
    parts = (framed.page.locator(".screen"), framed.page.locator("#caption"), button)
    video, caption, _ = boxes = [box_of(part) for part in parts]
    frame = box_of(framed.outer.locator("iframe"))
    assert video["x"] + video["width"] <= caption["x"]
    for box in boxes:
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]
    if folder := os.environ.get("SCREENSHOTS"):
        framed.outer.screenshot(path=f"{folder}/frame.png", full_page=True)


def test_a_whole_hit_inside_a_frame_without_cookies(framed, marketplace, campaign):
    framed.visit(marketplace, turk_path(campaign, marketplace))
    assert framed.page.evaluate("document.hasStorageAccess()") is False  # cookies are blocked
    framed.page.get_by_role("button", name="Start").click()
    framed.page.get_by_role("button", name="Try one").click()
    framed.rate(50, next_name="Done")
    framed.page.get_by_role("button", name="Start rating").click()
    framed.wait_for_caption()
    expect_whole_screen(framed)
    for score in (10, 20, 30):
        framed.rate(score)
    framed.expect_progress("4 of 6")
    framed.outer.reload()
    framed.page = framed.outer.frames[1]
    framed.expect_progress("4 of 6")
    framed.play()
    for score in (40, 50, 60):
        framed.rate(score)
    framed.page.get_by_role("button", name="Submit").click()
    expect(framed.page.get_by_text("Reported.")).to_be_visible()
    assert Assignment.objects.get().state == Assignment.State.SUBMITTED
    scores = Rating.objects.values_list("score", flat=True)
    # The line is short here: a pixel is worth a third of a point.
    assert [round(score, -1) for score in scores] == [10, 20, 30, 40, 50, 60]
    (report,) = marketplace.reports
    assert report["path"] == ["/mturk/externalSubmit"]
    assert report["assignmentId"] == ["3ASSIGN"]
    assert framed.context.cookies() == []


def test_a_preview_inside_a_frame_saves_nothing(framed, marketplace, campaign):
    preview = turk_path(campaign, marketplace, "ASSIGNMENT_ID_NOT_AVAILABLE")
    framed.visit(marketplace, preview)
    framed.page.get_by_role("button", name="Try one").click()
    framed.rate(50, next_name="Done")
    framed.page.get_by_role("button", name="Start rating").click()
    for score in (10, 20, 30):
        framed.rate(score)
    expect(framed.page.get_by_role("heading", name="End of the preview")).to_be_visible()
    assert not any("/rate/save" in url or "/rate/submit" in url for url in framed.requests)
    assert not Rating.objects.exists()


def test_another_site_may_not_frame_it(framed, marketplace, campaign, settings):
    settings.FRAME_ANCESTORS = ["https://worker.example"]
    framed.tolerated.append("frame-ancestors")
    with contextlib.suppress(Exception):  # the browser shows its own page in the frame
        framed.visit(marketplace, turk_path(campaign, marketplace))
    assert framed.outer.get_by_role("button", name="Start").count() == 0
    assert framed.page.get_by_role("button", name="Start").count() == 0
