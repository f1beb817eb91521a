"""Work for the queue: each task takes primary keys and calls one service."""

from __future__ import annotations

from celery import shared_task

from analysis.services.drawing import file_draw
from analysis.services.explanations import explanation_make
from analysis.services.metric_workers import metric_worker_report
from analysis.services.verdicts import verdicts_refresh
from hits.models import Campaign


@shared_task
def file_draw_task(kind: str, pk: int, name: str) -> None:
    """By the metric workers, who can draw charts: a file of a result that a page asked for."""
    file_draw(kind=kind, pk=pk, name=name)


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
