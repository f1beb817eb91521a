"""An organiser's whole way: import, plan, compose, launch on the rehearsal marketplace, watch,
approve, close; with somebody at the marketplace who does the work in between."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from annotations.models import Assignment
from crowds.models import Launch
from daplatform.celery import app
from hits.models import Campaign
from tests.browser.annotator import Annotator
from tests.browser.member import SCREENS, Member
from tests.browser.test_marketplace import in_frame, server
from tests.folders import make_folder, make_zip

__all__ = ["server"]
CAPTIONS = 10
# HITs as small as the plan allows, of which seven captions are systems'.
SETTINGS = """name = "Autumn"
control = "human-a"
human = ["human-b"]

[hits]
size = 10
pairs = 1
repeats = 1
"""


@pytest.fixture(autouse=True)
def eager(settings, tmp_path):
    """Whatever is left to a worker is done at once, and nothing waits to be regretted."""
    settings.DATA_DIR = tmp_path / "data"
    settings.UNDO_SECONDS = 0
    app.conf.update(task_always_eager=True, task_eager_propagates=True)
    yield
    app.conf.update(task_always_eager=False, task_eager_propagates=False)


@pytest.fixture
def archive(tmp_path) -> Path:
    """Seven clips with captions by two systems and two people: three HITs."""
    folder = make_folder(tmp_path / "autumn", videos=7, systems=2, clips=True)
    (folder / "campaign.toml").write_text(SETTINGS, encoding="utf-8")
    return make_zip(folder)


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def organiser(request, site, browser):
    # Tests in a browser empty all tables, groups with their permissions among them.
    User.objects.create_superuser("olga", password="a-word-of-olga")
    person = Member(site, browser, *request.param)
    yield person
    person.close()


@pytest.fixture
def worker(site, browser):
    person = Annotator(site, browser)
    person.outer = person.page
    yield person
    person.close()


def log_in(organiser: Member) -> None:
    page = organiser.page
    page.goto(organiser.site.url)
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-word-of-olga")
    page.get_by_role("button", name="Log in").click()
    organiser.stop("Campaigns")


def import_campaign(organiser: Member, archive: Path) -> None:
    page = organiser.page
    page.get_by_role("link", name="Import a campaign").first.click()
    organiser.stop("Import a campaign")
    page.get_by_label("Campaign archive").set_input_files(archive)
    page.get_by_role("button", name="Upload and check").click()
    organiser.stop("Ready to import")
    page.get_by_role("button", name="Import this campaign").click()
    organiser.stop("Autumn")


def plan_and_compose(organiser: Member) -> None:
    page = organiser.page
    organiser.tab("Plan")
    page.get_by_label("Reward per HIT").fill("0.50")
    expect(page.locator("#plan")).to_contain_text("1.80")  # three HITs, with a fifth for the fee
    organiser.stop("Plan")
    page.get_by_role("button", name="Save this plan").click()
    expect(page.get_by_text("The plan is saved.")).to_be_visible()
    organiser.tab("Overview")
    page.get_by_role("button", name="Compose HITs").first.click()
    expect(page.get_by_text("Batch 1 is composed.")).to_be_visible()


def launch(organiser: Member) -> None:
    page = organiser.page
    organiser.tab("Crowd")
    page.get_by_role("link", name="See the cost and launch").click()
    page.get_by_label("Crowd").select_option("mturk")
    button = page.get_by_role("button", name="Launch for 1.80 USD")
    expect(button).to_be_visible()
    organiser.stop("Launch batch 1")
    button.click()
    expect(page.get_by_text("Batch 1 is being published")).to_be_visible()
    organiser.stop("Crowd")


def work_on_one_hit(worker: Annotator, market: str) -> None:
    outer = worker.outer
    outer.goto(market)
    outer.get_by_label("Worker id").fill("AANNA")
    outer.get_by_role("button", name="Find HITs").click()
    outer.get_by_role("link", name="Preview").first.click()
    outer.get_by_role("button", name="Accept").click()
    expect(outer.get_by_role("button", name="Return this HIT")).to_be_visible()
    in_frame(worker)
    worker.page.get_by_role("button", name="Start").click()
    worker.page.get_by_role("button", name="Try one").click()
    worker.rate(50, next_name="Done")
    worker.page.get_by_role("button", name="Start rating").click()
    for number in range(CAPTIONS):
        worker.rate(10 + 8 * number)
    worker.page.get_by_role("button", name="Submit").click()
    expect(worker.page.get_by_role("heading", name="Submitted")).to_be_visible()


def watch_and_approve(organiser: Member) -> None:
    page = organiser.page
    page.get_by_role("button", name="Check for new work").click()
    expect(page.get_by_text("Checking for new work.")).to_be_visible()
    organiser.tab("Overview")
    expect(
        page.get_by_text("1 submission waits for your decision: pay or do not pay.").first
    ).to_be_visible()
    expect(page.locator("#overview")).to_contain_text("of 30")
    organiser.stop("Needs a decision")
    page.get_by_role("link", name="Decide").click()
    organiser.stop("Review")
    refuse_without_a_reason(organiser)
    page.get_by_label("With the selected").select_option("pay")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("1 will be paid.")).to_be_visible()


def refuse_without_a_reason(organiser: Member) -> None:
    """It says so beside the field, and the selection stays."""
    page = organiser.page
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_label("With the selected").select_option("refuse")
    expect(page.get_by_label("Bonus for each")).to_be_hidden()
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_text("Give a reason. The person will see it.")).to_be_visible()
    expect(page.get_by_role("row").get_by_role("checkbox").last).to_be_checked()
    expect(page.get_by_role("button", name="Apply")).to_be_in_viewport()
    organiser.faults = [
        fault for fault in organiser.faults if "400" not in fault
    ]  # as it was to be


def close(organiser: Member) -> None:
    page = organiser.page
    organiser.tab("Crowd")
    page.get_by_role("link", name="Close", exact=True).click()
    organiser.stop("Close: batch 1")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("The launch is closed.")).to_be_visible()
    organiser.stop("Crowd")


def test_from_the_archive_to_the_last_payment(server, organiser, worker, archive):
    log_in(organiser)
    import_campaign(organiser, archive)
    plan_and_compose(organiser)
    launch(organiser)
    work_on_one_hit(worker, server.origin)
    watch_and_approve(organiser)
    close(organiser)
    campaign = Campaign.objects.get(name="Autumn")
    assert Launch.objects.get().state == Launch.State.CLOSED
    assert Assignment.objects.filter(state=Assignment.State.APPROVED).count() == 1
    assert server.service.market.account.paid > 0
    assert {"launched", "closed"} <= set(campaign.trail.values_list("action", flat=True))


@pytest.mark.parametrize("videos", [7, 12], ids=["as set", "too small for its settings"])
def test_from_the_archive_to_the_launch_in_eight_clicks(organiser, tmp_path, videos):
    """Twelve videos are too few for HITs of 100 captions: what suits them is one click away."""
    folder = make_folder(tmp_path / "autumn", videos=videos, systems=2, clips=True)
    if videos == 7:
        (folder / "campaign.toml").write_text(SETTINGS, encoding="utf-8")
    log_in(organiser)
    page, clicks = organiser.page, 0
    with page.expect_file_chooser() as chooser:
        for opened in (
            page.get_by_role("link", name="Import a campaign").first,
            page.get_by_label("Campaign archive"),
        ):
            opened.click()
            clicks += 1
    chooser.value.set_files(make_zip(folder))
    for pressed in (
        page.get_by_role("button", name="Upload and check"),
        page.get_by_role("button", name="Import this campaign"),
        page.get_by_role("button", name="ompose HITs").first,
        page.get_by_role("row").get_by_role("link", name="Launch"),
    ):
        pressed.click()
        clicks += 1
    organiser.stop("Launch batch 1")
    page.get_by_role("button", name="Launch for").click()
    expect(page.get_by_text("Now invite people")).to_be_visible()
    assert Launch.objects.get().crowd == "invite"
    assert clicks + 1 <= 8
