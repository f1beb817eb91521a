"""The list of annotators and the page of one of them: from what is stored, under pseudonyms."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import asdict

import pytest
from django.urls import reverse

from analysis.models import Result
from analysis.selectors.results import result_summary
from annotations.models import Annotator, Rating
from tests.analysis.pages.conftest import HARM, compute
from tests.factories import make_annotator, make_rating, make_ratings
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db


def names(page) -> list[str]:
    return [row["annotator"] for row in page.context["rows"]]


def test_annotators_are_listed_with_the_numbers_of_the_result(page_of, ready, campaign):
    rows = {row["annotator"]: row for row in page_of("annotator-list", campaign).context["rows"]}
    stored = {
        row.annotator: asdict(row) for row in result_summary(ready).numbers["annotators"].annotators
    }
    assert set(rows) == set(stored)
    for name, row in rows.items():
        same = stored[name]
        assert (row["ratings"], row["pairs"]) == (same["ratings"], same["pairs"])
        assert row["p"] == (None if math.isnan(same["p"]) else same["p"])
        assert (row["hits"], row["seconds"]) == (1, pytest.approx(8.0))


def test_who_always_says_the_same_fails_and_is_flagged_with_a_reason(page_of, ready, campaign):
    page = page_of("annotator-list", campaign, show="constant")
    (row,) = page.context["rows"]
    assert row["status"] == "failed"
    assert ("constant", "More than eight equal scores in a row") in row["flags"]
    assert "More than eight equal scores in a row" in shown(page)


def test_the_list_is_filtered(page_of, ready, campaign):
    campaign.turns.filter(pk=campaign.turns.first().pk).update(comment="The sound was off.")
    counts = {"": 5, "passed": 4, "failed": 1, "insufficient": 0, "flagged": 5, "commented": 1}
    for show, count in counts.items():
        page = page_of("annotator-list", campaign, show=show)
        assert len(names(page)) == count, show
        assert ("No matching annotators" in shown(page)) is (count == 0)


def test_the_list_is_sorted_either_way_and_says_so(page_of, ready, campaign):
    falling = page_of("annotator-list", campaign, sort="-annotator")
    assert names(falling) == sorted(names(falling), reverse=True)
    assert 'aria-sort="descending"' in markup(falling)
    assert names(page_of("annotator-list", campaign)) == names(falling)[::-1]


def test_a_pseudonym_is_found(page_of, ready, campaign):
    wanted = names(page_of("annotator-list", campaign))[2]
    assert names(page_of("annotator-list", campaign, q=wanted.upper())) == [wanted]


def test_addresses_that_make_no_sense_are_refused(page_of, ready, campaign):
    for query in ({"sort": "secret"}, {"show": "x"}, {"test": "tea-leaves"}):
        assert page_of("annotator-list", campaign, **query).status_code == 400, query


def test_the_choices_of_the_analysis_are_carried_along(page_of, campaign):
    compute(campaign, test="wilcoxon")
    content = markup(page_of("annotator-list", campaign, test="wilcoxon"))
    assert '<input type="hidden" name="test" value="wilcoxon">' in content
    assert "/?test=wilcoxon" in content


def test_the_list_takes_few_queries_however_long(
    page_of, ready, campaign, django_assert_max_num_queries
):
    # Two of them say whose work is used by a person's word, and whom a marketplace confirmed.
    with django_assert_max_num_queries(15):
        assert page_of("annotator-list", campaign).status_code == 200


def test_without_a_result_the_page_says_that_one_is_made(page_of, campaign, woken):
    page = page_of("annotator-list", campaign)
    assert "The result is being computed" in shown(page)
    assert woken == [("results", Result.objects.get().pk)]


def test_a_newer_result_is_offered_not_forced(page_of, ready, campaign, client_of, organiser):
    make_ratings(campaign.batches.get().hits.first(), make_annotator(), [40] * 100)
    assert "a newer result is being computed" in shown(page_of("annotator-list", campaign))
    compute(campaign)
    address = reverse("analysis:annotator-list", args=[campaign.slug])
    asked = client_of(organiser).get(address, {"seen": ready.pk}, headers={"HX-Request": "true"})
    assert "A newer result is ready" in shown(asked)


def test_the_first_result_shows_itself(campaign, client_of, organiser):
    compute(campaign)
    address = reverse("analysis:annotator-list", args=[campaign.slug])
    asked = client_of(organiser).get(address, headers={"HX-Request": "true"})
    assert asked["HX-Refresh"] == "true"


def test_the_list_is_downloaded_with_its_filters(page_of, ready, campaign):
    shown = names(page_of("annotator-list", campaign, show="passed", sort="-annotator"))
    query = {"show": "passed", "sort": "-annotator"}
    content = body(page_of("download", campaign, "annotators", "csv", **query)).decode()
    assert [row["annotator"] for row in csv.DictReader(io.StringIO(content))] == shown
    found = json.loads(body(page_of("download", campaign, "annotators", "json", **query)))
    assert [row["annotator"] for row in found["rows"]] == shown
    assert found["signature"] == ready.signature


def test_a_downloaded_comment_runs_nowhere(page_of, ready, campaign):
    campaign.turns.filter(pk=campaign.turns.first().pk).update(comment="=1+1")
    content = body(page_of("download", campaign, "annotators", "csv")).decode()
    comments = {row["comments"] for row in csv.DictReader(io.StringIO(content))}
    assert comments == {"", "'=1+1"}


@pytest.fixture
def person(campaign) -> Annotator:
    return Annotator.objects.filter(assignments__campaign=campaign).earliest("pk")


def test_one_annotator_is_shown_with_every_pair_and_both_texts(page_of, ready, campaign, person):
    page = page_of("annotator-detail", campaign, person.pseudonym)
    rows = page.context["pairs"]
    assert len(rows) == page.context["row"]["pairs"] == 10
    ratings = Rating.objects.filter(annotator=person)
    for row in rows:
        degraded = ratings.get(item=row.item)
        assert row.pair.degraded.score == degraded.score
        assert row.pair.original.score == ratings.get(item=degraded.original).score
        assert f"{row.before}{row.replaced}{row.after}" == row.item.text
    assert "as it should be" in shown(page)


def test_the_charts_hold_every_rating(page_of, ready, campaign, person):
    page = page_of("annotator-detail", campaign, person.pseudonym)
    assert len(page.context["pairs_chart"].rows) == 10
    assert len(page.context["timeline_chart"].rows) == 100
    assert sum(row["count"] for row in page.context["scores_chart"].rows) == 100


def test_a_change_of_mind_counts_and_what_came_after_the_result_does_not(page_of, campaign, person):
    first = person.ratings.order_by("position").first()
    make_rating(first.assignment, first.item, 99, revision=2)
    compute(campaign)
    make_rating(first.assignment, first.item, 1, revision=3)
    page = page_of("annotator-detail", campaign, person.pseudonym)
    scores = [row["score"] for row in page.context["timeline_chart"].rows]
    assert (len(scores), 99 in scores, 1 in scores) == (100, True, False)


def test_one_annotator_takes_a_fixed_number_of_queries(
    page_of, ready, campaign, person, django_assert_max_num_queries
):
    # As for the list; one more says why this person's work is used.
    with django_assert_max_num_queries(19):
        page_of("annotator-detail", campaign, person.pseudonym)


def test_people_of_other_campaigns_are_not_found(page_of, ready, campaign):
    other = make_annotator()
    assert page_of("annotator-detail", campaign, other.pseudonym).status_code == 404


def test_strangers_are_refused(ready, campaign, person, client_of, stranger, client):
    addresses = [
        reverse("analysis:annotator-list", args=[campaign.slug]),
        reverse("analysis:annotator-detail", args=[campaign.slug, person.pseudonym]),
        reverse("analysis:download", args=[campaign.slug, "annotators", "csv"]),
    ]
    for address in addresses:
        assert client_of(stranger).get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_harmful_words_do_no_harm(page_of, harmful):
    person = harmful.turns.first().annotator
    for page in (
        page_of("annotator-list", harmful),
        page_of("annotator-detail", harmful, person.pseudonym),
    ):
        content = markup(page)
        assert page.status_code == 200
        assert "&lt;script&gt;alert(1)" in content
        assert "<script>alert" not in content
    assert HARM in page_of("download", harmful, "annotators", "json").json()["rows"][0]["comments"]
