"""Every state of the page on the screens people have: nothing sticks out, nothing is cut off."""

from __future__ import annotations

import os
import re

import pytest
from playwright.sync_api import expect

from hits.models import Caption
from tests.annotations.person import invite, link
from tests.browser.annotator import Annotator

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "desktop-dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": PHONE | {"color_scheme": "dark"},
    "phone-sideways": PHONE | {"viewport": {"width": 740, "height": 360}},
}
LONG = (
    "A tall man wearing a yellow raincoat and dark rubber boots slowly pushes an old red bicycle "
    "with two heavy bags of oranges past a row of small shops while three children laugh, wave and "
    "run after a little brown dog that barks."
)
ARABIC = "كلب بني يركض على الشاطئ بينما يمر قارب شراعي أحمر خلفه."


@pytest.fixture
def wordy(campaign):
    """The first two captions of the HIT: forty words, and a language from right to left."""
    hit = campaign.batches.get().hits.get()
    for position, text in enumerate([LONG, ARABIC]):
        Caption.objects.filter(items=hit.items.get(position=position)).update(text=text)
    campaign.asks_fluency = campaign.shows_number = True
    campaign.consent = "Ratings are kept under a pseudonym.\n\n" + "You may stop any time. " * 40
    campaign.instructions = "Please use headphones."
    campaign.save()
    return campaign


# All of them for those who want to look at pictures, else those that differ most.
ALL = list(SCREENS)
TESTED = ALL if os.environ.get("SCREENSHOTS") else ["desktop-dark", "phone", "phone-sideways"]


@pytest.fixture
def person(request, site, browser):
    person = Annotator(site, browser, **SCREENS[request.param])
    person.screen = request.param
    yield person
    person.close()


def look(person: Annotator, name: str) -> None:
    """Take a picture, and see that nothing is wider than the screen."""
    person.picture(f"{person.screen}-{name}")
    wide = person.page.evaluate(
        """[...document.querySelectorAll("body *")].filter(
            (e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1
                && !e.closest(".visually-hidden")
        ).map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert not wide


@pytest.mark.parametrize("person", TESTED, indirect=True)
def test_nothing_sticks_out_on_any_screen(person, wordy):
    page = person.page
    person.open(wordy)
    look(person, "1-enter")
    page.get_by_label("agree to take part").check()
    page.get_by_role("button", name="Agree and start").click()
    expect(page.get_by_role("heading", name="How to rate")).to_be_visible()
    look(person, "2-instructions")
    page.get_by_role("button", name="Try one").click()
    look(person, "3-practice-locked")
    person.wait_for_caption()
    person.touch_scale(40)
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("slider", name="How well is the caption written")).to_be_focused()
    look(person, "4-missing")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Done").click()
    look(person, "5-practised")
    page.get_by_role("button", name="Start rating").click()
    person.wait_for_caption()
    look(person, "6-long-caption-untouched")
    person.touch_scale(80)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    look(person, "7-long-caption")
    page.get_by_role("button", name="Next").click()
    person.wait_for_caption()
    expect(page.locator("#caption")).to_have_css("direction", "rtl")
    look(person, "8-right-to-left")
    person.site.stop()
    person.touch_scale(80)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#saved")).to_have_text(re.compile("Offline"))
    look(person, "9-offline")
    person.site.start()
    expect(page.locator("#saved")).to_have_text("Saved")


@pytest.mark.parametrize("person", ALL if TESTED == ALL else ["phone"], indirect=True)
def test_refusals_and_the_end_look_finished_too(person, campaign):
    page = person.page
    person.tolerated.append("409")
    person.begin(campaign)
    second = person.new_page()
    second.goto(page.url)
    expect(second.get_by_role("heading", name="Open in another tab")).to_be_visible()
    person.page = second
    look(person, "a-other-tab")
    second.close()
    person.page = page
    for score in range(6):
        person.rate(10 * score)
    expect(page.get_by_role("heading", name="All 6 captions are rated")).to_be_visible()
    look(person, "b-finish")
    person.submit()
    look(person, "c-done")
    page.goto(person.site.url + link(invite(campaign, "Ben")))
    look(person, "d-nothing-left")
