"""Every check of robustness can be asked for on the page, for metrics with models as well."""

from __future__ import annotations

import pytest
from django.urls import reverse

from analysis.evaluation.page import human_page
from analysis.metrics.encoding.models import ModelChoice, ModelRef
from analysis.models import MetricEvaluation
from analysis.selectors.evaluations import evaluation_numbers
from analysis.services import metric_context
from analysis.services.evaluations import Choices, evaluation_request
from analysis.services.metric_runs import metric_run_request
from daplatform.jobs import services
from daplatform.jobs.services import job_finish, job_run
from tests.analysis.metrics.pretend import PretendEncoders
from tests.pages import markup

pytestmark = pytest.mark.django_db
METRICS = ["bleu1", "cider", "emscore_text"]


@pytest.fixture
def modelled(campaign, settings, tmp_path, monkeypatch):
    """A campaign scored by word metrics, and by one that reads with a model."""
    settings.METRIC_STORE, settings.METRIC_DEVICE = tmp_path / "embeddings", "cpu"
    metric_context.device.cache_clear()
    metric_context._job.cache_clear()
    metric_context.context_forget()
    model_ref = ModelRef("pretend", (), lambda device: PretendEncoders())
    monkeypatch.setattr("analysis.metrics.encoding.encoder.find_model", lambda choice: model_ref)
    run = metric_run_request(
        campaign=campaign, metrics=METRICS, model=ModelChoice("any"), label="one"
    )
    job_finish(run)
    yield campaign
    metric_context.context_forget()


def page(client, campaign, **choices):
    return client.get(reverse("analysis:evaluation", args=[campaign.slug]), choices)


def test_all_checks_are_asked_for_on_the_page_and_made_by_the_metric_workers(
    modelled, client_of, organiser, woken
):
    client = client_of(organiser)
    page(client, modelled, checks="all")
    waiting = MetricEvaluation.objects.get()
    assert (woken, waiting.queue) == ([("evaluations", waiting.pk)], "gpu")
    job_run(waiting)
    shown = markup(page(client, modelled, checks="all"))
    part = human_page(evaluation_numbers(MetricEvaluation.objects.get()), "z")
    assert {"word order"} <= set(part["checks"])
    columns = {f"{name}@one" for name in METRICS}
    assert columns <= set(part["checks"]["word order"][0])
    assert columns <= set(part["references"][0])
    assert "Word order" in shown
    assert "words of every caption are shuffled" in shown


def test_the_page_says_how_far_the_checks_are(modelled, client_of, organiser):
    client = client_of(organiser)
    page(client, modelled, checks="all")
    MetricEvaluation.objects.update(progress={"step": "word order, z", "done": 3, "total": 20})
    assert "Now: word order, z, 3 of 20 done." in markup(page(client, modelled, checks="all"))


def test_progress_is_written_while_the_work_goes_on(modelled, monkeypatch):
    """Each of the twenty orders of words is told before it is scored."""
    told = []
    monkeypatch.setattr(services, "TOLD_EVERY", 0)
    monkeypatch.setattr(services, "job_alive", lambda job, progress: told.append(progress))
    job_run(evaluation_request(campaign=modelled, choices=Choices(checks="all")))
    shuffling = {known["done"] for known in told if known["step"] == "word order, z"}
    assert set(range(19)) <= shuffling


def test_shuffled_captions_are_not_kept_in_the_store(modelled, settings):
    """Twenty times as many texts as captions would outgrow it."""
    before = sorted(settings.METRIC_STORE.rglob("*"))
    evaluation = evaluation_request(campaign=modelled, choices=Choices(checks="all"))
    job_run(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.status == MetricEvaluation.Status.DONE
    assert sorted(settings.METRIC_STORE.rglob("*")) == before
