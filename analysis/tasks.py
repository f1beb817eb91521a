"""Work for the queue: each task takes primary keys and calls one service."""

from __future__ import annotations

from celery import shared_task

from analysis.services.results import result_compute, results_left_behind


@shared_task
def result_compute_task(pk: int) -> None:
    result_compute(pk=pk)


@shared_task
def results_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    for pk in results_left_behind().values_list("pk", flat=True):
        result_compute_task.delay(pk)
