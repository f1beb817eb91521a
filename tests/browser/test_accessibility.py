"""axe-core finds nothing serious in any state of the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from hits.models import Campaign
from tests.browser.axe import is_installed, violations


@pytest.fixture
def inspect(annotator):
    if not is_installed():
        pytest.skip("axe-core is not installed")

    def run(state: str) -> None:
        assert not violations(annotator.page), state

    return run


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_state_of_the_page_has_a_serious_violation(annotator, campaign, inspect, scheme):
    page = annotator.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    Campaign.objects.update(asks_fluency=True, shows_number=True, consent="Do you agree?")
    annotator.open(campaign)
    inspect("enter")
    page.get_by_label("agree to take part").check()
    page.get_by_role("button", name="Agree and start").click()
    expect(page.get_by_role("heading", name="How to rate")).to_be_visible()
    inspect("instructions")
    page.get_by_role("button", name="Try one").click()
    page.locator("video:not([hidden])").evaluate(
        "video => video.pause()"
    )  # or it is watched while axe looks
    inspect("locked")
    page.locator("video:not([hidden])").evaluate("video => video.play()")
    annotator.wait_for_caption()
    page.get_by_role("button", name="Done").click()
    inspect("unlocked, with a message")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
    page.get_by_role("button", name="Done").click()
    inspect("practised")
    page.get_by_role("button", name="Start rating").click()
    for _ in range(6):
        annotator.wait_for_caption()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All 6 captions are rated")).to_be_visible()
    inspect("finish")
    annotator.submit()
    inspect("done")


def test_what_changes_is_announced(annotator, campaign):
    annotator.begin(campaign)
    announcer = annotator.page.locator("#announcer")
    annotator.wait_for_caption()
    expect(announcer).to_have_text(f"Caption: {annotator.page.locator('#caption').inner_text()}")
    expect(annotator.page.locator("#saved")).to_have_role("status")
    expect(annotator.scale).to_have_accessible_description("From not at all to perfectly")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_keys_reach_the_scale_as_soon_as_it_is_there(annotator, campaign, motion):
    """A scale that becomes visible by a transition cannot be focused at its first moment."""
    annotator.page.emulate_media(reduced_motion=motion)
    annotator.begin(campaign)
    annotator.wait_for_caption()
    expect(annotator.scale).to_be_focused()
    annotator.page.keyboard.press("ArrowRight")
    expect(annotator.scale).to_have_value("51")
