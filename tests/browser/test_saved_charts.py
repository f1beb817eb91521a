"""Charts are saved as they are seen, as SVG and as PNG, without anybody else's server."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from analysis.models import Export
from daplatform.jobs.services import job_run
from tests.analysis.pages.conftest import compute, rated_campaign


@pytest.fixture
def rated(transactional_db, settings, tmp_path, organiser):
    settings.DATA_DIR = tmp_path / "data"
    campaign = rated_campaign(organiser, tmp_path)
    compute(campaign)
    return campaign


@pytest.fixture
def page(site, browser, organiser):
    client = Client()
    client.force_login(organiser, backend="django.contrib.auth.backends.ModelBackend")
    session = client.cookies[django_settings.SESSION_COOKIE_NAME]
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.add_cookies([{"name": session.key, "value": session.value, "url": site.url}])
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert said == []


def saved(page, button, folder: Path) -> Path:
    with page.expect_download() as waiting:
        button.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def size(png: Path) -> tuple[int, int]:
    content = png.read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    return struct.unpack(">II", content[16:24])


def test_every_chart_of_the_ranking_is_saved(page, site, rated, tmp_path):
    page.goto(site.url + reverse("analysis:ranking", args=[rated.slug]))
    charts = page.locator("[data-chart]")
    expect(page.get_by_role("button", name="Save this chart as SVG")).to_have_count(charts.count())
    forest = page.locator("[data-chart=ranking-spec]").locator("..")
    svg = saved(page, forest.get_by_role("button", name="Save this chart as SVG"), tmp_path)
    assert svg.name == "ranking.svg"
    text = svg.read_text()
    assert text.startswith("<svg")
    for system in ("human-b", "system-5", "system-0", "Mean z score"):
        assert system in text
    png = saved(page, forest.get_by_role("button", name="Save this chart as PNG"), tmp_path)
    assert png.name == "ranking.png"
    assert size(png)[0] >= 1_000


def test_the_matrix_is_saved_with_p_adjusted_as_on_the_page(page, site, rated, tmp_path):
    page.goto(site.url + reverse("analysis:ranking", args=[rated.slug]) + "?adjust=holm")
    matrix = page.locator("section", has=page.locator("#significance-title"))
    png = saved(page, matrix.get_by_role("button", name="PNG"), tmp_path)
    assert png.name == "significance-holm.png"
    assert size(png)[0] == 1_440
    svg = saved(page, matrix.get_by_role("link", name="SVG"), tmp_path)
    assert 'fill="var(--one)" stroke="var(--paper)"' in svg.read_text()  # a win


def test_a_long_list_is_made_while_the_page_waits(page, site, rated, settings, tmp_path):
    settings.EXPORT_ROWS_AT_ONCE = 100
    page.goto(site.url + reverse("analysis:caption-list", args=[rated.slug]))
    page.get_by_role("link", name="CSV", exact=True).click()
    expect(page.locator("h1")).to_have_text("Your files")
    expect(page.get_by_role("progressbar")).to_be_visible()
    job_run(Export.objects.get())  # as a worker does
    link = page.get_by_role("link", name=f"{rated.slug}-caption-list.csv")
    assert saved(page, link, tmp_path).read_text().count("\n") == 141
