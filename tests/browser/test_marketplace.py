"""One HIT on the rehearsal marketplace, worked on in a real browser, from launch to payment."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Assignment
from crowds.models import Submission
from crowds.selectors.money import campaign_sums
from crowds.services.outbox import outbox_run
from crowds.services.reviews import submissions_pay
from crowds.services.submissions import launch_sync
from rehearsal.mturk.server import running
from rehearsal.mturk.service import MarketService
from tests.browser.annotator import Annotator
from tests.crowd import launch
from tests.rehearsal.mturk.market import KEYS


@pytest.fixture
def server(site, settings):
    with running(MarketService(), KEYS) as server:
        settings.PUBLIC_URL = site.url
        settings.MTURK_ENDPOINT_URL = server.origin
        settings.MTURK_ACCESS_KEY_ID = KEYS.access
        settings.MTURK_SECRET_ACCESS_KEY = KEYS.secret
        settings.MTURK_SUBMIT_ORIGINS = settings.FRAME_ANCESTORS = [server.origin]
        settings.FORM_ORIGINS = [server.origin]
        yield server


@pytest.fixture
def worker(site, browser):
    person = Annotator(site, browser)
    person.outer = person.page
    yield person
    person.close()


def in_frame(worker) -> None:
    """What follows happens inside the frame."""
    expect(worker.outer.locator("iframe")).to_be_visible()
    worker.page = worker.outer.locator("iframe").element_handle().content_frame()


def test_a_hit_is_previewed_accepted_rated_submitted_and_paid(server, worker, campaign):
    made = launch(campaign)
    outbox_run(crowd="mturk")
    outer = worker.outer
    outer.goto(server.origin)
    worker.picture("marketplace-sign-in")
    outer.get_by_label("Worker id").fill("AANNA")
    outer.get_by_role("button", name="Find HITs").click()
    worker.picture("marketplace-list")
    outer.get_by_role("link", name="Preview").click()
    in_frame(worker)
    expect(worker.page.get_by_role("heading", name="How to rate")).to_be_visible()
    worker.page = outer
    worker.picture("marketplace-preview")
    outer.get_by_role("button", name="Accept").click()
    expect(outer.get_by_role("button", name="Return this HIT")).to_be_visible()
    in_frame(worker)
    worker.page.get_by_role("button", name="Start").click()
    worker.page.get_by_role("button", name="Try one").click()
    worker.rate(50, next_name="Done")
    worker.page.get_by_role("button", name="Start rating").click()
    for score in (10, 20, 30, 40, 50, 60):
        worker.rate(score)
    worker.page.get_by_role("button", name="Submit").click()
    expect(worker.page.get_by_role("heading", name="Submitted")).to_be_visible()
    worker.page.get_by_role("link", name="Back to the HITs").click()
    expect(outer.get_by_text("No HIT for you at the moment")).to_be_visible()

    launch_sync(launch=made)
    submission = Submission.objects.get()
    assert (submission.problem, submission.status) == ("", "submitted")
    submissions_pay(campaign=campaign, submissions=[submission], by=campaign.owner)
    outbox_run(crowd="mturk")
    outer.reload()
    worker.page = outer
    worker.picture("marketplace-paid")
    assert Assignment.objects.get().state == Assignment.State.APPROVED
    assert campaign_sums(campaign).spent == server.service.market.account.paid > 0
