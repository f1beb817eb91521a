"""Clips of a long video in a real browser: only their seconds are played, counted and measured."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Rating
from hits.models import Clip, Video
from tests.browser.material import clip_campaign
from tests.browser.test_watching import ACTIVE
from tests.browser.test_whole_videos import (  # noqa: F401 - someone is a fixture
    DESKTOP,
    PHONE,
    someone,
)

WHOLE = 30.0
START, END = 10.0, 11.0


@pytest.fixture
def campaign(site):
    made = clip_campaign(seconds=WHOLE)
    for video in made.videos.all():
        Clip.objects.create(video=video, whole="long", start=START, end=END)
    Video.objects.filter(campaign=made).update(duration=END - START)
    return made


def at(annotator):
    return annotator.page.evaluate(f"{ACTIVE}.currentTime")


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_only_the_seconds_of_the_clip_are_played(site, someone, campaign, options):  # noqa: F811
    annotator = someone(**options)
    annotator.begin(campaign)
    annotator.wait_for_caption()  # long before thirty seconds
    annotator.expect_video("ended")
    assert END - 0.1 <= at(annotator) <= END + 0.5
    assert int(annotator.page.locator("#seek").input_value()) > 900
    annotator.page.get_by_role("button", name="Watch again").click()
    annotator.expect_video("playing")
    assert START <= at(annotator) < END
    annotator.expect_video("ended")
    annotator.page.locator("#seek").evaluate(
        "bar => { bar.value = 500; bar.dispatchEvent(new Event('input')); }"
    )
    annotator.page.wait_for_function(
        f"() => Math.abs({ACTIVE}.currentTime - {(START + END) / 2}) < 0.2"
    )
    annotator.picture(f"clip-{options['viewport']['width']}")
    annotator.rate(70)
    annotator.expect_saved(1)
    rating = Rating.objects.get()
    assert 1500 <= rating.client_watched_ms <= 6000  # twice a second, and no thirty
    assert not rating.is_unwatched


def test_jumping_to_the_end_of_a_clip_shows_no_caption(site, someone, campaign):  # noqa: F811
    annotator = someone(**DESKTOP)
    Clip.objects.update(end=START + 15)
    Video.objects.filter(campaign=campaign).update(duration=15)
    annotator.begin(campaign)
    annotator.expect_video("playing")
    annotator.page.evaluate(f"{ACTIVE}.currentTime = {START + 14.8}")
    annotator.expect_video("ended")
    expect(annotator.page.locator("#caption")).to_be_hidden()
    expect(annotator.page.locator("#watch-first")).to_contain_text("You skipped a part")
