"""Why this score, in a browser: it waits for a worker, and shows the frame one chooses."""

from __future__ import annotations

from hashlib import sha256

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from analysis.metrics.encoding.models import ModelRef
from analysis.services import explanations, metric_context
from analysis.services.explanations import explanation_make
from analysis.services.metric_runs import metric_run_request
from analysis.tasks import metric_run_explain_task
from daplatform.jobs.services import job_finish
from hits.models import Caption
from tests.analysis.metrics.pretend import PretendEncoders
from tests.browser.axe import violations
from tests.browser.member import Member

HARM = "<script>alert(1)</script>"


@pytest.fixture
def run(campaign, settings, tmp_path, monkeypatch, woken):
    """A scored campaign; nobody listens to the queue."""
    settings.METRIC_STORE, settings.METRIC_DEVICE = tmp_path / "store", "cpu"
    settings.DATA_DIR = tmp_path / "data"
    for cache in (
        metric_context.device,
        metric_context._job,
        metric_context._context,
        explanations._context,
    ):
        cache.cache_clear()
    encoders = PretendEncoders()
    model_ref = ModelRef("pretend", (), lambda device: encoders)
    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", lambda choice: model_ref)
    monkeypatch.setattr(metric_run_explain_task, "delay_on_commit", lambda run, caption: None)
    for video in campaign.videos.all():
        with video.file.open() as file:
            video.sha256 = sha256(file.read()).hexdigest()
        video.save()
    Caption.objects.filter(system__name="system-0").update(text=f"A {HARM} dog " + "x" * 300)
    run = metric_run_request(campaign=campaign, metrics=["emscore"])
    job_finish(run)
    return run


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "dark")])
def test_the_page_waits_then_shows_words_and_frames(site, browser, campaign, run, width, scheme):
    caption = Caption.objects.filter(system__name="system-0", system__campaign=campaign).first()
    member = Member(site, browser, width, scheme)
    member.come_in(campaign.owner)
    page = member.page
    page.on("dialog", lambda dialog: member.faults.append("a dialog"))
    page.goto(site.url + reverse("analysis:video-scores", args=[campaign.slug, caption.video_id]))
    page.get_by_role("link", name="Why this score for system-0").click()
    expect(page.get_by_role("heading", name="The explanation is being prepared")).to_be_visible()
    explanation_make(run=run.pk, caption=caption.pk)
    expect(page.get_by_role("heading", name="Each word and its frame")).to_be_visible()
    frames = page.get_by_role("button", name="in the video")
    frames.last.scroll_into_view_if_needed()
    expect(frames.last.locator("img")).not_to_have_js_property("naturalWidth", 0)
    expect(page.get_by_role("cell", name="best frame of the word").first).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not violations(page)
    frames.last.click()
    expect(page.locator("video")).not_to_have_js_property("currentTime", 0)
    member.close()
