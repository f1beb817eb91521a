"""Somebody in front of the rating page, with a mouse, a keyboard or a finger."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from annotations.models import Rating
from hits.models import Campaign
from tests.annotations.person import invite, link
from tests.browser.material import clip_bytes

PRESSES = 40


class Annotator:
    """One browser context, and everything that went wrong in it."""

    def __init__(self, site: Any, browser: Browser | BrowserContext, **options: Any) -> None:
        self.site = site
        self.tap = False
        own = isinstance(browser, BrowserContext)
        self.context = browser if own else browser.new_context(**options)
        self.context.set_default_timeout(120_000)
        # The practice clip takes four seconds; any video teaches these tests the same.
        short = clip_bytes(3, 0.3)
        self.context.route(
            "**/rating/practice*", lambda route: route.fulfill(body=short, content_type="video/mp4")
        )
        self.faults: list[str] = []
        self.tolerated = ["net::ERR_"]  # a server that is down is what some tests are about
        self.requests: list[str] = []
        self.page = self.new_page()

    def new_page(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._heard)
        page.on("request", lambda request: self.requests.append(request.url))
        return page

    def _heard(self, message: Any) -> None:
        if message.type == "error" and not any(word in message.text for word in self.tolerated):
            self.faults.append(message.text)

    def close(self) -> None:
        self.context.close()
        assert not self.faults, self.faults

    # Getting to the captions

    def open(self, campaign: Campaign, name: str = "Anna") -> None:
        self.page.goto(self.site.url + link(invite(campaign, name)))

    def start(self, campaign: Campaign, name: str = "Anna") -> None:
        """From the link to the instructions."""
        self.open(campaign, name)
        self.page.get_by_role("button", name="Start").click()
        expect(self.page.get_by_role("heading", name="How to rate")).to_be_visible()

    def begin(self, campaign: Campaign, name: str = "Anna") -> None:
        """From the link through practice to the first caption."""
        self.start(campaign, name)
        self.page.get_by_role("button", name="Try one").click()
        self.rate(40, next_name="Done")
        self.page.get_by_role("button", name="Start rating").click()

    def picture(self, name: str) -> None:
        """A picture for people to look at, where SCREENSHOTS names a folder for them."""
        if folder := os.environ.get("SCREENSHOTS"):
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)

    # Rating

    @property
    def scale(self) -> Any:
        return self.page.get_by_role("slider", name="How well does the caption describe")

    def wait_for_caption(self) -> None:
        expect(self.page.locator("#caption")).to_be_visible()

    def play(self) -> None:
        """Press play, unless the video starts by itself, which is for the browser to say."""
        control = self.page.locator("#play")
        expect(control).to_be_visible()
        for _ in range(PRESSES):
            if control.get_attribute("data-state") != "idle":
                break
            with contextlib.suppress(TimeoutError):  # it has started meanwhile
                self.page.get_by_role("button", name="Play the video").click(timeout=3000)

    def touch_scale(self, value: int) -> None:
        box = self.scale.bounding_box()
        x = 14 + (box["width"] - 28) * value / 100
        act = self.scale.tap if self.tap else self.scale.click
        act(position={"x": x, "y": box["height"] / 2})

    def rate(self, value: int, next_name: str = "Next") -> None:
        self.wait_for_caption()
        self.touch_scale(value)
        button = self.page.get_by_role("button", name=next_name)
        button.tap() if self.tap else button.click()

    def expect_video(self, state: str) -> None:
        """Idle, playing or ended, as the button under the video says."""
        expect(self.page.locator("#play")).to_have_attribute("data-state", state)

    def expect_progress(self, text: str) -> None:
        expect(self.page.locator("#progress-text")).to_have_text(text)

    def expect_saved(self, count: int) -> None:
        expect(self.page.locator("#saved")).to_have_text("Saved")
        assert Rating.objects.count() == count

    def submit(self) -> None:
        self.page.get_by_role("button", name="Submit").click()
        expect(self.page.get_by_role("heading", name="Thank you!")).to_be_visible()
