"""Every text full of markup, in a browser: no script runs, and none is even tried."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings

from tests.access.conftest import anna, campaign, kind, things
from tests.access.test_stored_markup import addresses, hostile

__all__ = ["anna", "campaign", "hostile", "kind", "things"]

WATCH = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.sourceFile}`));"""
INJECT = "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')"


@pytest.fixture
def member(client_of, organiser):
    return client_of(organiser)


@pytest.fixture
def page(site, browser, member):
    """The organiser's browser, and what it complained of."""
    session = member.cookies[django_settings.SESSION_COOKIE_NAME]
    context = browser.new_context()
    context.add_init_script(WATCH)
    context.add_cookies([{"name": session.key, "value": session.value, "url": site.url}])
    opened = context.new_page()
    opened.complaints = []
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.on("dialog", lambda dialog: opened.complaints.append("a dialog"))
    opened.on("console", lambda said: note(opened.complaints, said.text))
    yield opened
    context.close()


def note(complaints: list[str], text: str) -> None:
    if text.startswith("policy:") or "Content Security Policy" in text:
        complaints.append(text)


def is_shown(member, address: str) -> bool:
    """Whether an address is a page, not a file to keep."""
    answer = member.get(address)
    is_page = answer.get("Content-Type", "").startswith("text/html")
    return answer.status_code == 200 and is_page and "Content-Disposition" not in answer


def test_no_script_runs_on_any_page(site, page, hostile, member):
    shown = [address for address in addresses(hostile) if is_shown(member, address)]
    assert len(shown) > 20
    for address in shown:
        page.goto(f"{site.url}{address}")
        assert page.locator("xss-da").count() == 0, address
        assert page.complaints == [], address
    with page.expect_console_message(lambda said: "policy" in said.text.lower()):
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')"
        )
    assert page.complaints, "this would have been noticed on any of the pages"
