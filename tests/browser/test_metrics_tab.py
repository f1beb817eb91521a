"""The metrics page in a browser: it follows a run by itself, and shows the table when it ends."""

from __future__ import annotations

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from analysis.models import MetricRun
from analysis.services import metric_context
from analysis.tasks import metric_worker_report_task
from daplatform.jobs.services import job_finish
from tests.browser.axe import violations


@pytest.fixture
def page(site, browser, campaign, settings, tmp_path, monkeypatch, woken):
    """The owner's browser, at the page; nobody listens to the queue."""
    settings.METRIC_STORE = tmp_path
    metric_context._job.cache_clear()
    monkeypatch.setattr(metric_worker_report_task, "delay_on_commit", lambda: None)
    client = Client()
    client.force_login(campaign.owner, backend="django.contrib.auth.backends.ModelBackend")
    name = django_settings.SESSION_COOKIE_NAME
    context = browser.new_context(viewport={"width": 360, "height": 640})
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site.url}])
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(site.url + reverse("analysis:metrics", args=[campaign.slug]))
    yield page
    context.close()
    assert not complaints


def inspect(page: Page) -> None:
    """Nothing is wider than a phone, and axe-core has nothing to say."""
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert not violations(page)


def test_metrics_are_ticked_watched_and_read(page):
    inspect(page)
    for box in page.get_by_role("checkbox").all():
        if box.get_attribute("value") not in ("bleu4", "rougel") and box.is_enabled():
            box.uncheck()
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_role("heading", name="Waiting for a worker")).to_be_visible()
    inspect(page)
    job_finish(MetricRun.objects.get())
    expect(page.get_by_role("rowheader", name="rougel")).to_be_visible()
    expect(page.get_by_role("rowheader")).to_have_count(2)
    inspect(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="scores.csv", exact=True).click()
    assert download.value.suggested_filename.endswith("scores.csv")
