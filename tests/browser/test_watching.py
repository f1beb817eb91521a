"""Watching before rating: what unlocks the caption, what is measured, what is fetched ahead."""

from __future__ import annotations

import io
import re

import numpy as np
from PIL import Image
from playwright.sync_api import expect

from annotations.models import Rating
from hits.models import Video
from tests.browser.material import clip_campaign

ACCENT = (0x0F, 0x6A, 0x5B)
FETCHED = """() => {
    const next = [...document.querySelectorAll(".screen video")].find((video) => video.hidden);
    return next.buffered.length > 0 && next.buffered.end(0) > next.duration - 0.1;
}"""
ACTIVE = "[...document.querySelectorAll('.screen video')].find((video) => !video.hidden)"
LONG = 30.0  # seconds: nothing that is looked at while it plays takes as long


def hurry(annotator):
    """Let the rest of the video go by sixteen times as fast, which is watching all the same."""
    annotator.page.evaluate(f"{ACTIVE}.playbackRate = 16")


def marks(annotator):
    """Pixels of the scale in the mark's colour: what an eye would see of a thumb."""
    picture = Image.open(io.BytesIO(annotator.scale.screenshot())).convert("RGB")
    return (np.asarray(picture) == ACCENT).all(axis=2).sum()


def test_the_caption_waits_for_the_end_of_the_video(annotator):
    annotator.begin(clip_campaign(seconds=LONG))
    expect(annotator.page.get_by_text("The caption appears when")).to_be_visible()
    expect(annotator.page.locator("#caption")).to_be_hidden()
    expect(annotator.page.get_by_role("button", name="Next")).to_be_disabled()
    hurry(annotator)
    annotator.wait_for_caption()
    expect(annotator.scale).to_be_focused()


def test_jumping_to_the_end_shows_no_caption(annotator):
    annotator.begin(clip_campaign(seconds=LONG))
    annotator.page.evaluate(f"{ACTIVE}.currentTime = {LONG - 0.2}")
    annotator.expect_video("ended")
    expect(annotator.page.locator("#caption")).to_be_hidden()
    annotator.page.get_by_role("button", name="Watch again").click()
    hurry(annotator)
    annotator.wait_for_caption()


def test_where_watching_is_optional_the_caption_is_there_at_once(annotator):
    annotator.begin(clip_campaign(seconds=LONG, must_watch=False))
    expect(annotator.page.locator("#caption")).to_be_visible()
    assert not annotator.page.evaluate(f"{ACTIVE}.ended")


def test_space_plays_and_pauses(annotator):
    annotator.begin(clip_campaign(seconds=LONG, must_watch=False))
    annotator.expect_video("playing")
    annotator.page.keyboard.press("Space")
    annotator.expect_video("idle")
    annotator.page.keyboard.press("Space")
    annotator.expect_video("playing")


def test_an_untouched_scale_is_no_answer(annotator, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    expect(annotator.scale).to_have_attribute("aria-valuetext", "Not rated yet")
    assert not marks(annotator)
    annotator.page.get_by_role("button", name="Next").click()
    expect(annotator.page.get_by_role("alert")).to_have_text(re.compile("Touch the scale"))
    annotator.expect_progress("1 of 6")
    annotator.touch_scale(40)
    assert marks(annotator)
    annotator.page.get_by_role("button", name="Next").click()
    annotator.wait_for_caption()
    # The next scale is empty again, whatever the last answer was.
    expect(annotator.scale).to_have_attribute("aria-valuetext", "Not rated yet")
    annotator.page.keyboard.press("Enter")
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)


def test_the_number_is_hidden_unless_the_campaign_shows_it(annotator, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    annotator.touch_scale(40)
    expect(annotator.page.locator("output")).to_be_hidden()


def test_the_evidence_is_what_happened(annotator):
    annotator.begin(clip_campaign(seconds=2.0))
    annotator.wait_for_caption()
    annotator.page.get_by_role("button", name="Watch again").click()
    annotator.page.wait_for_function(f"() => {ACTIVE}.ended")  # not any more, and then again
    annotator.expect_video("ended")
    for value in (20, 60, 80):
        annotator.touch_scale(value)
    annotator.page.get_by_role("button", name="Next").click()
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    rating = Rating.objects.get()
    assert (rating.client_plays, rating.client_moves) == (2, 3)
    # Of four seconds: a busy browser notices late that a video has begun.
    assert 2000 <= rating.client_watched_ms <= rating.client_elapsed_ms
    assert 0 < rating.client_first_touch_ms < rating.client_last_touch_ms
    assert rating.client_last_touch_ms <= rating.client_elapsed_ms
    assert rating.client_hidden_ms == 0
    assert rating.served_at < rating.created_at
    assert rating.is_unwatched is False


def test_time_with_the_page_hidden_is_measured(annotator, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    # Headless pages are never hidden: the page is told so, as a browser tells it.
    tell = """(hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }"""
    annotator.page.evaluate(tell, True)
    annotator.page.wait_for_timeout(500)
    annotator.page.evaluate(tell, False)
    annotator.rate(50)
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    rating = Rating.objects.get()
    assert 400 <= rating.client_hidden_ms < rating.client_elapsed_ms


def test_the_next_video_is_fetched_while_this_one_plays(annotator, site, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    watched = [url for url in annotator.requests if "/rate/media/" in url]
    assert len(set(watched)) == 2
    annotator.page.wait_for_function(FETCHED)
    site.stop()
    annotator.rate(50)
    annotator.wait_for_caption()  # the second video plays without any server
    site.start()


def test_a_video_that_cannot_be_played_does_not_hold_anybody_up(annotator, campaign):
    annotator.tolerated.append("404")
    Video.objects.update(file="lost.mp4")
    annotator.begin(campaign)
    expect(annotator.page.get_by_text("does not load")).to_be_visible()
    annotator.page.get_by_role("button", name="continue without it").click()
    annotator.rate(50)
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    assert Rating.objects.get().client_watched_ms == 0
