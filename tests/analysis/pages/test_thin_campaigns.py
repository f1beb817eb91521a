"""Campaigns with hardly anything in them: every page says what is missing and what to do next."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from analysis.models import MetricEvaluation, Result
from analysis.results.files import report_html
from analysis.selectors.results import result_summary
from daplatform.jobs.services import job_run
from hits.importing.reading import read_campaign
from hits.models import Caption
from hits.services.composing import batch_compose
from hits.services.importing import campaign_import
from tests.analysis.evaluations.conftest import score
from tests.analysis.pages.conftest import quality
from tests.factories import make_annotator, make_hit, make_ratings
from tests.folders import make_folder
from tests.pages import markup

# What each page says before anybody has rated, and the way on that it offers.
NO_RATINGS = {
    "ranking": ("No ratings yet", "crowds:crowd"),
    "pair": ("No ratings yet", "crowds:crowd"),
    "comparison": ("No ratings yet", "crowds:link-list"),
    "annotator-list": ("No ratings yet", "crowds:crowd"),
    "caption-list": ("No ratings yet", "crowds:crowd"),
    "metrics": ("Select metrics below and press Score", "analysis:metric-score"),
    "evaluation": ("No ratings yet", "crowds:link-list"),
}
SAME_SCORE = "Everybody whose ratings count always gave the same score"
NOBODY = "2 people have rated, but nobody’s ratings count: 2 failed quality control."


def alike(item) -> int:
    return 50


@pytest.fixture
def campaign(tmp_path, organiser, woken):
    folder = make_folder(tmp_path / "campaign", videos=20, systems=3)
    return campaign_import(reading=read_campaign(folder), owner=organiser)


def rate(campaign, how, *, people=1) -> None:
    """Every HIT by so many people of its own."""
    for hit in batch_compose(campaign=campaign).hits.order_by("number"):
        items = list(hit.items.select_related("caption__system").order_by("position"))
        for _ in range(people):
            make_ratings(hit, make_annotator(), [how(item) for item in items])


@pytest.fixture
def shown(campaign, organiser, client_of):
    """A page as it is once everything that it asked for is made."""

    def look(page: str, query: str = "") -> str:
        client = client_of(organiser)
        address = reverse(f"analysis:{page}", args=[campaign.slug]) + query
        client.get(address)
        for waiting in (*Result.objects.due(), *MetricEvaluation.objects.due()):
            job_run(waiting)
        response = client.get(address)
        assert response.status_code == 200
        return markup(response)

    return look


def empty_states(page: str) -> list[str]:
    return re.findall(r'<div class="empty">.*?</div>\s*</div>', page, re.S)


@pytest.mark.parametrize("page", NO_RATINGS)
def test_without_ratings_every_page_says_what_to_do(campaign, shown, page):
    batch_compose(campaign=campaign)
    sentence, way_on = NO_RATINGS[page]
    content = shown(page)
    main = content[content.rindex("</nav>") :]  # the tabs lead everywhere
    assert sentence in main
    assert reverse(way_on, args=[campaign.slug]) in main
    assert "data-chart=" not in main


@pytest.mark.parametrize("page", ["ranking", "pair", "caption-list"])
def test_where_too_little_is_rated_it_says_so_and_how_more_is(campaign, shown, page):
    make_ratings(make_hit(campaign), make_annotator(), [10, 20, 30, 90, 5, 11])
    [state] = empty_states(shown(page))
    assert "No system has ratings of two captions" in state
    assert reverse("crowds:crowd", args=[campaign.slug]) in state


@pytest.mark.parametrize("page", ["ranking", "pair", "caption-list"])
def test_where_nobody_passes_it_says_so_and_what_can_be_done(campaign, shown, page):
    rate(campaign, alike)
    [state] = empty_states(shown(page))
    assert NOBODY in state
    assert reverse("analysis:annotator-list", args=[campaign.slug]) in state
    assert 'href="?annotators=all"' in state
    assert reverse("crowds:crowd", args=[campaign.slug]) in state


def test_a_ranking_of_nobody_shows_no_axes_and_no_sentence_about_a_ranking(campaign, shown):
    rate(campaign, alike, people=2)
    page = shown("ranking")
    for nonsense in ("ranking-spec", "distributions-spec", "How far to trust it", "two people"):
        assert nonsense not in page
    assert "0 of 4 annotators passed. 4 failed." in page
    assert "they rated degraded captions reliably lower" not in page


def test_the_overview_of_a_ranking_of_nobody_says_what_is_missing(campaign, shown):
    rate(campaign, alike)
    shown("ranking")
    assert NOBODY in shown("overview")


def test_scores_that_are_all_alike_rank_nothing_even_if_everybody_counts(campaign, shown):
    rate(campaign, alike)
    page = shown("ranking", "?annotators=all")
    [state] = empty_states(page)
    assert SAME_SCORE in state
    assert "annotators=all" not in state


def test_metrics_against_nobody_say_who_is_missing_and_what_can_be_done(campaign, shown):
    rate(campaign, alike)
    score(campaign, bleu4=1.0)
    [state] = empty_states(shown("evaluation"))
    assert "annotators who passed quality control" in state
    assert 'href="?annotators=all"' in state


def test_captions_nobody_rated_twice_are_said_to_be_so(campaign, shown):
    batch = batch_compose(campaign=campaign)
    hit = batch.hits.order_by("number").first()
    items = list(hit.items.select_related("caption__system").order_by("position"))
    make_ratings(hit, make_annotator(), [quality(item) for item in items])
    page = shown("ranking")
    assert "No caption was rated by two people whose ratings count." in page
    assert "have more people rate each HIT" in page


def test_one_system_has_nothing_to_be_compared_with(campaign, shown):
    keep_one_system(campaign)
    rate(campaign, quality)
    page = shown("ranking")
    assert "system-0 is the only system" in page
    assert "No two systems have ratings that count" in page
    assert "Pairwise comparison of systems" not in page
    [state] = empty_states(shown("pair"))
    assert "Only one system has ratings that count." in state


def keep_one_system(campaign) -> None:
    others = campaign.systems.exclude(role="reference").exclude(name="system-0")
    Caption.objects.filter(system__in=others).delete()
    others.delete()
    campaign.hit_size, campaign.pairs, campaign.repeats, campaign.min_pairs = 20, 2, 2, 2
    campaign.save()


def test_two_campaigns_of_which_one_counts_nobody_have_nothing_in_common(
    campaign, shown, organiser, tmp_path
):
    rate(campaign, alike)
    folder = make_folder(tmp_path / "other", videos=20, systems=3, name="Another")
    other = campaign_import(reading=read_campaign(folder), owner=organiser)
    rate(other, quality)
    page = shown("comparison", f"?other={other.slug}")
    assert "No system of the same name has ratings that count in both campaigns." in page
    assert "Do they agree?" not in page


def test_the_report_of_nobody_says_nothing_about_a_ranking(campaign, shown):
    rate(campaign, alike)
    shown("ranking")
    report = report_html(result_summary(Result.objects.get()), title="Nobody")
    assert "none of them counts" in report
    assert NOBODY in report
    for heading in ("Which differences", "How far to trust it", "Scores given", ">Ranking<"):
        assert heading not in report
    assert "0.000000" not in report
