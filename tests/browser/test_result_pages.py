"""Pages of results in a browser: nothing serious for axe-core, nothing wider than the screen."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse

from tests.analysis.pages.conftest import compute, harm, make_export, rated_campaign
from tests.browser.axe import violations

# Selects of forms that leave them less than the whole line.
SQUEEZED = """[...document.querySelectorAll(":is(.filters, .fields) > .field > select")]
    .filter((each) => each.offsetWidth < each.closest(".filters, .fields").clientWidth - 2)
    .map((each) => each.name)"""

OPEN = 'document.querySelectorAll(".filters-box").forEach((box) => { box.open = true; })'


@pytest.fixture
def results(transactional_db, settings, tmp_path, organiser):
    """A rated campaign whose names and captions are out to do harm."""
    settings.DATA_DIR = tmp_path / "data"
    campaign = rated_campaign(organiser, tmp_path)
    harm(campaign)
    compute(campaign)
    make_export(campaign, organiser)
    return campaign


def addresses(campaign) -> list[str]:
    person = campaign.turns.first().annotator.pseudonym
    hit, video = campaign.batches.get().hits.first(), campaign.videos.first()
    return [
        reverse(f"analysis:{name}", args=[campaign.slug, *rest])
        for name, rest in (
            ("annotator-list", []),
            ("annotator-detail", [person]),
            ("hit-detail", [hit.pk]),
            ("caption-list", []),
            ("video-scores", [video.pk]),
            ("ranking", []),
            ("pair", []),
            ("comparison", []),
            ("export-list", []),
        )
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "dark")])
def test_pages_of_results_are_sound(site, browser, results, organiser, width, scheme):
    client = Client()
    client.force_login(organiser, backend="django.contrib.auth.backends.ModelBackend")
    session = client.cookies[django_settings.SESSION_COOKIE_NAME]
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.add_cookies([{"name": session.key, "value": session.value, "url": site.url}])
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append("a dialog"))
    for address in addresses(results):
        page.goto(f"{site.url}{address}")
        for chart in page.locator("[data-chart]").all():
            chart.locator("svg").wait_for(state="attached")
        found = violations(page)
        assert not found, (address, found)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        if width <= 480:
            page.evaluate(OPEN)
            assert not page.evaluate(SQUEEZED), address
        assert not said, (address, said)
    context.close()
