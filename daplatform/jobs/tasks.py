"""Waking workers for jobs. A message that is lost is made good by the sweep."""

from __future__ import annotations

from celery import shared_task

from daplatform.jobs.models import Job
from daplatform.jobs.services import kind_of, kind_run, kinds, left_behind

SWEEP_SECONDS = 60.0
OUTDATED_AFTER = 10 * SWEEP_SECONDS
"""Seconds after which a message of the sweep is dropped: where no worker listens, they would pile
up, and the next sweep has sent another."""


@shared_task
def job_run_task(kind: str, key: int) -> None:
    for job in kind_run(kinds()[kind], key):
        _send(job)


@shared_task
def jobs_sweep_task() -> None:
    """Take up what a lost message or a dead worker left behind, and delete what is old."""
    for kind in kinds().values():
        kind.prune()
        for job in left_behind(kind):
            _send(job, expires=OUTDATED_AFTER)


def job_wake(job: Job) -> None:
    """Wake a worker for a job when the transaction is committed; twice does no harm."""
    kind = kind_of(job)
    job_run_task.apply_async_on_commit(  # type: ignore[attr-defined] # not in Celery's stubs
        (kind.name, kind.key(job)), queue=job.queue
    )


def _send(job: Job, expires: float | None = None) -> None:
    kind = kind_of(job)
    wishes = {} if expires is None else {"expires": expires}
    job_run_task.apply_async((kind.name, kind.key(job)), queue=job.queue, **wishes)  # type: ignore[arg-type]
