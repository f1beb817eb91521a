"""Somebody who has logged in: a browser whose every stop must be sound."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations

# Both widths and both schemes, each once: what a width breaks, it breaks in either scheme.
SCREENS = [(1440, "light"), (360, "dark")]


class Member:
    """One browser context at one width, and everything that went wrong in it."""

    def __init__(self, site: Any, browser: Browser, width: int, scheme: str) -> None:
        self.site, self.width, self.scheme = site, width, scheme
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(message.text)

    def close(self) -> None:
        self.context.close()
        assert not self.faults, self.faults

    def come_in(self, user: User) -> None:
        """As somebody who has logged in before."""
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        self.context.add_cookies(
            [{"name": cookie.key, "value": cookie.value, "url": self.site.url}]
        )

    def tab(self, name: str) -> None:
        self.page.get_by_role("navigation", name="Campaign").get_by_role(
            "link", name=name, exact=True
        ).click()

    def filters(self) -> None:
        """On a phone they wait behind one line; elsewhere they are there."""
        line = self.page.locator(".filters-box > summary")
        if line.is_visible():
            line.click()
        expect(self.page.locator(".filters")).to_be_visible()

    def stop(self, heading: str) -> None:
        """Here the heading says where one is, nothing sticks out, and axe-core has no complaint."""
        expect(self.page.get_by_role("heading", name=heading).first).to_be_visible()
        for chart in self.page.locator("[data-chart]").all():
            chart.locator("svg").wait_for(state="attached")
        if folder := os.environ.get("SCREENSHOTS"):
            name = f"{heading}-{self.width}-{self.scheme}".replace(" ", "-").replace("/", "-")
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)
        # A page that is still being laid out may be wider for a moment; one that stays so fails.
        self.page.wait_for_function(
            "width => document.documentElement.scrollWidth <= width", arg=self.width
        )
        found = violations(self.page)
        assert not found, (heading, found)
