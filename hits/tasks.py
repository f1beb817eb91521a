"""Work for the queue: each task takes primary keys and calls one service."""

from __future__ import annotations

from celery import shared_task

from hits.models import Upload
from hits.services.composing import batch_fill, batches_left_behind
from hits.services.outbox import acts_run, claims_lapse, crowds_waiting
from hits.services.uploads import upload_check, upload_import, uploads_left_behind

# So many that no task takes longer than a worker may.
ACTS_AT_ONCE = 500


@shared_task
def upload_check_task(pk: int) -> None:
    upload_check(pk=pk)


@shared_task
def upload_import_task(pk: int) -> None:
    upload_import(pk=pk)


@shared_task
def batch_fill_task(pk: int) -> None:
    batch_fill(pk=pk)


@shared_task
def batches_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    for batch in batches_left_behind():
        batch_fill_task.delay(batch.pk)


@shared_task
def uploads_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    for upload in uploads_left_behind():
        importing = upload.state == Upload.State.IMPORTING
        (upload_import_task if importing else upload_check_task).delay(upload.pk)


@shared_task
def acts_run_task(crowd: str) -> None:
    """Tell a crowd what waits to be told. Run twice at once, each act is still told once."""
    if acts_run(crowd=crowd, limit=ACTS_AT_ONCE) >= ACTS_AT_ONCE:
        acts_run_task.delay(crowd)


@shared_task
def acts_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    claims_lapse()
    for crowd in crowds_waiting():
        acts_run_task.delay(crowd)
