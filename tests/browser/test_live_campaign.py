"""A campaign's page in a browser: it follows the campaign by itself, on a phone and in the dark."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from analysis.models import Result
from analysis.results.pipeline import analyse as analyse_ratings
from analysis.results.pipeline import summarise
from analysis.results.settings import Settings
from analysis.services.requests import result_key
from annotations.services.assignments import batches_open
from benchmarks.crowd import simulate
from crowds.models import AuditEntry, OutboxMessage, Policy
from tests.browser.axe import violations
from tests.factories import make_annotator, make_rating

SCORES = [80, 40, 60, 90, 20, 78]


@pytest.fixture(autouse=True)
def no_queue(settings, tmp_path, woken):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def page(site, browser, campaign):
    """The owner's browser; it must not complain about anything."""
    batches_open(campaign=campaign)
    client = Client()
    client.force_login(campaign.owner, backend="django.contrib.auth.backends.ModelBackend")
    name = django_settings.SESSION_COOKIE_NAME
    context = browser.new_context(viewport={"width": 360, "height": 640})
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site.url}])
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not complaints


def inspect(page: Page) -> None:
    """At both widths, light and dark: nothing is too wide, and axe-core has nothing to say."""
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert not violations(page), (width, scheme)


def rate(campaign) -> None:
    """Somebody rates the whole HIT."""
    turn = campaign.turns.get(state="open")
    now = timezone.now()
    turn.annotator, turn.state = make_annotator(), "submitted"
    turn.claimed_at = turn.expires_at = turn.submitted_at = now
    turn.save()
    for item, score in zip(turn.hit.items.order_by("position"), SCORES, strict=True):
        make_rating(turn, item, score)


def analyse(campaign) -> None:
    """A result as a worker leaves it: the ratings of one HIT would not do for a real one."""
    found = analyse_ratings(simulate(clickers=0), Settings())
    Result.objects.create(
        campaign=campaign,
        choices={},
        choices_key=result_key(Settings(minimum_pairs=campaign.min_pairs)),
        last_rating=campaign.ratings.latest("pk").pk,
        status=Result.Status.DONE,
        signature="made for a test",
        finished_at=timezone.now(),
        summary=summarise(found).as_json(),
    )


def test_the_page_follows_the_campaign_by_itself(page, campaign, site):
    page.goto(site.url + campaign.get_absolute_url())
    expect(page.get_by_role("heading", name="Nothing rated yet")).to_be_visible()
    # Kept from asking while the test itself uses the database.
    page.route("**/overview/*", lambda route: route.fulfill(status=204))
    inspect(page)
    page.evaluate("window.notReloaded = true")
    Policy.objects.create(campaign=campaign, budget=Decimal("12"))
    OutboxMessage.objects.create(campaign=campaign, crowd="invite", kind="bonus", state="asking")
    AuditEntry.objects.create(campaign=campaign, person=campaign.owner, action="launched")
    rate(campaign)
    analyse(campaign)
    page.unroute("**/overview/*")

    expect(page.get_by_role("heading", name="Needs a decision")).to_be_visible()
    expect(page.get_by_role("heading", name="Current ranking")).to_be_visible()
    expect(page.get_by_text("all requested ratings are in", exact=True)).to_be_visible()
    expect(page.locator("[data-chart] svg")).to_be_visible()
    assert page.evaluate("window.notReloaded")
    inspect(page)
    page.get_by_role("link", name="Decide").click()
    expect(page.get_by_role("heading", name="Messages to the crowd")).to_be_visible()


def test_the_list_says_how_far_each_campaign_is(page, campaign, site):
    rate(campaign)
    page.goto(site.url + "/campaigns/")
    expect(page.get_by_text("1 of 1")).to_be_visible()
    inspect(page)
