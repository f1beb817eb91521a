"""An analyst's whole way: is one system better than another, how sure is that, which captions
decide it, what do they look like, where do metrics go wrong; and the numbers to take along."""

from __future__ import annotations

import csv
import re

import pytest
from playwright.sync_api import expect

from analysis.services import evaluations
from hits.models import Campaign
from tests.analysis.evaluations.conftest import compute as compute_evaluation
from tests.analysis.evaluations.conftest import score
from tests.analysis.pages.conftest import compute, rated_campaign
from tests.browser.material import clip_bytes
from tests.browser.member import SCREENS, Member
from tests.factories import make_user

LISTED = 20


@pytest.fixture
def campaign(transactional_db, settings, tmp_path, organiser, monkeypatch, woken):
    """Rated, analysed, scored and held against people, as workers leave it."""
    settings.DATA_DIR = tmp_path / "data"
    monkeypatch.setattr(evaluations, "affordable_placebos", lambda values: 0)
    campaign = rated_campaign(organiser, tmp_path)
    campaign.state = Campaign.State.LIVE
    campaign.save()
    compute(campaign)
    score(campaign, cider=2.0, bleu4=30.0)
    compute_evaluation(campaign)
    return campaign


@pytest.fixture(params=SCREENS, ids=lambda screen: f"{screen[0]}-{screen[1]}")
def analyst(request, site, browser, campaign):
    """Somebody with whom the campaign is shared."""
    user = make_user("analysts")
    campaign.colleagues.add(user)
    person = Member(site, browser, *request.param)
    person.come_in(user)
    clip = clip_bytes(1, 0.4)
    person.context.route(
        "https://videos.example/**",
        lambda route: route.fulfill(body=clip, content_type="video/mp4"),
    )
    yield person
    person.close()


def to_the_ranking(analyst: Member, campaign) -> None:
    page = analyst.page
    page.goto(analyst.site.url)
    page.get_by_role("link", name=campaign.name).click()
    analyst.stop("Current ranking")
    analyst.tab("Ranking")
    expect(page.locator("#ranking-lede")).to_contain_text("human-b leads")
    analyst.stop("Pairwise comparison of systems")


def to_a_pair(analyst: Member) -> None:
    """The answer to the question, from the ranking in one step."""
    page = analyst.page
    page.get_by_role("link", name="system-5 is significantly better than system-0").click()
    expect(page.locator(".page-head")).to_contain_text("system-5 is significantly better than")
    expect(page.get_by_text("If they were equally good, system-5 would come out")).to_be_visible()
    analyst.stop("How certain is it?")


def to_a_video(analyst: Member) -> None:
    """From the captions that decide to the video, which plays."""
    page = analyst.page
    page.locator(".pair a").first.click()
    analyst.stop("Captions")
    video = page.locator("video")
    video.evaluate("video => video.play()")
    expect(video).to_have_js_property("ended", True)


def to_an_odd_caption(analyst: Member) -> None:
    page = analyst.page
    analyst.tab("Metrics against people")
    picture = page.get_by_role("region", name="Outliers")
    picture.get_by_label("Captions by").select_option("bleu4")
    picture.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("bleu4"))
    analyst.stop("Outliers")
    page.locator("[data-chart=points-spec] svg .mark-symbol.role-mark path").last.click()
    page.wait_for_url(re.compile(r"/videos/\d+/scores/"))
    expect(page.get_by_role("columnheader", name="bleu4")).to_be_attached()


def take_along(analyst: Member, campaign) -> None:
    """The captions that are listed, with the list's filters."""
    page = analyst.page
    analyst.tab("Captions")
    analyst.filters()
    page.get_by_label("System").select_option("system-5")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("system-5"))
    analyst.stop("Captions")
    expect(page.locator("tbody tr")).to_have_count(LISTED)
    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").click()
    with started.value.path().open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert started.value.suggested_filename.startswith(campaign.slug)
    assert len(rows) == LISTED
    assert {row["system"] for row in rows} == {"system-5"}


def test_from_the_ranking_to_a_file(analyst, campaign):
    to_the_ranking(analyst, campaign)
    to_a_pair(analyst)
    to_a_video(analyst)
    to_an_odd_caption(analyst)
    take_along(analyst, campaign)
