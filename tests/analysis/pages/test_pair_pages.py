"""Ranking's matrix, two systems, two campaigns: is A better than B, and how sure are we?"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict

import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import pearsonr

from analysis.selectors.results import result_summary, result_systems
from hits.importing.reading import read_campaign
from hits.models import Caption
from hits.services.importing import campaign_import
from tests.analysis.pages.conftest import compute, rate
from tests.factories import make_campaign
from tests.folders import make_folder
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db


def test_the_matrix_can_be_read_aloud_and_leads_to_each_pair(page_of, ready, campaign):
    page = page_of("ranking", campaign)
    content = markup(page)
    assert "human-b is significantly better than system-0: p &lt; 0.001" in content
    assert "system-0 is not significantly better than human-b: p &gt; 0.999" in content
    links = re.findall(r'href="(/[^"]*/ranking/pair/[^"]*first=[^"]*)"', content)
    assert len(links) == 7 * 6
    system, tests = page.context["matrix"][0]
    assert (system, tests[0]) == ("human-b", None)
    assert all(test.better == "human-b" for test in tests[1:])


def test_wins_in_the_matrix_are_those_of_the_ranking(page_of, ready, campaign):
    matrix = page_of("ranking", campaign).context["matrix"]
    wins = {system: sum(test is not None and test.is_win for test in row) for system, row in matrix}
    assert wins == {row["system"]: row["wins"] for row in result_systems(ready)}


def test_adjusting_changes_the_matrix_and_not_the_result(page_of, ready, campaign):
    stored = {
        (pair.better, pair.worse): asdict(pair)
        for pair in result_summary(ready).numbers["significance"].pairs
    }
    for adjust, column in (("holm", "p_holm"), ("bh", "p_bh")):
        page = page_of("ranking", campaign, adjust=adjust)
        assert page.context["result"] == ready
        for _, tests in page.context["matrix"]:
            for test in filter(None, tests):
                assert test.p == stored[test.better, test.worse][column]


def test_two_systems_are_held_against_each_other(page_of, ready, campaign):
    page = page_of("pair", campaign, first="system-1", second="human-b")
    content = markup(page)
    assert "human-b is significantly better than system-1" in content
    assert "human-b on 20. On average system-1 lies" in content
    differences = [row["difference"] for row in page.context["rows"]]
    assert len(differences) == 20
    assert [abs(each) for each in differences] == sorted(map(abs, differences), reverse=True)


def test_how_sure_that_is_stands_there_in_plain_words(page_of, ready, campaign):
    for first, second in (("system-0", "human-b"), ("human-b", "system-0")):
        content = markup(page_of("pair", campaign, first=first, second=second))
        assert (
            "If they were equally good, human-b would come out this far ahead less than" in content
        )
    adjusted = page_of("pair", campaign, first="system-0", second="human-b", adjust="holm")
    assert "If they were equally good" not in shown(adjusted)  # no longer one pair's p


def test_the_captions_that_decide_are_those_of_the_result(page_of, ready, campaign):
    stored = b"".join(page_of("result-file", campaign, ready.pk, "captions.csv").streaming_content)
    z = {
        (row["system"], row["item"]): float(row["z"])
        for row in csv.DictReader(io.StringIO(stored.decode()))
    }
    page = page_of("pair", campaign, first="system-4", second="system-3")
    for row in page.context["rows"]:
        first, second = (z[system, row["item"]] for system in ("system-4", "system-3"))
        assert (row["z_first"], row["z_second"]) == (first, second)
        assert row["difference"] == pytest.approx(first - second)
        assert row["text_first"].startswith("System 4")
        assert row["text_second"].startswith("System 3")
        caption = Caption.objects.get(pk=row["caption_second"])
        assert (caption.text, caption.system.name) == (row["text_second"], "system-3")
        why = reverse("analysis:why", args=[campaign.slug, caption.pk])
        assert f'href="{why}"' in markup(page)


def test_videos_are_ordered_by_who_is_ahead(page_of, ready, campaign):
    for order, reverse_order in (("-difference", True), ("difference", False)):
        rows = page_of("pair", campaign, order=order).context["rows"]
        differences = [row["difference"] for row in rows]
        assert differences == sorted(differences, reverse=reverse_order)


def test_without_a_choice_the_best_two_are_compared(page_of, ready, campaign):
    page = page_of("pair", campaign)
    assert page.context["first"]["system"] == "human-b"
    assert page.context["second"]["system"] == "system-5"


def test_pairs_that_make_no_sense_are_refused(page_of, ready, campaign):
    for query in ({"first": "nobody"}, {"first": "system-1", "second": "system-1"}):
        assert page_of("pair", campaign, **query).status_code == 400, query


def test_a_pair_is_downloaded_in_the_order_shown(page_of, ready, campaign):
    query = {"first": "system-4", "second": "system-3"}
    shown = [row["item"] for row in page_of("pair", campaign, **query).context["rows"]]
    content = body(page_of("download", campaign, "pair", "csv", **query)).decode()
    assert [row["item"] for row in csv.DictReader(io.StringIO(content))] == shown


@pytest.fixture
def again(organiser, tmp_path, ready):
    """The same systems, rated by a second crowd."""
    folder = make_folder(tmp_path / "again", videos=20, systems=6, name="Second collection")
    (folder / "campaign.toml").write_text(
        (folder / "campaign.toml").read_text() + "\n[hits]\nseed = 11\n"
    )
    campaign = campaign_import(reading=read_campaign(folder), owner=organiser)
    rate(campaign)
    return compute(campaign).campaign


def test_two_campaigns_correlate_as_scipy_says(page_of, ready, campaign, again):
    page = page_of("comparison", campaign, other=again.slug)
    found = {(each["level"], each["score"]): each for each in page.context["found"].correlations}
    first = {row["system"]: row for row in result_systems(ready)}
    second = {row["system"]: row for row in result_systems(again.results.get())}
    for score in ("raw", "z"):
        columns = [[rows[name][score] for name in first] for rows in (first, second)]
        each = found["system", score]
        assert each["n"] == 7
        assert each["pearson"] == pytest.approx(pearsonr(*columns).statistic, abs=1e-12)
        assert each["low"] < each["pearson"] <= each["high"]
    assert found["caption", "z"]["n"] == 140
    z = found["system", "z"]
    assert f"r = {z['pearson']:.3f} [{z['low']:.3f}, {z['high']:.3f}]" in shown(page)


def test_the_page_says_which_differences_repeat_as_the_command_does(page_of, campaign, again):
    page = page_of("comparison", campaign, other=again.slug)
    said = io.StringIO()
    call_command("compare", campaign.slug, again.slug, stdout=said, stderr=io.StringIO())
    counted = next(line for line in said.getvalue().splitlines() if "pairs:" in line)
    assert "of 21 pairs" in counted
    assert counted in shown(page)
    assert "Which differences repeat" in shown(page)
    for name, rows in (("repeated", 21), ("correlations", 4)):
        content = body(page_of("download", campaign, name, "csv", other=again.slug)).decode()
        assert len(list(csv.DictReader(io.StringIO(content)))) == rows


def test_a_comparison_is_downloaded(page_of, campaign, again):
    content = body(page_of("download", campaign, "comparison", "csv", other=again.slug)).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert len(rows) == 7
    assert {"system", "z_first", "z_second", "raw_first", "raw_second"} <= set(rows[0])


def test_only_campaigns_of_ones_own_can_be_compared(page_of, ready, campaign):
    other = make_campaign()
    page = page_of("comparison", campaign)
    assert other.name not in markup(page)
    assert page_of("comparison", campaign, other=other.slug).status_code == 400


def test_a_campaign_without_ratings_says_so(page_of, ready, campaign, organiser):
    other = make_campaign(owner=organiser)
    page = page_of("comparison", campaign, other=other.slug)
    assert "Nobody has rated anything in" in shown(page)
    assert page_of("download", campaign, "comparison", "csv", other=other.slug).status_code == 404


def test_nothing_in_common_is_said_in_a_sentence(page_of, campaign, again):
    for system in again.systems.all():
        system.name += " again"
        system.save()
    again.results.all().delete()
    compute(again)
    page = page_of("comparison", campaign, other=again.slug)
    assert "No system in common" in shown(page)


def test_pages_take_few_queries(page_of, ready, campaign, again, django_assert_max_num_queries):
    # One of them for what the ranking shows, which pages that need none of it leave where it is.
    for name, most in (("ranking", 12), ("pair", 12), ("comparison", 13)):
        with django_assert_max_num_queries(most):
            assert page_of(name, campaign).status_code == 200
    with django_assert_max_num_queries(22):
        page_of("comparison", campaign, other=again.slug)


def test_strangers_are_refused(ready, campaign, client_of, stranger, client):
    for name, rest in (
        ("pair", []),
        ("download", ["pair", "csv"]),
        ("comparison", []),
        ("download", ["comparison", "csv"]),
    ):
        address = reverse(f"analysis:{name}", args=[campaign.slug, *rest])
        assert client_of(stranger).get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_harmful_names_do_no_harm(page_of, harmful):
    for name in ("ranking", "pair", "comparison"):
        content = markup(page_of(name, harmful))
        assert "&lt;script&gt;alert(1)" in content, name
        assert "<script>alert" not in content, name
    content = body(page_of("download", harmful, "pair", "csv")).decode()
    assert all(row["item"].startswith("'=") for row in csv.DictReader(io.StringIO(content)))
