"""Nothing is lost: reloads, crashes, a server that is away, two tabs, changes of mind."""

from __future__ import annotations

import re
import time
import uuid
from copy import copy

from django.db.models.base import ModelState
from django.utils import timezone
from playwright.sync_api import expect

from annotations.models import Assignment, Rating
from annotations.services.ratings import MAX_REVISIONS
from tests.browser.annotator import Annotator

AWAY_SECONDS = 20


def latest():
    """The score that counts at every position."""
    rows = Rating.objects.order_by("position", "revision").values_list("position", "score")
    return dict(rows)


def test_a_reload_resumes_at_the_right_caption(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.rate(20)
    annotator.expect_progress("3 of 6")
    annotator.page.reload()
    annotator.expect_progress("3 of 6")
    annotator.play()
    annotator.rate(30)
    annotator.expect_progress("4 of 6")
    annotator.expect_saved(3)
    assert latest() == {0: 10, 1: 20, 2: 30}


def test_the_link_resumes_too(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.expect_progress("2 of 6")
    annotator.page.close()
    annotator.page = annotator.new_page()
    annotator.open(campaign)
    annotator.expect_progress("2 of 6")


def test_nothing_is_lost_while_the_server_is_away(annotator, site, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.wait_for_caption()
    annotator.expect_saved(1)
    site.stop()
    stopped = time.monotonic()
    annotator.rate(20)
    expect(annotator.page.locator("#saved")).to_have_text("Offline: your work is kept here")
    annotator.expect_progress("3 of 6")
    time.sleep(max(0, AWAY_SECONDS - (time.monotonic() - stopped)))
    assert Rating.objects.count() == 1
    site.start()
    expect(annotator.page.locator("#saved")).to_have_text("Saved")
    for score in (30, 40, 50, 60):
        annotator.rate(score)
    annotator.submit()
    assert latest() == {0: 10, 1: 20, 2: 30, 3: 40, 4: 50, 5: 60}
    assert Rating.objects.count() == 6


def test_ratings_given_offline_survive_a_crash(annotator, site, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    address = annotator.page.url
    site.stop()
    annotator.rate(77)
    expect(annotator.page.locator("#saved")).to_have_text(re.compile("Offline"))
    annotator.page.close(run_before_unload=False)
    assert not Rating.objects.exists()
    site.start()
    annotator.page = annotator.new_page()
    annotator.page.goto(address)
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    assert latest() == {0: 77}


def test_back_shows_the_answer_and_a_change_is_a_new_revision(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.wait_for_caption()
    annotator.page.get_by_role("button", name="Back").click()
    annotator.expect_progress("1 of 6")
    expect(annotator.scale).to_have_attribute("aria-valuetext", "10 of 100")
    annotator.rate(90)
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(2)
    assert list(Rating.objects.values_list("position", "revision", "score")) == [
        (0, 1, 10),
        (0, 2, 90),
    ]


def test_a_refused_change_leaves_the_rating_that_is_saved_and_the_work_goes_on(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.wait_for_caption()
    annotator.expect_saved(1)
    rate_until(Rating.objects.get(), MAX_REVISIONS, score=20)
    annotator.tolerated.append("409")  # the browser itself notes what is refused
    annotator.page.get_by_role("button", name="Back").click()
    annotator.expect_progress("1 of 6")
    annotator.rate(90)
    annotator.expect_progress("2 of 6")
    expect(annotator.page.locator("#missing")).to_contain_text("Caption 1 was rated 1,000 times")
    annotator.page.get_by_role("button", name="Back").click()
    annotator.expect_progress("1 of 6")
    expect(annotator.scale).to_have_attribute("aria-valuetext", "20 of 100")
    annotator.page.get_by_role("button", name="Next").click()
    annotator.rate(30)
    annotator.expect_progress("3 of 6")
    annotator.expect_saved(MAX_REVISIONS + 1)
    assert latest() == {0: 20, 1: 30}


def rate_until(rating, revision, score):
    """More revisions of a rating, as if somebody had changed their mind again and again."""
    rows = []
    for number in range(rating.revision + 1, revision + 1):
        row = copy(rating)
        row.pk, row.key, row.revision, row.score = None, uuid.uuid4(), number, score
        row._state = ModelState()
        rows.append(row)
    Rating.objects.bulk_create(rows)


def test_back_without_a_change_saves_nothing(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.wait_for_caption()
    annotator.page.get_by_role("button", name="Back").click()
    annotator.expect_progress("1 of 6")
    annotator.page.get_by_role("button", name="Next").click()
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)


def test_back_works_after_a_reload_and_from_the_end(annotator, campaign):
    annotator.begin(campaign)
    for score in range(0, 60, 10):
        annotator.rate(score)
    annotator.page.reload()
    expect(annotator.page.get_by_role("heading", name="All 6 captions are rated")).to_be_visible()
    annotator.page.get_by_role("button", name="Back").click()
    annotator.expect_progress("6 of 6")
    expect(annotator.scale).to_have_attribute("aria-valuetext", "50 of 100")
    annotator.rate(99)
    annotator.submit()
    assert latest()[5] == 99


def test_a_second_tab_is_told_and_can_take_over(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.expect_progress("2 of 6")
    first, second = annotator.page, annotator.new_page()
    second.goto(first.url)
    expect(second.get_by_role("heading", name="Open in another tab")).to_be_visible()
    second.get_by_role("button", name="Continue here").click()
    expect(first.get_by_role("heading", name="Open in another tab")).to_be_visible()
    annotator.page = second
    annotator.expect_progress("2 of 6")
    annotator.rate(20)
    annotator.expect_progress("3 of 6")
    annotator.expect_saved(2)


def test_a_second_device_that_is_behind_catches_up(annotator, site, browser, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    other = Annotator(site, browser)
    other.page.goto(annotator.page.url)
    other.page.get_by_role("button", name="Try one").click()
    other.rate(1, next_name="Done")
    other.page.get_by_role("button", name="Start rating").click()
    for score in (10, 20, 30):
        other.rate(score)
    other.expect_progress("4 of 6")
    other.expect_saved(3)
    annotator.rate(15)
    annotator.expect_progress("4 of 6")
    assert latest() == {0: 15, 1: 20, 2: 30}
    other.close()


def test_time_that_runs_out_ends_the_work_with_a_sentence(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.wait_for_caption()
    annotator.expect_saved(1)
    annotator.tolerated.append("410")
    Assignment.objects.filter(state="active").update(expires_at=timezone.now())
    annotator.rate(20)
    expect(annotator.page.get_by_text("The time for this task has run out")).to_be_visible()
    assert latest() == {0: 10}


def test_the_task_can_be_given_back(annotator, campaign):
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    annotator.tolerated.append("410")
    annotator.page.on("dialog", lambda dialog: dialog.accept())
    annotator.page.get_by_role("button", name="Instructions").click()
    annotator.page.get_by_text("Need to stop for good?").click()
    annotator.page.get_by_role("button", name="Give the task back").click()
    expect(annotator.page.get_by_text("This task was given back")).to_be_visible()
    assert Assignment.objects.filter(state="open").count() == 1


def test_without_storage_the_page_asks_to_stay_open(annotator, site, campaign):
    annotator.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"
    )
    annotator.begin(campaign)
    annotator.wait_for_caption()
    site.stop()
    annotator.rate(77)
    expect(annotator.page.locator("#saved")).to_have_text("Offline: keep this page open")
    site.start()
    expect(annotator.page.locator("#saved")).to_have_text("Saved")
    assert latest() == {0: 77}
