"""Metrics against people in a browser: nothing serious for axe-core, nothing wider than it."""

from __future__ import annotations

import re

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse

from analysis.services import evaluations
from tests.analysis.evaluations.conftest import compute, score
from tests.analysis.pages.conftest import harm, rated_campaign
from tests.browser.axe import violations


@pytest.fixture
def scored(transactional_db, settings, tmp_path, organiser, monkeypatch):
    """A rated and scored campaign whose names and captions are out to do harm."""
    settings.DATA_DIR = tmp_path / "data"
    monkeypatch.setattr(evaluations, "affordable_placebos", lambda values: 0)
    campaign = rated_campaign(organiser, tmp_path)
    harm(campaign)
    score(campaign, cider=2.0, bleu4=30.0)
    compute(campaign)
    return campaign


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "dark")])
def test_the_page_is_sound_and_a_mark_leads_to_its_video(
    site, browser, scored, organiser, width, scheme
):
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
    page.goto(site.url + reverse("analysis:evaluation", args=[scored.slug]))
    marks = page.locator("[data-chart=points-spec] svg .mark-symbol.role-mark path")
    marks.first.wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not violations(page)
    marks.last.click()
    page.wait_for_url(re.compile(r"/videos/\d+/scores/#system-\d+$"))
    context.close()
    assert not said
