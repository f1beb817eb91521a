"""Captions with their scores: found, sorted, downloaded, and beside their video."""

from __future__ import annotations

import csv
import io
import shutil

import pytest
from django.urls import reverse

from analysis.models import MetricRun, MetricScore
from analysis.selectors.results import result_folder
from hits.models import Caption
from tests.analysis.pages.conftest import HARM, compute
from tests.factories import make_campaign
from tests.pages import body, markup, shown

pytestmark = pytest.mark.django_db


def column(page, name: str) -> list:
    return [row[name] for row in page.context["rows"]]


def test_captions_are_listed_best_first_with_the_numbers_of_the_result(page_of, ready, campaign):
    page = page_of("caption-list", campaign)
    assert page.context["page"].paginator.count == 140
    assert column(page, "z") == sorted(column(page, "z"), reverse=True)
    assert column(page, "system")[0] == "human-b"
    address = page.context["result"]
    stored = csv.DictReader(
        io.StringIO(
            b"".join(
                page_of("result-file", campaign, address.pk, "captions.csv").streaming_content
            ).decode()
        )
    )
    scores = {(row["system"], row["item"]): float(row["z"]) for row in stored}
    for row in page.context["rows"]:
        assert scores[row["system"], row["item"]] == row["z"]


def test_each_row_has_its_own_words_and_video(page_of, ready, campaign):
    for row in page_of("caption-list", campaign).context["rows"]:
        caption = Caption.objects.select_related("video", "system").get(pk=row["caption"])
        assert (caption.text, caption.video_id) == (row["text"], row["video"])
        assert (caption.system.name, caption.video.name) == (row["system"], row["item"])


def test_of_a_corrected_caption_the_last_words_are_shown(page_of, campaign):
    old = Caption.objects.get(video__name="v003", system__name="system-2")
    Caption.objects.filter(pk=old.pk).update(retired_at="2026-01-01T00:00:00Z")
    Caption.objects.create(video=old.video, system=old.system, text="Corrected words.")
    compute(campaign)
    page = page_of("caption-list", campaign, q="v003", system="system-2")
    assert column(page, "text") == ["Corrected words."]


def test_captions_are_sorted_with_what_is_not_defined_last(page_of, ready, campaign):
    for sort in ("z", "-raw", "raw", "n", "-n", "-disagreement", "disagreement"):
        values = column(page_of("caption-list", campaign, sort=sort), sort.removeprefix("-"))
        defined = [value for value in values if value is not None]
        assert defined == sorted(defined, reverse=sort.startswith("-")), sort
        assert values[: len(defined)] == defined, sort


def test_captions_are_found_by_words_video_and_system(page_of, ready, campaign):
    for query, count in (
        ({"q": "THING NUMBER 7 "}, 6),
        ({"q": "v007"}, 7),
        ({"system": "system-3"}, 20),
        ({"q": "v007", "system": "system-3"}, 1),
        ({"q": "(no such"}, 0),
    ):
        page = page_of("caption-list", campaign, **query)
        assert page.context["page"].paginator.count == count, query
        assert ("No scored caption matches these filters" in shown(page)) is (count == 0)


def test_the_list_is_paged(page_of, ready, campaign):
    first, last = (page_of("caption-list", campaign, page=number) for number in (1, 3))
    assert (len(column(first, "z")), len(column(last, "z"))) == (50, 40)
    assert min(column(first, "z")) >= max(column(last, "z"))


def test_addresses_that_make_no_sense_are_refused(page_of, ready, campaign):
    for query in ({"sort": "text"}, {"system": "nobody"}, {"alpha": "2"}):
        assert page_of("caption-list", campaign, **query).status_code == 400, query


def test_the_list_is_downloaded_with_its_filters(page_of, ready, campaign):
    query = {"q": "v007", "sort": "n"}
    shown = column(page_of("caption-list", campaign, **query), "system")
    content = body(page_of("download", campaign, "captions", "csv", **query)).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["system"] for row in rows] == shown
    assert list(rows[0]) == ["text", "system", "item", "raw", "z", "n", "disagreement"]


def test_the_list_takes_few_queries_however_long(
    page_of, ready, campaign, django_assert_max_num_queries
):
    with django_assert_max_num_queries(13):
        assert page_of("caption-list", campaign).status_code == 200


def test_a_result_whose_files_are_lost_says_so(page_of, ready, campaign):
    shutil.rmtree(result_folder(ready))
    page = page_of("caption-list", campaign)
    assert "The files of this result are missing" in shown(page)
    assert page_of("download", campaign, "captions", "csv").status_code == 404
    assert "human-b" in shown(page_of("ranking", campaign))


def test_a_video_plays_beside_its_captions_the_best_first(page_of, ready, campaign):
    video = campaign.videos.get(name="v004")
    page = page_of("video-scores", campaign, video.pk)
    found = [(each.caption.system.name, each.score) for each in page.context["captions"]]
    assert [name for name, _ in found][:2] == ["human-b", "system-5"]
    assert found[-1] == ("human-a", None)
    scores = [score["z"] for _, score in found if score]
    assert scores == sorted(scores, reverse=True)
    assert "<video" in markup(page)
    assert "media-src 'self' https://videos.example" in page["Content-Security-Policy"]


def test_metric_scores_come_from_the_last_run_of_each_metric(page_of, ready, campaign, organiser):
    video = campaign.videos.get(name="v004")
    caption = video.captions.get(system__name="system-5")
    for metrics, value in ((["bleu4", "cider"], 0.25), (["cider"], 0.75)):
        run = MetricRun.objects.create(
            campaign=campaign,
            metrics=metrics,
            choices={},
            last_caption=caption.pk,
            status=MetricRun.Status.DONE,
        )
        for metric in metrics:
            MetricScore.objects.create(run=run, caption=caption, metric=metric, value=value)
    page = page_of("video-scores", campaign, video.pk)
    values = {each.caption.pk: each.metrics for each in page.context["captions"]}
    shown = dict(zip(page.context["metrics"], values.pop(caption.pk), strict=True))
    assert shown == {"bleu4": 0.25, "cider": 0.75}
    assert all(others == [None, None] for others in values.values())


def test_a_video_takes_few_queries(page_of, ready, campaign, django_assert_max_num_queries):
    video = campaign.videos.get(name="v004")
    with django_assert_max_num_queries(18):
        page_of("video-scores", campaign, video.pk)


def test_before_any_rating_a_video_has_its_captions(page_of, organiser):
    campaign = make_campaign(owner=organiser)
    page = page_of("video-scores", campaign, campaign.videos.first().pk)
    assert [each.score for each in page.context["captions"]] == [None] * 4
    assert "No ratings yet" in shown(page)


def test_strangers_are_refused(ready, campaign, client_of, stranger, client):
    addresses = [
        reverse("analysis:caption-list", args=[campaign.slug]),
        reverse("analysis:download", args=[campaign.slug, "captions", "csv"]),
        reverse("analysis:video-scores", args=[campaign.slug, campaign.videos.first().pk]),
    ]
    for address in addresses:
        assert client_of(stranger).get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_harmful_words_do_no_harm(page_of, harmful):
    for page in (
        page_of("caption-list", harmful),
        page_of("video-scores", harmful, harmful.videos.first().pk),
    ):
        content = markup(page)
        assert "&lt;script&gt;alert(1)" in content
        assert "<script>alert" not in content
    content = body(page_of("download", harmful, "captions", "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert all(row["system"].startswith(f"'={HARM[:8]}") for row in rows)
