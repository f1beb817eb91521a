"""Factuality in a real browser: words by finger, by mouse and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Mark, Rating
from hits.services.composing import batch_compose
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.test_whole_videos import (  # noqa: F401 - someone is a fixture
    DESKTOP,
    PHONE,
    choose,
    entries,
    go_on,
    page_size,
    someone,
)

ASKED = "You marked words as wrong and chose the highest level."


@pytest.fixture
def campaign(site):
    made = clip_campaign(
        compose=True, videos=2, systems=1, protocol="factuality", hit_size=10, pairs=0, repeats=0
    )
    batch_compose(campaign=made)
    return made


def begin(annotator, campaign, name="Anna"):
    annotator.start(campaign, name)
    annotator.picture(f"factuality-instructions-{name}")
    annotator.page.get_by_role("button", name="Try one").click()
    words(annotator).nth(3).click()
    choose(annotator, [4, 5, 5])
    go_on_practice(annotator)
    annotator.page.get_by_role("button", name="Start rating").click()


def go_on_practice(annotator):
    annotator.page.get_by_role("button", name="Done").click()


def words(annotator, entry=0):
    return annotator.page.locator(".entry:visible").nth(entry).locator(".word")


def marked():
    return [rating.answers["marks"] for rating in Rating.objects.order_by("position", "revision")]


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_words_are_marked_contradictions_asked_about_and_work_is_checked(
    someone,  # noqa: F811
    campaign,
    options,
):
    annotator = someone(**options)
    annotator.tap = "has_touch" in options
    width = options["viewport"]["width"]
    begin(annotator, campaign, name=str(width))
    expect(words(annotator).first).to_be_visible()
    second = words(annotator).nth(1)
    second.tap() if annotator.tap else second.click()
    expect(second).to_have_attribute("aria-pressed", "true")
    choose(annotator, [5, 5])
    annotator.picture(f"factuality-{width}")
    assert annotator.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    annotator.page.evaluate("scrollTo(0, 0)")  # or the bar above lies over a button
    assert violations(annotator.page) == []
    go_on(annotator)
    expect(annotator.page.locator("#missing")).to_contain_text(ASKED)
    assert not Rating.objects.exists()
    choose(annotator, [3, 5])
    go_on(annotator)
    annotator.expect_saved(2)
    expect(words(annotator).first).to_be_visible()
    choose(annotator, [4, 5])
    go_on(annotator)
    expect(annotator.page.locator("#missing")).to_contain_text("marked nothing")
    go_on(annotator)  # it is meant
    annotator.page.get_by_role("button", name="Check from the first video").click()
    expect(words(annotator).nth(1)).to_have_attribute("aria-pressed", "true")
    go_on(annotator)
    go_on(annotator)
    annotator.submit()
    assert Rating.objects.count() == 4
    assert [len(marks) for marks in marked()] == [1, 0, 0, 0]
    assert Mark.objects.get().label == "wrong"


def test_a_drag_marks_all_between_and_keys_mark_too(someone, campaign):  # noqa: F811
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    expect(words(annotator).first).to_be_visible()
    mouse, boxes = annotator.page.mouse, [words(annotator).nth(n).bounding_box() for n in (1, 3)]
    mouse.move(*centre(boxes[0]))
    mouse.down()
    mouse.move(*centre(boxes[1]), steps=8)
    mouse.up()
    press = annotator.page.keyboard.press
    words(annotator, 1).first.focus()
    press("ArrowRight")
    press("Space")
    press("Shift+ArrowRight")
    choose(annotator, [3] * page_count(annotator))
    go_on(annotator)
    annotator.expect_saved(2)
    texts = [rating.item.text for rating in Rating.objects.order_by("position")]
    said = [
        [text[start:end] for start, end, _ in marks]
        for text, marks in zip(texts, marked(), strict=True)
    ]
    assert [len(phrases) for phrases in said] == [1, 1]
    assert [len(phrases[0].split()) for phrases in said] == [3, 2]


def page_count(annotator):
    return annotator.page.locator(".entry:visible").count()


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
