"""Several campaigns on one page: the numbers of the command, for those who may see all of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.urls import reverse

from analysis.metrics.artifacts import read_artifact
from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.learned.training_list import trained_on
from analysis.metrics.registry import with_mixed
from analysis.metrics.settings import Settings
from analysis.models import LearnedMetric, MetricChunk, MetricEvaluation
from analysis.selectors.evaluations import evaluation_makers, run_captions, set_numbers
from analysis.selectors.learned_metrics import learned_folder, learned_offered
from analysis.selectors.metric_scores import metric_sources
from analysis.services import evaluations
from daplatform.jobs.services import job_run
from hits.views.access import campaigns_for
from tests.analysis.evaluations.conftest import score
from tests.analysis.pages.conftest import rated_campaign
from tests.factories import make_campaign
from tests.pages import markup, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(organiser, tmp_path, scored):
    folder = tmp_path / "other"
    folder.mkdir()
    second = rated_campaign(organiser, folder, name="Another year")
    score(second, cider=4.0, bleu4=20.0)
    return second


@pytest.fixture
def ready(page_of, scored, other) -> MetricEvaluation:
    """Asked for by the page, computed as a worker does."""
    page = page_of("sets", scored, sets=other.slug)
    assert "being compared with human scores" in shown(page)
    row = MetricEvaluation.objects.get()
    job_run(row)
    row.refresh_from_db()
    assert row.status == "done", row.problem
    return row


def test_every_campaign_and_the_mean_have_their_numbers(page_of, ready, scored, other):
    page = page_of("sets", scored, sets=other.slug)
    captions = page.context["levels"][0]
    assert list(captions["headings"]) == ["metric", scored.slug, other.slug, "mean"]
    rows = {row["metric"]: row for row in captions["rows"]}
    stored = json.loads(evaluation_makers(ready)["sets.json"]())["rows"]
    told = {(row["metric"], row["set"]): row["pearson"] for row in stored
            if (row["human"], row["level"]) == ("z", "caption")}  # fmt: skip
    for metric in ("cider", "bleu4"):
        for name in (scored.slug, other.slug, "mean"):
            assert rows[metric][name] == told[metric, name]
    content = markup(page)
    assert content.index('data-chart="sets-caption-spec"') < content.index("<table")
    assert "significantly more than every other metric" in content
    assert "keep the systems fixed" in content


def test_what_is_stored_is_what_was_computed(ready):
    found = set_numbers(ready)
    assert found.metrics == ("cider", "bleu4")
    assert str(found.signature) == ready.signature
    assert {name for name in evaluation_makers(ready) if name.endswith(".svg")} >= {
        "sets-z-caption.svg", "williams-z-caption.svg",
    }  # fmt: skip


def test_both_levels_are_chosen_for_all_campaigns(page_of, scored, other):
    page_of("sets", scored, sets=other.slug, quality_alpha="0.001", alpha="0.1", min_pairs="5")
    row = MetricEvaluation.objects.get()
    job_run(row)
    row.refresh_from_db()
    assert "quality_alpha:0.001|minimum_pairs:5|" in row.signature
    assert "alpha:0.1|" in row.signature


def test_a_campaign_left_out_does_not_count_in_the_mean(page_of, ready, scored, other):
    page_of("sets", scored, sets=other.slug, left_out=other.slug)
    row = MetricEvaluation.objects.latest("pk")
    job_run(row)
    page = page_of("sets", scored, sets=other.slug, left_out=other.slug)
    for line in page.context["levels"][0]["rows"]:
        assert line["mean"] == line[scored.slug]


def test_a_campaign_without_scores_is_named(page_of, scored, organiser):
    bare = make_campaign(owner=organiser)
    page_of("sets", scored, sets=bare.slug)
    job_run(MetricEvaluation.objects.get())
    assert f"{bare.name}: no metric" in shown(page_of("sets", scored, sets=bare.slug))


def test_other_peoples_campaigns_cannot_be_chosen(page_of, scored, stranger):
    theirs = make_campaign(owner=stranger)
    assert page_of("sets", scored, sets=theirs.slug).status_code == 400


def test_files_are_for_those_who_may_see_every_campaign(ready, scored, other, client_of, analyst):
    scored.colleagues.add(analyst)
    address = reverse("analysis:evaluation-file", args=[scored.slug, ready.pk, "sets.csv"])
    assert client_of(analyst).get(address).status_code == 404
    other.colleagues.add(analyst)
    assert client_of(analyst).get(address).status_code == 200


def test_without_another_campaign_the_page_says_what_to_do(page_of, scored):
    assert "There is no other campaign" in shown(page_of("sets", scored))


def test_who_rated_and_how_metrics_were_computed_is_signed(ready):
    assert "annotators:annotators who passed quality control" in ready.signature
    assert "metric:cider,version:1" in ready.signature


def test_a_metric_computed_otherwise_in_one_campaign_is_remarked_on(page_of, scored, other):
    MetricChunk.objects.filter(run__campaign=other).update(
        signatures={"cider": "metric:cider|version:2", "bleu4": "metric:bleu4|version:1"}
    )
    page_of("sets", scored, sets=other.slug)
    job_run(MetricEvaluation.objects.get())
    said = shown(page_of("sets", scored, sets=other.slug))
    assert "Cider was not computed alike in every set" in said
    assert "Bleu4 was not computed alike" not in said


def test_trained_metrics_of_every_campaign_are_brought_to_the_machine(
    page_of, scored, other, monkeypatch
):
    wanted = []
    monkeypatch.setattr(evaluations, "learned_pull", lambda names: wanted.append(list(names)))
    page_of("sets", scored, sets=other.slug)
    job_run(MetricEvaluation.objects.get())
    assert wanted == [["cider", "bleu4"]] * 2


def test_the_mix_can_be_taken_away(page_of, ready, scored, other, client_of):
    content = markup(page_of("sets", scored, sets=other.slug))
    address = reverse("analysis:evaluation-file", args=[scored.slug, ready.pk, "fusion-z.json"])
    assert f'href="{address}"' in content
    assert client_of(scored.owner).get(address).status_code == 200


def use_mix(client, campaign, evaluation, **told):
    address = reverse("analysis:sets-mix", args=[campaign.slug, evaluation.pk])
    return client.post(address, {"human": "z", "name": "mix-1"} | told, follow=True)


def test_the_mix_becomes_a_metric_that_captions_are_scored_with(
    page_of, ready, scored, other, client_of, settings, tmp_path
):
    settings.METRIC_STORE = tmp_path / "store"
    assert "Use this mix" in markup(page_of("sets", scored, sets=other.slug))
    page = use_mix(client_of(scored.owner), scored, ready)
    row = LearnedMetric.objects.get()
    assert page.redirect_chain[-1][0] == reverse(
        "analysis:learned-metric", args=[scored.slug, row.pk]
    )
    assert f"80 % of the videos of {scored.slug}, {other.slug}" in shown(page)
    assert row in learned_offered(campaigns_for(scored.owner))
    assert with_mixed(["mix-1"]) == ["cider", "bleu4", "mix-1"]
    batch = Batch(["a", "b"], ["v", "w"], {}, {})
    values = {"cider": np.array([1.0, 2.0]), "bleu4": np.array([30.0, 10.0])}
    family = read_artifact(learned_folder("mix-1")).family()
    found = family.score(batch, Settings(), ScoringContext(values=values))["mix-1"]
    [mix] = [one for one in set_numbers(ready).fusions if one.human == "z"]
    weights = {row["metric"]: row["coefficient"] for row in mix.coefficient_rows()}
    expected = weights["intercept"] + sum(weights[name] * values[name] for name in values)
    np.testing.assert_allclose(found, expected)


def test_a_mix_is_not_held_against_the_captions_it_was_fitted_on(
    ready, scored, client_of, settings, tmp_path
):
    settings.METRIC_STORE = tmp_path / "store"
    use_mix(client_of(scored.owner), scored, ready)
    seen = trained_on(["mix-1"])["mix-1"].seen(
        run_captions(next(iter(metric_sources(scored).values()))).batch()
    )
    assert 0.5 < seen.mean() <= 1


def test_a_name_that_is_taken_is_refused_with_a_sentence(
    ready, scored, other, client_of, settings, tmp_path
):
    settings.METRIC_STORE = tmp_path / "store"
    client = client_of(scored.owner)
    for name in ("cider", "no name", ""):
        page = use_mix(client, scored, ready, name=name)
        assert page.status_code == 200
        assert "name" in shown(page) or "already" in shown(page)
        assert other.slug in page.request["QUERY_STRING"]
    assert not LearnedMetric.objects.exists()
    use_mix(client, scored, ready)
    assert "A metric mix-1 already exists" in shown(use_mix(client, scored, ready))


def test_a_mix_of_a_campaign_that_is_not_shared_cannot_be_used(ready, scored, client_of, analyst):
    scored.colleagues.add(analyst)
    assert use_mix(client_of(analyst), scored, ready).status_code == 404
