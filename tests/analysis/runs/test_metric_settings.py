"""Settings, corpora, labels and models of runs: the page and the command offer all there are."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.metrics.encoding.models import DEMO_CAUTION, ModelChoice
from analysis.metrics.registry import families
from analysis.metrics.settings import SETTINGS, Settings
from analysis.models import MetricRun
from analysis.selectors.evaluations import metric_values
from analysis.selectors.metric_scores import files_write, metric_sources, metric_table
from analysis.services.metric_runs import Corpus, metric_run_choose
from analysis.tasks import metric_worker_report_task
from daplatform.errors import DomainError
from daplatform.jobs.services import job_finish
from tests.pages import markup

pytestmark = pytest.mark.django_db
CORPUS = b"video,source,caption\nelsewhere,one,a dog runs\nelsewhere,two,a cat\nthere,one,birds\n"


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch, woken):
    monkeypatch.setattr(metric_worker_report_task, "delay_on_commit", lambda: None)


@pytest.fixture
def client(client_of, organiser):
    return client_of(organiser)


def page(client, campaign) -> str:
    found = client.get(reverse("analysis:metrics", args=[campaign.slug]))
    return " ".join(markup(found).split())


def ask_page(client, campaign, *metrics, **choices):
    address = reverse("analysis:metric-score", args=[campaign.slug])
    return client.post(address, {"metrics": metrics, "model": "pretend", **choices})


def test_every_setting_of_every_family_stands_on_the_page(campaign, client):
    shown = page(client, campaign)
    for name in {name for family in families() for name in family.settings}:
        assert f'name="{name}"' in shown, name
        assert SETTINGS[name].metadata["label"] in shown


def test_no_setting_is_there_that_no_metric_has():
    used = {name for family in families() for name in family.settings}
    of_learned = {"learned_references"}
    assert used | of_learned == {field.name for field in fields(Settings)}


def test_what_is_chosen_on_the_page_decides_the_numbers(campaign, client):
    response = ask_page(
        client, campaign, "emscore", "factvc", idf="paper", factvc_alpha="0.5", clusters="3",
        frames="fps:1", paragraphs="sentences", bertscore_idf="on",
    )  # fmt: skip
    assert response.status_code == 302
    run = MetricRun.objects.get()
    chosen = {name: run.choices[name] for name in SETTINGS}
    assert Settings(**chosen) == Settings(
        idf="paper", factvc_alpha=0.5, clusters=3, frames="fps:1", paragraphs="sentences",
        bertscore_idf=True,
    )  # fmt: skip
    job_finish(run)
    signatures = {row.metric: row.signature for row in metric_table(campaign).rows}
    assert "|idf:paper|" in signatures["emscore"]
    assert "|factvc_alpha:0.5|" in signatures["factvc"]


def test_a_setting_out_of_range_is_a_sentence_and_no_run(campaign, client):
    response = ask_page(client, campaign, "factvc", factvc_alpha="7")
    assert response.status_code == 400
    assert "Factvc_alpha must lie between 0 and 1, not 7.0." in markup(response)
    assert not MetricRun.objects.exists()


def test_a_corpus_can_be_uploaded_and_rare_words_are_counted_in_it(campaign, client):
    upload = SimpleUploadedFile("vatex.csv", CORPUS)
    assert ask_page(client, campaign, "cider", corpus=upload).status_code == 302
    run = MetricRun.objects.get()
    job_finish(run)
    assert run.corpus.references == {"elsewhere": ["a dog runs", "a cat"], "there": ["birds"]}
    assert "corpus:2@" in metric_table(campaign).rows[0].signature
    assert "vatex.csv" in page(client, campaign)


def test_a_corpus_that_cannot_be_read_names_line_and_remedy(campaign, client):
    upload = SimpleUploadedFile("vatex.csv", b"video,source,caption\nv,one,\n")
    response = ask_page(client, campaign, "cider", corpus=upload)
    assert response.status_code == 400
    assert "Fill it in, or delete the row." in markup(response)
    assert not MetricRun.objects.exists()


def test_the_same_corpus_given_twice_is_kept_once(campaign, scored):
    corpus = Corpus("a.csv", {"v": ["a dog"]})
    scored(["cider"], corpus=corpus)
    scored(["cider"], corpus=corpus, label="again")
    assert campaign.corpora.count() == 1
    with pytest.raises(DomainError, match="holds no captions"):
        scored(["cider"], corpus=Corpus("a.csv", {}))


def test_the_command_offers_the_same(campaign, tmp_path, capsys):
    (tmp_path / "corpus.csv").write_bytes(CORPUS)
    call_command(
        "score_campaign", campaign.slug, "--metrics=cider,emscore", "--idf=none", "--model=any",
        "--label=plain", f"--corpus={tmp_path / 'corpus.csv'}", "--now", f"--out={tmp_path}",
    )  # fmt: skip
    signatures = json.loads((tmp_path / "scores.csv.json").read_text())["signatures"]
    assert set(signatures) == {"cider@plain", "emscore@plain"}
    assert "|corpus:2@" in signatures["cider@plain"]
    assert "|idf:none|" in signatures["emscore@plain"]


def test_two_models_stand_side_by_side_and_only_chosen_runs_count(
    campaign, scored, client, tmp_path
):
    """Scores of a label stay when the metric is scored again under another."""
    first = scored(["emscore", "bleu1"], label="ViT-B-32")
    second = scored(["emscore"], label="ViT-B-16", chosen=Settings(idf="none"))
    columns = ["bleu1@ViT-B-32", "emscore@ViT-B-16", "emscore@ViT-B-32"]
    assert sorted(metric_sources(campaign)) == columns
    assert sorted(metric_values(metric_sources(campaign)).names) == columns
    assert sorted(row.metric for row in metric_table(campaign).rows) == columns
    files_write(campaign, tmp_path)
    assert "emscore@ViT-B-16" in (tmp_path / "scores.csv").read_text()
    choose = reverse("analysis:metric-choose", args=[campaign.slug, first.pk])
    assert client.post(choose, {"chosen": "no"}).status_code == 302
    assert list(metric_sources(campaign)) == ["emscore@ViT-B-16"]
    metric_run_choose(run=second, is_chosen=False)
    assert metric_sources(campaign) == {}
    assert ">Use<" in page(client, campaign)  # nothing counts, and there is a way back
    client.post(choose, {"chosen": "yes"})
    assert sorted(metric_sources(campaign)) == ["bleu1@ViT-B-32", "emscore@ViT-B-32"]


def test_without_a_model_those_that_need_one_say_how_to_get_it(campaign, client, settings):
    settings.METRIC_MODELS = []
    shown = page(client, campaign)
    assert "No image–text model is named for this platform" in shown
    assert 'value="emscore" disabled' in shown
    assert 'value="bleu4" checked' in shown
    assert ask_page(client, campaign, "bleu4", model="").status_code == 302


def test_the_demo_model_is_refused_for_real_videos(campaign, client, settings):
    settings.METRIC_MODELS = ["demo"]
    refused = ask_page(client, campaign, "emscore", model="demo")
    assert refused.status_code == 400
    assert "on other videos and captions its scores mean nothing" in markup(refused)
    assert not MetricRun.objects.exists()
    assert ask_page(client, campaign, "emscore", model="demo", anyway="on").status_code == 302
    job_finish(MetricRun.objects.get())
    assert DEMO_CAUTION[1:] in page(client, campaign)
    assert metric_values(metric_sources(campaign)).notes == (DEMO_CAUTION,)


def test_a_shell_is_refused_too(campaign, ask):
    with pytest.raises(CommandError, match="its scores mean nothing"):
        call_command("score_campaign", campaign.slug, "--metrics=emscore", "--model=demo", "--now")
    with pytest.raises(DomainError, match="its scores mean nothing"):
        ask(["emscore"], model=ModelChoice("demo"))


def test_the_demos_rendered_scenes_have_the_demo_model(campaign, client, settings, scored):
    settings.METRIC_MODELS = []
    type(campaign).objects.filter(pk=campaign.pk).update(is_demo=True)
    campaign.refresh_from_db()
    assert 'value="emscore" checked' in page(client, campaign)
    assert 'name="anyway"' not in page(client, campaign)
    scored(["emscore"], model=ModelChoice("demo"))
    assert metric_table(campaign).notes == []
