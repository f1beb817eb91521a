"""Claiming jobs and ending them: every change is conditional on the claim still being one's own."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import F, QuerySet
from django.utils import timezone

from daplatform.jobs.models import Job, JobQuerySet

J = TypeVar("J", bound=Job)
Progress = Callable[[str, int, int], None]
Status = Job.Status
TOLD_EVERY = 1.0
"""Seconds: a page that looks more often would see nothing new."""


class JobLost(Exception):
    """The job was stopped, or another worker has taken it."""


def job_claim(*, rows: JobQuerySet) -> Any:
    """Take the first of the rows that is due; None where there is none."""
    while (job := rows.due().first()) is not None:
        claim = {
            "status": Status.RUNNING,
            "claimed_at": timezone.now(),
            "claimed_by": secrets.token_hex(16),
            "attempts": job.attempts + 1,
        }
        if _mine(job).update(**claim):
            for name, value in claim.items():
                setattr(job, name, value)
            return job
    return None


def job_alive(*, job: Job, progress: dict[str, Any] | None = None) -> None:
    """Tell that somebody is at it, and how far. Raises JobLost where it is somebody else's now."""
    told = {} if progress is None else {"progress": progress}
    if not _mine(job).update(claimed_at=timezone.now(), **told):
        raise JobLost


def job_progress(job: Job) -> Progress:
    """The same for loops: told at every turn, it writes to the row once a second."""
    told = float("-inf")

    def tell(step: str, done: int, total: int) -> None:
        nonlocal told
        if done < total and time.monotonic() - told < TOLD_EVERY:
            return
        told = time.monotonic()
        job_alive(job=job, progress={"step": step, "done": done, "total": total})

    return tell


def job_done(*, job: Job, **fields: Any) -> bool:
    """Record the outcome with the job's other fields; False where the job was lost meanwhile."""
    return bool(_mine(job).update(**_ended(Status.DONE), problem="", **fields))


def job_failed(*, job: Job, problem: str, **fields: Any) -> bool:
    """Record that it is not possible, and why."""
    return bool(_mine(job).update(**_ended(Status.FAILED), problem=problem, **fields))


def job_stop(*, job: Job) -> bool:
    """End it as it is; False where it has ended already."""
    rows: JobQuerySet = type(job).objects.filter(pk=job.pk)
    return bool(rows.stop())


def job_release(*, job: Job, problem: str = "", is_attempt: bool = True) -> None:
    """Give a job back unfinished, for the next worker."""
    attempts = F("attempts") if is_attempt else F("attempts") - 1
    free = {"claimed_at": None, "claimed_by": "", "problem": problem, "attempts": attempts}
    _mine(job).update(status=Status.WAITING, **free)


def job_hand_over(*, job: Job, **fields: Any) -> bool:
    """Keep it running without a claim: its parts are jobs of their own, and the last ends it."""
    return bool(_mine(job).update(claimed_at=None, claimed_by="", **fields))


@contextlib.contextmanager
def signs_of_life(job: Job) -> Iterator[None]:
    """Confirm a claim for as long as the work takes, be it a minute or a day."""
    ended = threading.Event()

    def confirm() -> None:
        while not ended.wait(settings.JOB_SILENT_SECONDS / 4):
            # A database that is busy or away is told another time; a lost job, by the work itself.
            with contextlib.suppress(OperationalError):
                _mine(job).update(claimed_at=timezone.now())
        connection.close()

    thread = threading.Thread(target=confirm, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _mine(job: Job) -> QuerySet[Any]:
    """The row, if it is still as this worker knows it. Only columns of its own: a database that
    waited for another's change looks at these again."""
    known = {"pk": job.pk, "status": job.status, "claimed_by": job.claimed_by}
    return type(job).objects.filter(**known)


def _ended(status: Status) -> dict[str, Any]:
    now = timezone.now()
    return {"status": status, "claimed_at": None, "claimed_by": "", "finished_at": now}
