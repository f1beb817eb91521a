"""Metrics against people in the platform: made by a worker, kept by what it was made of."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import call_command

from analysis.evaluation.page import human_page
from analysis.models import MetricEvaluation
from analysis.selectors.evaluations import (
    evaluation_folder,
    evaluation_latest,
    evaluation_makers,
    evaluation_numbers,
)
from analysis.selectors.metric_scores import files_write
from analysis.services.evaluations import Choices, evaluation_request
from analysis.services.results import KEPT
from daplatform.jobs.services import job_run
from tests.analysis.evaluations.conftest import PLACEBOS, compute, score
from tests.factories import make_annotator, make_campaign, make_ratings
from tests.pages import body

pytestmark = pytest.mark.django_db


def test_it_says_which_metric_agrees_best_and_is_signed(ready):
    assert ready.status == MetricEvaluation.Status.DONE
    part = human_page(evaluation_numbers(ready), "z")
    assert part["lede"].startswith("Of 2 metrics cider")
    assert [row["metric"] for row in part["levels"]["captions"]] == ["cider", "bleu4"]
    assert part["answers"][0].startswith("Is cider better than bleu4 here? Yes")
    assert "metrics:metric:bleu4,version:1 metric:cider,version:1" in ready.signature


def test_the_same_evidence_and_choices_are_one_row(scored):
    first = evaluation_request(campaign=scored, choices=Choices())
    assert evaluation_request(campaign=scored, choices=Choices()).pk == first.pk
    assert evaluation_request(campaign=scored, choices=Choices(alpha=0.01)).pk != first.pk


def test_without_ratings_or_metrics_there_is_nothing_to_make(campaign, organiser):
    assert evaluation_request(campaign=campaign, choices=Choices()) is None
    unrated = make_campaign(owner=organiser)
    score(unrated, cider=1.0)
    assert evaluation_request(campaign=unrated, choices=Choices()) is None


def test_a_rating_makes_another_row_and_leaves_the_old_one(ready, scored):
    make_ratings(scored.batches.get().hits.first(), make_annotator(), [50] * 100)
    newer = evaluation_request(campaign=scored, choices=Choices())
    assert newer.pk != ready.pk
    assert newer.status == MetricEvaluation.Status.WAITING
    assert MetricEvaluation.objects.get(pk=ready.pk).status == MetricEvaluation.Status.DONE


@pytest.mark.parametrize("news", ["a run", "a run tried again", "a review"])
def test_other_news_have_it_made_anew_and_shown_until_then(ready, scored, news):
    if news == "a run":
        score(scored, rougel=5.0)
    elif news == "a run tried again":
        scored.metric_runs.update(finished_at="2026-01-01T00:00:00Z")
    else:
        scored.min_pairs = 5
        scored.save()
    again = evaluation_request(campaign=scored, choices=Choices())
    assert (again.pk, again.status) == (ready.pk, MetricEvaluation.Status.WAITING)
    assert evaluation_latest(scored, again.choices_key) == ready
    job_run(again)
    settled = evaluation_request(campaign=scored, choices=Choices())
    assert settled.status == MetricEvaluation.Status.DONE
    assert settled.evidence != ready.evidence


def test_computing_twice_gives_the_same_bytes(ready):
    def files():
        return {path.name: path.read_bytes() for path in evaluation_folder(ready).iterdir()}

    before, summary = files(), ready.summary
    MetricEvaluation.objects.all().again()
    job_run(ready)
    job_run(ready)
    ready.refresh_from_db()
    assert (files(), ready.summary) == (before, summary)


def test_the_files_are_those_of_the_command_line(ready, scored, page_of, tmp_path):
    ratings = page_of("download", scored, "ratings", "csv")
    (tmp_path / "ratings.csv").write_bytes(body(ratings))
    files_write(scored, tmp_path)
    call_command(
        "correlate",
        human=tmp_path / "ratings.csv",
        metrics=[tmp_path / "scores.csv"],
        captions=[tmp_path / "captions.csv"],
        references=tmp_path / "references.csv",
        out=tmp_path / "out",
        latex=True,
        placebo=PLACEBOS,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert {"report.html", "correlations.csv", "outliers.csv", "williams.tex"} <= set(written)
    makers = evaluation_makers(ready)
    for name, content in written.items():
        if name != "report.html":  # whose title names the file
            assert makers[name]() == content, name
    day = r", ratings until \d{4}-\d\d-\d\d</h1>"
    for report, source in (
        (written["report.html"], "ratings.csv"),
        (makers["report.html"](), scored.name),
    ):
        assert re.search(f"<h1>Metrics against people: {source}{day}", report.decode())


def test_everybody_can_be_asked(scored):
    everybody = compute(scored, annotators="all")
    assert "annotators:all annotators" in everybody.signature


def test_what_cannot_be_computed_says_why(campaign):
    run = score(campaign, cider=1.0)
    run.scores.exclude(caption__video__name="v000", caption__system__name="system-1").delete()
    failed = compute(campaign)
    assert failed.status == MetricEvaluation.Status.FAILED
    assert failed.problem.startswith("1 caption has a score")


def test_scores_that_come_while_it_waits_are_in_it(scored):
    asked = evaluation_request(campaign=scored, choices=Choices())
    score(scored, rougel=5.0)
    job_run(asked)
    assert evaluation_request(campaign=scored, choices=Choices()).pk == asked.pk
    made = evaluation_numbers(MetricEvaluation.objects.get())
    assert "rougel" in made.evaluation.joined.metrics.columns


def test_only_the_latest_are_kept_with_their_files(scored):
    made = []
    for number in range(KEPT + 1):
        make_ratings(scored.batches.get().hits.first(), make_annotator(), [50 + number] * 100)
        made.append(compute(scored))
    assert not MetricEvaluation.objects.filter(pk=made[0].pk).exists()
    assert not evaluation_folder(made[0]).exists()
    assert all(evaluation_folder(one).is_dir() for one in made[1:])
