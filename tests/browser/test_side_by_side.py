"""Captions of a video side by side in a real browser: columns where there is room, or a stack."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Rating
from hits.services.composing import batch_compose
from tests.browser.axe import violations
from tests.browser.material import clip_campaign
from tests.browser.test_whole_videos import DESKTOP, PHONE, someone  # noqa: F401 - a fixture

SIZES = {"compose": True, "videos": 2, "hit_size": 7, "pairs": 1, "repeats": 0}

PLACES = """entries => entries.map((entry) => {
    const box = entry.getBoundingClientRect();
    return [Math.round(box.x), Math.round(box.y)];
})"""


def touch(entry, value):
    line = entry.locator(".scale input[type=range]")
    box = line.bounding_box()
    line.click(position={"x": 14 + (box["width"] - 28) * value / 100, "y": box["height"] / 2})


def rate_page(annotator, next_name="Next"):
    expect(annotator.page.locator("#judgement")).to_have_attribute("data-locked", "false")
    entries = annotator.page.locator(".entry:visible").all()
    for number, entry in enumerate(entries):
        touch(entry, 20 + 10 * number)
    annotator.page.get_by_role("button", name=next_name).click()
    return len(entries)


@pytest.mark.parametrize("protocol", ["direct", "esa"])
@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_captions_stand_in_columns_where_there_is_room(someone, site, options, protocol):  # noqa: F811
    campaign = clip_campaign(protocol=protocol, questions={"together": True}, **SIZES)
    batch_compose(campaign=campaign)
    annotator, width = someone(**options), options["viewport"]["width"]
    page = annotator.page
    annotator.start(campaign)
    page.get_by_role("button", name="Try one").click()
    expect(page.locator("#judgement")).to_have_attribute("data-locked", "false")
    places = page.locator(".entry:visible").evaluate_all(PLACES)  # all at once: pages scroll
    lefts, tops = (set(side) for side in zip(*places, strict=True))
    assert (len(tops), len(lefts)) == ((3, 1) if width == 360 else (1, 3))
    annotator.picture(f"side-by-side-{protocol}-{width}")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert rate_page(annotator, "Done") == 3
    page.get_by_role("button", name="Start rating").click()
    shown = rate_page(annotator)
    expect(page.locator("#saved")).to_have_text("Saved")
    expect(page.locator("#judgement")).to_have_attribute("data-locked", "false")
    shown += rate_page(annotator)
    assert shown == 7
    annotator.submit()
    scores = Rating.objects.order_by("position").values_list("score", flat=True)
    assert [round(score, -1) for score in scores] in ([20, 30, 40, 50, 20, 30, 40],
                                                      [20, 30, 40, 20, 30, 40, 50])  # fmt: skip
