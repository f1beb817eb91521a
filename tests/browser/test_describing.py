"""Describing in a real browser: on a phone and at a desk, offline in between."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Assignment, Rating
from hits.services.composing import batch_compose
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.test_whole_videos import DESKTOP, PHONE, someone  # noqa: F401 - a fixture
from tests.factories import to_describe


@pytest.fixture
def campaign(site):
    made = to_describe(clip_campaign(compose=True, videos=2, systems=1))
    batch_compose(campaign=made)
    return made


def begin(annotator, campaign, name="Anna"):
    annotator.open(campaign, name)
    annotator.page.get_by_role("button", name="Start").click()
    expect(annotator.page.get_by_role("heading", name="How to describe")).to_be_visible()
    annotator.picture(f"describe-instructions-{name}")
    annotator.page.get_by_role("button", name="Try one").click()
    write(annotator, "A brown dog runs along a beach.")
    annotator.page.get_by_role("button", name="Done").click()
    annotator.page.get_by_role("button", name="Start writing").click()


def area(annotator):
    return annotator.page.get_by_role("textbox", name="Describe the video in one sentence.")


def write(annotator, text):
    expect(area(annotator)).to_be_enabled()
    area(annotator).fill(text)


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_hit_is_written_and_nothing_is_wider_than_the_screen(someone, campaign, options):  # noqa: F811
    annotator = someone(**options)
    width = options["viewport"]["width"]
    begin(annotator, campaign, name=str(width))
    write(annotator, "A grey square rests in the middle.")
    annotator.page.get_by_label("Who or what is there?").check()
    annotator.picture(f"describe-{width}")
    assert annotator.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert violations(annotator.page) == []
    annotator.page.get_by_role("button", name="Next").click()
    write(annotator, "Another square\nrests  there.")
    annotator.page.get_by_role("button", name="Next").click()
    annotator.submit()
    said = [rating.answers["caption"] for rating in Rating.objects.order_by("position")]
    assert said == [
        {"text": "A grey square rests in the middle.", "ticks": ["who"]},
        {"text": "Another square rests there.", "ticks": []},
    ]
    assert Assignment.objects.filter(state="submitted").count() == 1


def test_enter_goes_on_an_empty_page_is_asked_for_and_offline_loses_nothing(
    someone,  # noqa: F811
    site,
    campaign,
):
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    expect(area(annotator)).to_be_enabled()
    annotator.page.get_by_role("button", name="Next").click()
    expect(annotator.page.locator("#missing")).to_have_text("Write a sentence first.")
    site.stop()
    write(annotator, "A square rests alone.")
    area(annotator).press("Enter")
    expect(annotator.page.locator("#saved")).to_have_text("Offline: your work is kept here")
    site.start()
    annotator.expect_saved(1)
    write(annotator, "A second square.")
    annotator.page.get_by_role("button", name="Back").click()
    expect(area(annotator)).to_have_value("A square rests alone.")
    write(annotator, "A square rests alone at night.")
    area(annotator).press("Enter")
    annotator.expect_saved(2)
    assert Rating.objects.filter(position=0).count() == 2


def test_what_is_typed_survives_a_reload_before_it_is_sent(someone, campaign):  # noqa: F811
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    write(annotator, "A grey square rests in the middle.")
    annotator.page.get_by_role("button", name="Next").click()
    annotator.expect_progress("2 of 2")
    write(annotator, "Another square rests there.")
    annotator.page.get_by_label("Who or what is there?").check()
    annotator.page.reload()
    annotator.play()
    expect(area(annotator)).to_be_enabled()
    expect(area(annotator)).to_have_value("Another square rests there.")
    expect(annotator.page.get_by_label("Who or what is there?")).to_be_checked()
    annotator.page.get_by_role("button", name="Next").click()
    annotator.submit()
    last = Rating.objects.order_by("position").last()
    assert last.answers["caption"] == {"text": "Another square rests there.", "ticks": ["who"]}
    assert annotator.page.evaluate("Object.keys(localStorage)") == []


def test_a_hint_is_ticked_with_the_space_bar(someone, campaign):  # noqa: F811
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    write(annotator, "A grey square rests in the middle.")
    annotator.page.keyboard.press("Tab")
    annotator.page.keyboard.press("Space")
    expect(annotator.page.get_by_label("Who or what is there?")).to_be_checked()
