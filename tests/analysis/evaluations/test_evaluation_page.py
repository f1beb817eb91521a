"""The page about metrics and people: shown without computing, for those who may see it."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from django.urls import reverse

from analysis.models import MetricChunk, MetricEvaluation, MetricRun
from analysis.selectors.evaluations import evaluation_folder, evaluation_makers
from daplatform.jobs.services import job_run
from tests.analysis.evaluations.conftest import compute, score
from tests.analysis.pages.conftest import HARM, grow_old, harm
from tests.factories import make_campaign
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db
LEDE = '<p class="lede">Of 2 metrics cider'
HTMX = {"HX-Request": "true"}


def test_the_answer_comes_first_with_the_numbers_of_the_files(page_of, ready, scored):
    page = page_of("evaluation", scored)
    content = markup(page)
    assert content.index(LEDE) < content.index("<table")
    stored = json.loads(evaluation_makers(ready)["correlations.json"]())
    rows = [row for row in stored["rows"] if (row["human"], row["level"]) == ("z", "caption")]
    listed = {row["metric"]: row for row in page.context["part"]["levels"]["captions"]}
    assert {row["metric"]: row["pearson"] for row in rows} == {
        name: row["pearson"] for name, row in listed.items()
    }


def test_which_metric_is_better_can_be_read_aloud(page_of, ready, scored):
    content = markup(page_of("evaluation", scored))
    assert "cider agrees significantly more with people than bleu4: p &lt; 0.001" in content
    assert "bleu4 does not agree significantly more with people than cider" in content


def test_the_best_metric_comes_first_in_every_table_and_is_explained(page_of, ready, scored):
    page = page_of("evaluation", scored)
    assert list(page.context["drift_headings"]) == ["condition", "n", "cider", "bleu4"]
    assert [name for name, _ in page.context["measured"]] == ["cider", "bleu4"]
    assert "<dt>cider</dt>" in markup(page)
    assert shown(page).count("Scroll the table") == 1  # systems × metrics; of two rows none is


def test_odd_captions_lead_to_their_videos(page_of, ready, scored):
    page = page_of("evaluation", scored, metric="bleu4")
    odd = page.context["odd"]
    distances = [row["distance"] for row in odd]
    assert distances == sorted(distances, reverse=True)
    assert odd
    for row in odd:
        address = reverse("analysis:video-scores", args=[scored.slug, row["video"]])
        assert f'href="{address}"' in markup(page)
        assert scored.videos.get(pk=row["video"]).name == row["item"]
    marks = page.context["spec"]["data"]["values"]
    assert sum(mark["fit"] == "odd caption" for mark in marks) == page.context["odd_count"]
    assert len(marks) == page.context["count"] == 140


def test_raw_scores_and_other_choices_can_be_shown(page_of, ready, scored):
    assert "(raw)" in page_of("evaluation", scored, human="raw").context["part"]["lede"]
    other = compute(scored, annotators="all", alpha=0.01)
    page = page_of("evaluation", scored, annotators="all", alpha="0.01")
    assert page.context["result"].pk == other.pk


def test_addresses_that_make_no_sense_are_refused(page_of, ready, scored):
    for query in ({"human": "x"}, {"metric": "rougel"}, {"alpha": "2"}, {"direction": "up"}):
        assert page_of("evaluation", scored, **query).status_code == 400, query


def test_the_first_visit_wakes_a_worker_and_looking_again_does_not(page_of, scored, woken):
    page = page_of("evaluation", scored)
    assert "Metrics are being compared with human scores" in shown(page)
    page_of("evaluation", scored, headers=HTMX, seen="")
    assert woken == [("evaluations", MetricEvaluation.objects.get().pk)]


def test_a_page_that_waits_shows_the_first_result_itself(page_of, ready, scored):
    assert page_of("evaluation", scored, headers=HTMX, seen="")["HX-Refresh"] == "true"
    told = markup(page_of("evaluation", scored, headers=HTMX, seen=ready.pk))
    assert "A newer result is ready" in told


def test_new_scores_leave_the_last_result_in_sight(page_of, ready, scored, woken):
    score(scored, rougel=5.0)
    content = markup(page_of("evaluation", scored))
    assert "a newer result is being computed" in content
    assert LEDE in content
    assert page_of("evaluation-file", scored, ready.pk, "correlations.csv").status_code == 200
    assert len(woken) == 1


def test_what_is_missing_is_named_with_the_way_to_it(page_of, campaign, organiser, woken):
    content = markup(page_of("evaluation", campaign))
    assert "No metric scores yet" in content
    assert reverse("analysis:metrics", args=[campaign.slug]) in content
    unrated = make_campaign(owner=organiser)
    content = markup(page_of("evaluation", unrated))
    assert "No ratings yet" in content
    assert f'class="button" href="{reverse("crowds:link-list", args=[unrated.slug])}"' in content
    assert woken == []


def test_what_is_not_possible_says_why(page_of, campaign):
    run = score(campaign, cider=1.0)
    run.scores.exclude(caption__video__name="v000", caption__system__name="system-1").delete()
    compute(campaign)
    assert "1 caption has a score" in shown(page_of("evaluation", campaign))


def test_without_its_files_the_page_says_what_is_missing(page_of, ready, scored):
    shutil.rmtree(evaluation_folder(ready))
    content = markup(page_of("evaluation", scored))
    assert "The files of this result are missing" in content
    assert LEDE not in content


def test_whoever_looks_for_lost_files_has_them_made_again(page_of, ready, scored, woken):
    shutil.rmtree(evaluation_folder(ready))
    grow_old(ready)
    for headers in ({}, HTMX):  # a page that looks again wakes nobody
        content = markup(page_of("evaluation", scored, headers=headers, seen=ready.pk))
        assert "are missing and are being recreated" in content
        assert "DATA_DIR" not in content
    assert woken == [("evaluations", ready.pk)]
    assert page_of("download", scored, "points", "csv").status_code == 404
    job_run(ready)
    content = markup(page_of("evaluation", scored))
    assert "being recreated" not in content
    assert "points-spec" in content
    shutil.rmtree(evaluation_folder(ready))  # as if written on another machine
    assert "DATA_DIR" in shown(page_of("evaluation", scored))
    assert woken == [("evaluations", ready.pk)]


def test_the_page_asks_little(page_of, ready, scored, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        assert page_of("evaluation", scored).status_code == 200


def test_every_file_that_is_offered_can_be_had(page_of, ready, scored, client_of, organiser):
    content = markup(page_of("evaluation", scored))
    offered = re.findall(rf'href="([^"]*/agreement/{ready.pk}/[^"]+)"', content)
    assert len(offered) == 52  # each of five pictures as SVG, PNG and numbers among them
    client = client_of(organiser)
    for address in offered:
        response = client.get(address)
        assert response.status_code == 200, address
        assert response["Content-Disposition"].startswith("attachment")
    for name in ("points.arrow", "nothing.csv"):
        assert page_of("evaluation-file", scored, ready.pk, name).status_code == 404


def test_strangers_are_refused(ready, scored, client_of, stranger, client):
    for address in (
        reverse("analysis:evaluation", args=[scored.slug]),
        reverse("analysis:evaluation-file", args=[scored.slug, ready.pk, "report.html"]),
    ):
        assert client_of(stranger).get(address).status_code == 404
        assert client.get(address).status_code == 302


def test_another_campaigns_files_are_not_here(page_of, ready, organiser):
    other = make_campaign(owner=organiser)
    assert page_of("evaluation-file", other, ready.pk, "report.html").status_code == 404


def test_harmful_words_do_no_harm(page_of, campaign):
    harm(campaign)
    score(campaign, cider=2.0, bleu4=30.0)
    ready = compute(campaign)
    page = page_of("evaluation", campaign, metric="bleu4")
    content = markup(page)
    assert page.context["odd"]
    assert "&lt;script&gt;alert(1)" in content
    assert "<script>alert" not in content
    table = evaluation_makers(ready)["outliers.csv"]().decode()
    assert f"'={HARM[:8]}" in table


def test_both_levels_and_the_pairs_can_be_chosen(page_of, scored):
    page_of("evaluation", scored, alpha="0.01", quality_alpha="0.001", min_pairs="10")
    row = MetricEvaluation.objects.get()
    names = ("alpha", "quality_alpha", "min_pairs")
    assert [row.choices[name] for name in names] == [0.01, 0.001, 10]


def test_names_of_metrics_carry_the_settings_that_differ(page_of, campaign):
    for label, idf in (("a", "none"), ("b", "paper")):
        run = score(campaign, cider=2.0)
        MetricRun.objects.filter(pk=run.pk).update(label=label)
        MetricChunk.objects.filter(run=run).update(signatures={"cider": f"cider|idf:{idf}|k:5"})
    compute(campaign)
    page = page_of("evaluation", campaign)
    names = {row["metric"] for _, rows, _ in page.context["levels"] for row in rows}
    assert names == {"cider@a (idf:none)", "cider@b (idf:paper)"}
    assert "cider@a (idf:none)" in shown(page)
    assert not re.findall(r">cider@[ab]<", markup(page))  # tables, matrices, headings
    for drawn in page.context["part"]["pictures"].values():
        told = json.dumps(drawn.spec)
        assert told.count("cider@a") == told.count("cider@a (idf:none)") > 0
    assert page.context["picture"].fields["metric"].choices == [
        ("cider@a", "cider@a (idf:none)"), ("cider@b", "cider@b (idf:paper)"),
    ]  # fmt: skip
    assert page_of("evaluation", campaign, metric="cider@b").status_code == 200


def test_the_mix_and_correlations_within_videos_can_be_taken_away(page_of, scored, client_of):
    row = compute(scored)
    content = markup(page_of("evaluation", scored))
    for name in ("fusion-z.json", "correlations_by_video.csv"):
        address = reverse("analysis:evaluation-file", args=[scored.slug, row.pk, name])
        assert f'href="{address}"' in content
        assert client_of(scored.owner).get(address).status_code == 200
    assert "acc_eq, ties held out" in content
    assert "has the highest mean τ-b" in content
