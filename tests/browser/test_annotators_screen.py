"""The rating page as people use it: its own controls, keys, places that do not move, languages."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings
from playwright.sync_api import expect

from annotations.models import Rating, VideoProblem
from hits.models import Video
from hits.services.composing import batch_compose
from tests.browser.annotator import Annotator
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.clips import make_clip

ACTIVE = "[...document.querySelectorAll('.screen video')].find((video) => !video.hidden)"
# On the page, at one moment: the page may be scrolling smoothly.
PLACE = "(it) => { const { x, y } = it.getBoundingClientRect(); return [x, y + scrollY]; }"
LAPTOP = {"width": 1280, "height": 720}
FRAME = {"width": 900, "height": 700}
PHONE = {"width": 360, "height": 640}


def typed(annotator: Annotator, keys: str) -> None:
    for key in keys:
        annotator.page.keyboard.press(key)


def test_somebody_who_skips_to_the_end_reads_why_no_caption_comes(annotator):
    annotator.begin(clip_campaign(seconds=3.0))
    annotator.expect_video("playing")
    annotator.page.get_by_label("Position in the video").fill("990")
    annotator.expect_video("ended")
    expect(annotator.page.locator("#watch-first")).to_have_text(re.compile("skipped"))
    expect(annotator.page.locator("#caption")).to_be_hidden()


def test_the_controls_are_ours_and_speed_is_the_campaigns_choice(annotator):
    annotator.begin(clip_campaign(seconds=1.0, offers_speed=True))
    page = annotator.page
    assert not page.evaluate(f"{ACTIVE}.controls")  # which would darken the last frame
    page.get_by_label("Speed").select_option("2")
    page.get_by_role("button", name="Mute").click()
    assert page.evaluate(f"[{ACTIVE}.playbackRate, {ACTIVE}.muted]") == [2, True]
    annotator.rate(40)
    annotator.expect_progress("2 of 6")
    annotator.wait_for_caption()
    assert page.evaluate(f"[{ACTIVE}.playbackRate, {ACTIVE}.muted]") == [2, True]
    annotator.expect_saved(1)
    assert Rating.objects.get().is_unwatched is False


def test_a_campaign_may_offer_one_speed_only(annotator, campaign):
    annotator.begin(campaign)
    expect(annotator.page.get_by_label("Speed")).to_have_count(0)


def test_digits_rate_also_after_watching_again(annotator, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    typed(annotator, "7")
    expect(annotator.scale).to_have_value("70")
    typed(annotator, "3")
    expect(annotator.scale).to_have_value("73")
    annotator.page.get_by_role("button", name="Watch again").click()
    annotator.expect_video("ended")
    typed(annotator, "42")
    expect(annotator.scale).to_have_value("42")
    annotator.page.get_by_role("button", name="Next").click()
    annotator.expect_progress("2 of 6")
    annotator.expect_saved(1)
    assert Rating.objects.get().score == 42


def test_a_quarter_and_half_of_a_long_hit_are_said(annotator):
    campaign = clip_campaign(
        videos=40, must_watch=False, compose=True, hit_size=20, pairs=2, repeats=2
    )
    batch_compose(campaign=campaign)
    annotator.begin(campaign)
    said = []
    for position in range(20):
        annotator.expect_progress(f"{position + 1} of 20")
        said.append(annotator.page.locator("#milestone").inner_text())
        typed(annotator, "5")
        annotator.page.keyboard.press("Enter")
    expect(annotator.page.get_by_role("heading", name="All 20 captions are rated")).to_be_visible()
    assert [number for number, words in enumerate(said) if words] == [5, 10, 15]


@pytest.mark.parametrize("viewport", [LAPTOP, FRAME, PHONE], ids=["laptop", "frame", "phone"])
def test_caption_and_scale_stay_where_they_are(site, browser, viewport, tmp_path):
    """From a wide clip to an upright one, and from waiting to rating."""
    campaign = clip_campaign()
    upright = make_clip(tmp_path / "upright.mp4", seconds=0.4, size=(180, 320)).read_bytes()
    for video in Video.objects.order_by("pk")[1::2]:
        video.file.storage.delete(video.file.name)
        with video.file.storage.open(video.file.name, "wb") as file:
            file.write(upright)
    person = Annotator(site, browser, viewport=viewport)
    person.begin(campaign)
    places, shapes = set(), set()
    for score in (10, 20, 30, 40):
        person.wait_for_caption()
        person.expect_video("ended")
        shapes.add(person.page.evaluate(f"{ACTIVE}.videoWidth > {ACTIVE}.videoHeight"))
        places.add(tuple(person.scale.evaluate(PLACE)))
        person.rate(score)
    assert shapes == {True, False}
    assert len(places) == 1, places
    if viewport is LAPTOP:
        wide = person.page.locator(".watching").bounding_box()
        assert wide["x"] + wide["width"] <= person.page.locator("#judgement").bounding_box()["x"]
        person.wait_for_caption()
        assert person.page.get_by_role("button", name="Next").is_visible()
        assert person.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    person.close()


def test_the_code_can_be_copied_and_is_there_when_the_link_is_reopened(annotator, campaign):
    annotator.context.grant_permissions(["clipboard-read", "clipboard-write"])
    annotator.tolerated.append("409")  # a link that has nothing more to rate
    annotator.open(campaign)
    address = annotator.page.url
    annotator.begin(campaign)
    for score in range(6):
        annotator.rate(10 * score)
    annotator.submit()
    page = annotator.page
    code = page.get_by_label("Completion code").input_value()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == code
    page.goto(address)
    expect(page.get_by_label("Completion code")).to_have_value(code)


def test_a_video_that_does_not_play_is_reported(annotator, campaign):
    annotator.begin(campaign)
    annotator.wait_for_caption()
    page = annotator.page
    page.get_by_text("Report a problem with this video").click()
    page.get_by_label("What is wrong?").select_option("no-sound")
    page.get_by_label("Remark").fill("silent")
    page.get_by_role("button", name="Send the report").click()
    expect(page.locator("#report-note")).not_to_be_empty()
    assert VideoProblem.objects.get().remark == "silent"
    typed(annotator, "5")
    page.get_by_role("button", name="Next").click()
    annotator.expect_progress("2 of 6")


@pytest.fixture
def mirrored(settings):
    """A language from right to left; nobody has translated it, so its words are English."""
    with override_settings(LANGUAGES=[*settings.LANGUAGES, ("ar", "Arabic")]):
        yield


def test_from_right_to_left_the_scale_is_mirrored_with_its_ends(mirrored, site, browser):
    campaign = clip_campaign(language="ar")
    person = Annotator(site, browser, viewport=PHONE)
    person.begin(campaign)
    person.wait_for_caption()
    page = person.page
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    low, high = (page.locator("#score-ends > span").nth(i).bounding_box() for i in (0, 1))
    assert high["x"] < low["x"]
    box = person.scale.bounding_box()
    person.scale.click(position={"x": 14, "y": box["height"] / 2})  # at the word "perfectly"
    expect(person.scale).to_have_value("100")
    page.keyboard.press("ArrowRight")
    expect(person.scale).to_have_value("99")
    person.picture("right-to-left")
    assert not violations(page)
    page.get_by_role("button", name="Next").click()
    person.expect_progress("2 of 6")
    person.expect_saved(1)
    assert Rating.objects.get().score == 99
    person.close()
