"""Images on the rating page: seen once they are there, and nothing to play."""

from __future__ import annotations

import io

from django.core.files.base import ContentFile
from PIL import Image
from playwright.sync_api import expect

from annotations.models import Rating
from tests.browser.material import clip_campaign


def to_image(video, number):
    out = io.BytesIO()
    Image.new("RGB", (320, 180), (40 * number % 256, 120, 90)).save(out, "PNG")
    video.codec, video.duration = "png", 0
    video.file.save(f"images/{video.pk}.png", ContentFile(out.getvalue()), save=True)


def test_a_caption_of_an_image_comes_as_soon_as_the_image_is_there(annotator):
    campaign = clip_campaign()
    for number, video in enumerate(campaign.videos.all()):
        to_image(video, number)
    annotator.begin(campaign)
    annotator.wait_for_caption()
    image = annotator.page.get_by_role("img", name="Image to look at")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.naturalWidth") == 320
    for control in ("#play", "#seek", "#mute"):
        expect(annotator.page.locator(control)).to_be_hidden()
    annotator.picture("image")
    annotator.page.keyboard.press("Space")  # nothing to play
    annotator.rate(70)
    annotator.expect_progress("2 of 6")
    annotator.wait_for_caption()
    annotator.expect_saved(1)
    assert Rating.objects.get().score == 70


def test_videos_and_images_take_turns(annotator):
    campaign = clip_campaign()
    for number, video in enumerate(campaign.videos.all()):
        if number % 2:
            to_image(video, number)
    annotator.begin(campaign)
    seen = set()
    for _ in range(5):
        annotator.wait_for_caption()
        image = annotator.page.locator(".screen img")
        seen.add(image.is_visible())
        assert annotator.page.locator("#play").is_visible() != image.is_visible()
        annotator.rate(50)
    assert seen == {True, False}


def test_an_image_that_does_not_load_is_tried_again(annotator):
    campaign = clip_campaign()
    for number, video in enumerate(campaign.videos.all()):
        to_image(video, number)
    answers = [b"", b"", b""]  # the first is fetched during practice

    def answer(route):
        if answers:
            return route.fulfill(body=answers.pop(), content_type="image/png")
        return route.continue_()

    annotator.context.route("**/rate/media/**", answer)
    annotator.begin(campaign)
    expect(annotator.page.get_by_text("does not load at the moment")).to_be_visible()
    assert annotator.page.locator("#watch-first").is_hidden()  # there is nothing to watch
    annotator.wait_for_caption()
    expect(annotator.page.get_by_text("does not load at the moment")).to_be_hidden()
