"""A campaign's own tutorial in a real browser: wrong, told why, tried again, passed, skipped."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Rating, TutorialPass
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.test_whole_videos import DESKTOP, PHONE, someone  # noqa: F401 - a fixture
from tests.factories import make_hit

LESSONS = [
    {
        "video": "clip01",
        "caption": "A dog sleeps.",
        "expect": {"score": [0, 40]},
        "feedback": "The dog runs, so the caption gets the most important thing wrong.",
    },
    {"caption": "A dog runs.", "expect": {"score": [60, 100]}, "feedback": "All of it is right."},
]


@pytest.fixture
def campaign(site):
    made = clip_campaign(questions={"tutorial": LESSONS})
    make_hit(made)
    return made


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_it_is_tried_until_it_fits_and_skipped_the_next_time(someone, site, campaign, options):  # noqa: F811
    annotator = someone(**options)
    annotator.tap = "has_touch" in options
    page, width = annotator.page, options["viewport"]["width"]
    annotator.start(campaign)
    expect(page.get_by_role("button", name="Start rating")).to_have_count(0)
    page.get_by_role("button", name="Start the tutorial").click()
    annotator.rate(80, next_name="Check")
    told = page.locator(".feedback:visible")
    expect(told).to_contain_text("Not quite. The dog runs")
    annotator.picture(f"tutorial-wrong-{width}")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    annotator.rate(20, next_name="Check")
    expect(told).to_contain_text("Right. The dog runs")
    annotator.picture(f"tutorial-right-{width}")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#caption")).to_have_text("A dog runs.")
    expect(told).to_have_count(0)
    annotator.rate(90, next_name="Check")
    expect(told).to_contain_text("Right. All of it is right.")
    annotator.touch_scale(10)  # another answer is looked at anew
    page.get_by_role("button", name="Check").click()
    expect(told).to_contain_text("Not quite.")
    assert not TutorialPass.objects.filter(passed_at=None).exists()
    annotator.rate(90, next_name="Check")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("You have done the tutorial.")).to_be_visible()
    assert TutorialPass.objects.count() == 1
    page.get_by_role("button", name="Start rating").click()
    annotator.rate(50)
    annotator.expect_saved(1)
    page.reload()
    annotator.play()
    annotator.rate(50)
    annotator.expect_saved(2)
    assert Rating.objects.filter(position__lt=0).count() == 0
    for _ in range(4):
        annotator.rate(50)
    annotator.submit()
    annotator.start(campaign)
    expect(page.get_by_role("button", name="Start rating")).to_be_visible()


def test_without_a_connection_answers_wait_for_the_next_try(someone, site, campaign):  # noqa: F811
    annotator = someone(**DESKTOP)
    annotator.start(campaign)
    annotator.page.get_by_role("button", name="Start the tutorial").click()
    annotator.wait_for_caption()
    site.stop()
    annotator.rate(20, next_name="Check")
    expect(annotator.page.locator("#missing")).to_contain_text("No connection")
    site.start()
    annotator.page.get_by_role("button", name="Check").click()
    expect(annotator.page.locator(".feedback:visible")).to_contain_text("Right.")
