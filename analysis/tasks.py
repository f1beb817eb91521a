"""Work for the queue: each task takes primary keys and calls one service."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from analysis.models import Agreement
from analysis.services.agreements import agreement_compute, agreements_left_behind
from analysis.services.explanations import explanation_make
from analysis.services.exports import export_make, exports_left_behind, exports_prune
from analysis.services.metric_chunks import metric_run_work
from analysis.services.metric_runs import metric_runs_left_behind
from analysis.services.metric_workers import metric_worker_report
from analysis.services.results import result_compute, results_left_behind
from analysis.services.verdicts import verdicts_refresh
from hits.models import Campaign


@shared_task
def result_compute_task(pk: int) -> None:
    result_compute(pk=pk)


@shared_task
def results_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    for pk in results_left_behind().values_list("pk", flat=True):
        result_compute_task.delay(pk)
    for agreement in agreements_left_behind():
        agreement_task(agreement).delay(agreement.pk)


@shared_task
def agreement_compute_task(pk: int) -> None:
    agreement_compute(pk=pk)


@shared_task
def agreement_check_task(pk: int) -> None:
    """By the metric workers, who have the models: metrics are computed again."""
    agreement_compute(pk=pk)


def agreement_task(agreement: Agreement) -> Any:
    """The task that makes an agreement, by what it takes."""
    return agreement_check_task if agreement.choices.get("checks") else agreement_compute_task


@shared_task
def export_make_task(pk: int) -> None:
    export_make(pk=pk)


@shared_task
def exports_sweep_task() -> None:
    """Wake the work that a lost message or a dead worker left behind; delete what is old."""
    exports_prune()
    for pk in exports_left_behind().values_list("pk", flat=True):
        export_make_task.delay(pk)


@shared_task
def metric_run_work_task(pk: int) -> None:
    """One chunk, then the next message: runs share the workers, and no task takes long."""
    for _ in range(metric_run_work(pk=pk)):
        metric_run_work_task.delay(pk)


@shared_task
def metric_runs_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    for pk in metric_runs_left_behind().values_list("pk", flat=True):
        metric_run_work_task.delay(pk)


@shared_task(expires=300)
def metric_worker_report_task() -> None:
    """Asked every few minutes; where nobody answers, questions do not pile up."""
    metric_worker_report()


@shared_task
def metric_run_explain_task(run: int, caption: int) -> None:
    """By the metric workers: they have the store and the vocabulary, if no model is loaded."""
    explanation_make(run=run, caption=caption)


@shared_task
def verdicts_refresh_task(pk: int) -> None:
    verdicts_refresh(campaign=Campaign.objects.get(pk=pk))


@shared_task
def verdicts_sweep_task() -> None:
    """Judge the work of campaigns that a crowd is paid for: reviewing it goes by the verdict."""
    unclosed = Campaign.objects.filter(batches__launch__state__in=["live", "paused"])
    for pk in unclosed.order_by("pk").values_list("pk", flat=True).distinct():
        verdicts_refresh_task.delay(pk)
