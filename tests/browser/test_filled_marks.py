"""Marks filled in beforehand, in a real browser: seen, kept, changed, taken away."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Rating
from hits.models import Caption
from hits.services.filling import marks_fill
from tests.browser.axe import violations
from tests.browser.test_error_spans import begin, made
from tests.browser.test_marking import words
from tests.browser.test_whole_videos import (  # noqa: F401 - someone is a fixture
    DESKTOP,
    PHONE,
    go_on,
    someone,
)

NOTE = "Some words are marked already."


def filled(control):
    campaign = made("esa", questions={"filling": {"control": control}})
    places = Caption.objects.values_list("video__name", "system__name")
    marks = [(0, 1, "minor"), (2, 9, "major")]
    marks_fill(
        campaign=campaign,
        marks={
            (video, system): [(start, len(f"A {system}"), label) if start else (0, end, label)
                              for start, end, label in marks]
            for video, system in places
        },
    )  # fmt: skip
    return campaign


@pytest.mark.parametrize("options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_marks_that_stand_there_are_kept_changed_and_taken_away(site, someone, options):  # noqa: F811
    campaign, annotator = filled(control=0), someone(**options)
    page, width = annotator.page, options["viewport"]["width"]
    begin(annotator, campaign, name=str(width))
    found = words(annotator)
    expect(page.get_by_text(NOTE)).to_be_visible()
    expect(found.nth(0)).to_have_attribute("title", "minor")
    expect(found.nth(1)).to_have_attribute("title", "major")
    annotator.picture(f"filled-{width}")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.evaluate("scrollTo(0, 0)")
    assert violations(page) == []
    found.nth(0).click()  # minor is chosen: taken away
    found.nth(2).click()
    page.locator("#entry input[type=range]").press("7")
    go_on(annotator)
    annotator.expect_saved(1)
    assert [label for *_, label in Rating.objects.get().answers["marks"]] == ["major", "minor"]
    page.get_by_role("button", name="Back").click()
    expect(found.nth(0)).to_have_attribute("aria-pressed", "false")


def test_the_control_group_finds_none(site, someone):  # noqa: F811
    campaign, annotator = filled(control=1), someone(**DESKTOP)
    begin(annotator, campaign, name="Anna")
    expect(words(annotator).first).to_have_attribute("aria-pressed", "false")
    expect(annotator.page.get_by_text(NOTE)).to_be_hidden()
