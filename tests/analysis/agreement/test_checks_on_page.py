"""Every check of robustness can be asked for on the page, for metrics with models as well."""

from __future__ import annotations

import pytest
from django.urls import reverse

from analysis.metrics.models import Door, ModelChoice
from analysis.models import Agreement
from analysis.services import metric_bench
from analysis.services.agreements import Choices, agreement_compute, agreement_request
from analysis.services.metric_chunks import metric_run_finish
from analysis.services.metric_runs import metric_run_request
from analysis.tasks import agreement_check_task, agreement_compute_task, results_resume_task
from tests.analysis.metrics.pretend import PretendTowers
from tests.pages import markup

pytestmark = pytest.mark.django_db
METRICS = ["bleu1", "cider", "emscore_text"]


@pytest.fixture
def sent(monkeypatch, no_queue) -> list:
    sent: list = []
    monkeypatch.setattr(agreement_check_task, "delay_on_commit", sent.append)
    monkeypatch.setattr(agreement_check_task, "delay", sent.append)
    return sent


@pytest.fixture
def modelled(campaign, settings, tmp_path, monkeypatch):
    """A campaign scored by word metrics, and by one that reads with a model."""
    settings.METRIC_STORE, settings.METRIC_DEVICE = tmp_path / "embeddings", "cpu"
    metric_bench.device.cache_clear()
    metric_bench._job.cache_clear()
    metric_bench.bench_forget()
    door = Door("pretend", (), lambda device: PretendTowers())
    monkeypatch.setattr("analysis.metrics.equipment.find_model", lambda choice: door)
    run = metric_run_request(
        campaign=campaign, metrics=METRICS, model=ModelChoice("any"), label="one"
    )
    metric_run_finish(pk=run.pk)
    yield campaign
    metric_bench.bench_forget()


def page(client, campaign, **choices):
    return client.get(reverse("analysis:agreement", args=[campaign.slug]), choices)


def test_all_checks_are_asked_for_on_the_page_and_made_by_the_metric_workers(
    modelled, client_of, organiser, sent, no_queue
):
    client = client_of(organiser)
    page(client, modelled, checks="all")
    waiting = Agreement.objects.get()
    assert (sent, no_queue) == ([waiting.pk], [])
    agreement_compute(pk=waiting.pk)
    shown = markup(page(client, modelled, checks="all"))
    part = Agreement.objects.get().page["parts"]["z"]
    assert {"word order"} <= set(part["checks"])
    columns = {f"{name}@one" for name in METRICS}
    assert columns <= set(part["checks"]["word order"][0])
    assert columns <= set(part["references"][0])
    assert "Word order" in shown
    assert "words of every caption are shuffled" in shown


def test_the_page_says_how_far_the_checks_are(modelled, client_of, organiser, sent):
    client = client_of(organiser)
    page(client, modelled, checks="all")
    Agreement.objects.update(doing="word order, z", done=3, total=20)
    assert "Now: word order, z, 3 of 20 done." in markup(page(client, modelled, checks="all"))


def test_progress_is_written_while_the_work_goes_on(modelled, monkeypatch):
    """Each of the twenty orders of words is told before it is scored."""
    seen = []
    told = Agreement.objects.filter
    agreement = agreement_request(campaign=modelled, choices=Choices(checks="all"))

    class Watched:
        def __call__(self, **wanted):
            rows = told(**wanted)
            known = rows.values_list("doing", "done", "total").first()
            seen.append(known)
            return rows

    monkeypatch.setattr(Agreement.objects, "filter", Watched())
    agreement_compute(pk=agreement.pk)
    shuffling = {known[1:] for known in seen if known and known[0] == "word order, z"}
    assert {(done, 20) for done in range(19)} <= shuffling


def test_what_a_dead_worker_left_goes_back_to_the_metric_workers(modelled, sent, monkeypatch):
    simple: list = []
    monkeypatch.setattr(agreement_compute_task, "delay", simple.append)
    checked = agreement_request(campaign=modelled, choices=Choices(checks="all"))
    plain = agreement_request(campaign=modelled, choices=Choices())
    results_resume_task()
    assert (sent, simple) == ([checked.pk], [plain.pk])


def test_shuffled_captions_are_not_kept_in_the_store(modelled, settings):
    """Twenty times as many texts as captions would outgrow it."""
    before = sorted(settings.METRIC_STORE.rglob("*"))
    agreement = agreement_request(campaign=modelled, choices=Choices(checks="all"))
    agreement_compute(pk=agreement.pk)
    agreement.refresh_from_db()
    assert agreement.state == Agreement.State.READY
    assert sorted(settings.METRIC_STORE.rglob("*")) == before
