"""Consistency in a real browser: pages of captions, by finger and by keys, offline in between."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Assignment, Rating
from hits.services.composing import batch_compose
from tests.browser.annotator import Annotator
from tests.browser.axe import violations
from tests.browser.material import clip_campaign

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def campaign(site):
    """One HIT of three videos with three captions each, and a stranger on one page."""
    made = clip_campaign(
        compose=True,
        videos=3,
        systems=2,
        protocol="consistency",
        hit_size=10,
        pairs=1,
        repeats=0,
        assignments=3,
    )
    batch_compose(campaign=made)
    return made


@pytest.fixture
def someone(site, browser):
    made = []

    def open_browser(**options):
        made.append(Annotator(site, browser, **options))
        return made[-1]

    yield open_browser
    for annotator in made:
        annotator.close()


def begin(annotator, campaign, name="Anna"):
    annotator.start(campaign, name)
    annotator.picture(f"whole-video-instructions-{name}")
    annotator.page.get_by_role("button", name="Try one").click()
    choose(annotator, [3, 5, 1])
    annotator.picture(f"whole-video-practice-{name}")
    annotator.page.get_by_role("button", name="Done").click()
    annotator.page.get_by_role("button", name="Start rating").click()


def entries(annotator):
    return annotator.page.locator(".entry:visible")


def choose(annotator, levels):
    """Choose a level for each caption on the page, in order."""
    expect(entries(annotator)).to_have_count(len(levels))
    for entry, level in zip(entries(annotator).all(), levels, strict=True):
        label = entry.locator("label").nth(level - 1)
        label.tap() if annotator.tap else label.click()


def page_size(annotator):
    annotator.wait_for_caption()
    return entries(annotator).count()


def go_on(annotator):
    annotator.page.get_by_role("button", name="Next").click()


def latest():
    rows = Rating.objects.order_by("position", "revision").values_list("position", "score")
    return dict(rows)


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_hit_is_rated_page_by_page_and_nothing_is_wider_than_the_screen(
    someone, campaign, options
):
    annotator = someone(**options)
    annotator.tap = "has_touch" in options
    begin(annotator, campaign, name=str(options["viewport"]["width"]))
    given = []
    for page in range(3):
        levels = [1 + (page + i) % 5 for i in range(page_size(annotator))]
        choose(annotator, levels)
        wide = annotator.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
        if page == 0:
            annotator.picture(f"whole-video-{options['viewport']['width']}")
            assert violations(annotator.page) == []
        go_on(annotator)
        given += levels
    annotator.submit()
    assert latest() == dict(enumerate(given))
    assert Rating.objects.count() == 10
    assert not Rating.objects.filter(client_watched_ms=0).exists()
    assert Assignment.objects.filter(state="submitted").count() == 1


def test_keys_rate_move_between_captions_and_go_on(someone, campaign):
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    size, press = page_size(annotator), annotator.page.keyboard.press
    expect(annotator.page.locator("input[type=radio]").first).to_be_focused()
    press("4")
    press("ArrowDown")
    press("2")
    press("ArrowRight")
    for _ in range(size - 2):
        press("ArrowDown")
        press("ArrowLeft")
    press("Enter")
    annotator.expect_saved(size)
    assert latest() == {0: 4, 1: 3} | dict.fromkeys(range(2, size), 5)


def test_a_caption_without_a_level_is_asked_for(someone, campaign):
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    size = page_size(annotator)
    entries(annotator).first.locator("label").nth(2).click()
    go_on(annotator)
    expect(annotator.page.locator("#missing")).to_have_text(
        "Rate every caption of this video first."
    )
    assert not Rating.objects.exists()
    choose(annotator, [3] * size)
    go_on(annotator)
    annotator.expect_saved(size)


def test_a_page_rated_offline_is_saved_once_and_a_change_is_a_revision(someone, site, campaign):
    annotator = someone(**DESKTOP)
    begin(annotator, campaign)
    first = page_size(annotator)
    choose(annotator, [2] * first)
    site.stop()
    go_on(annotator)
    expect(annotator.page.locator("#saved")).to_have_text("Offline: your work is kept here")
    site.start()
    annotator.expect_saved(first)
    annotator.page.reload()
    annotator.play()
    annotator.wait_for_caption()
    annotator.page.get_by_role("button", name="Back").click()
    expect(entries(annotator).first.locator("input").nth(1)).to_be_checked()
    entries(annotator).first.locator("label").nth(4).click()
    go_on(annotator)
    annotator.expect_saved(first + 1)
    assert latest() == {0: 5} | dict.fromkeys(range(1, first), 2)
