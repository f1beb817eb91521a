"""A light page: what it weighs, how soon it can be used, and that it asks nobody else."""

from __future__ import annotations

import gzip
import time
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.annotator import Annotator

MAX_BYTES = 60_000
MAX_SECONDS = 1.0
# On a machine that is busy with other things even an empty page takes long, and this much longer
# the limit is then. On a free one an empty page takes some 20 ms, and the limit is a second.
EMPTY_PAGES = 15
COMPRESSIBLE = ("text/", "javascript", "svg", "json")


def weight(response) -> int:
    """What it takes on the wire, as the production server compresses it."""
    body = response.body()
    kind = response.headers.get("content-type", "")
    compressible = any(word in kind for word in COMPRESSIBLE)
    return len(gzip.compress(body)) if compressible else len(body)


def test_the_page_without_video_weighs_less_than_60_kb(annotator, site, browser, campaign):
    annotator.start(campaign)
    stranger = Annotator(site, browser)  # with nothing in their browser's cache
    received = {}
    stranger.page.on("response", lambda response: received.setdefault(response.url, response))
    stranger.page.goto(annotator.page.url, wait_until="networkidle")
    parts = {
        url: weight(response)
        for url, response in received.items()
        if response.ok and not response.headers.get("content-type", "").startswith("video/")
    }
    assert sum(url.endswith(".js") for url in parts) >= 7
    assert sum(url.endswith(".css") for url in parts) == 6
    assert sum(parts.values()) < MAX_BYTES, parts
    stranger.close()


def test_the_first_caption_is_usable_within_a_second(annotator, campaign):
    campaign.must_watch = False
    campaign.save()
    annotator.begin(campaign)
    annotator.rate(10)
    annotator.expect_progress("2 of 6")
    address, empty = annotator.page.url, annotator.site.url + "/static/favicon.svg"
    limit = MAX_SECONDS
    times = []
    for _ in range(5):
        begun = time.monotonic()
        annotator.page.goto(empty)
        limit = max(limit, EMPTY_PAGES * (time.monotonic() - begun))
        begun = time.monotonic()
        annotator.page.goto(address, wait_until="commit")
        expect(annotator.page.locator("#caption")).to_be_visible()
        annotator.touch_scale(50)
        expect(annotator.scale).to_have_attribute("aria-valuetext", "50 of 100")
        times.append(time.monotonic() - begun)
    assert min(times) < limit, times


def test_no_other_site_is_ever_asked_for_anything(annotator, site, campaign):
    annotator.begin(campaign)
    for score in range(6):
        annotator.rate(score)
    annotator.submit()
    hosts = {urlsplit(url).netloc for url in annotator.requests}
    assert hosts == {f"127.0.0.1:{site.port}"}
    assert annotator.context.cookies() == []
