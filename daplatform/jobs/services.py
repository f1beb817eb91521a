"""The kinds of jobs, and doing one job of a kind, whatever goes wrong in it.

Every change of a job's row is conditional on the claim still being one's own.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.apps import apps
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.module_loading import module_has_submodule
from prometheus_client import Counter

from daplatform.disk import NO_SPACE, is_full
from daplatform.errors import DomainError
from daplatform.jobs.models import Job, JobQuerySet
from daplatform.shared_files import AWAY, is_away

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
Status = Job.Status
TOLD_EVERY = 1.0
"""Seconds: a page that looks more often would see nothing new."""
DATABASE_AWAY = (InterfaceError, OperationalError)
UNEXPECTED = "Something went wrong on the server. The server log has the details."
MOST_WOKEN = 1_000
ENDS = Counter("da_jobs", "Attempts at jobs, by how they ended.", ["kind", "outcome"])


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


def fail(job: Any, problem: str) -> None:
    job_failed(job=job, problem=problem)


@dataclass(frozen=True)
class JobKind:
    """One kind of job: its rows, and what is done with one that was claimed.

    `work` ends the job itself, with `job_done` or `job_failed`; a DomainError it raises is the
    reason of a failure. It may return jobs that workers are to be woken for.
    """

    name: str
    model: type[Any]
    work: Callable[[Any], Iterable[Job] | None]
    fail: Callable[[Any, str], None] = fail
    attempts: int = 5
    """Workers that may die over it, or run out of time, before it is given up."""
    resumes: bool = False
    """It goes on where it was stopped: running out of time is no failed attempt."""
    by: str = "pk"
    """Workers are woken for one row, or for the first that is due of those that share this."""
    suits: Callable[[int], bool] = lambda key: True
    """Whether this worker can do the jobs of a key."""
    prune: Callable[[], None] = lambda: None
    """Deletes what is too old to be kept."""

    def key(self, job: Job) -> int:
        return int(getattr(job, self.by))


@cache
def kinds() -> dict[str, JobKind]:
    """By name: what the `jobs` module of each app lists."""
    found = {}
    for app in apps.get_app_configs():
        if module_has_submodule(app.module, "jobs"):
            for kind in getattr(import_module(f"{app.name}.jobs"), "KINDS", ()):
                found[kind.name] = kind
    return found


def kind_of(job: Job) -> JobKind:
    return next(kind for kind in kinds().values() if isinstance(job, kind.model))


def job_run(job: Job) -> list[Job]:
    """Do this job in this process, unless somebody else does; what is to be woken for after it."""
    kind = kind_of(job)
    return kind_run(kind, kind.key(job))


def job_finish(job: Job) -> None:
    """Do this job and all that comes of it in this process, where there is no queue."""
    waiting = [job]
    while waiting:
        waiting += job_run(waiting.pop())


def kind_run(kind: JobKind, key: int) -> list[Job]:
    """Do the first job of a key that is due. Safe to run twice."""
    rows = kind.model.objects.filter(**{kind.by: key})
    job = job_claim(rows=rows) if kind.suits(key) else None
    if job is None:
        return []
    if job.attempts > kind.attempts:
        kind.fail(job, f"{kind.attempts} workers stopped or ran out of time on this task.")
        return [job]
    outcome, woken = "failed", []
    try:
        with signs_of_life(job):
            woken = list(kind.work(job) or ())
        outcome = "ended"
    except DomainError as error:
        kind.fail(job, str(error))
    except JobLost:
        outcome = "lost"
    except SoftTimeLimitExceeded:
        outcome, woken = "out of time", [job]
        job_release(job=job, is_attempt=not kind.resumes)
    except DATABASE_AWAY:
        outcome = "database"
        raise  # the job is taken up again when its claim has grown old
    except Exception as error:
        obstacle = NO_SPACE if is_full(error) else AWAY if is_away(error) else ""
        if not obstacle:
            kind.fail(job, UNEXPECTED)
            raise
        outcome = "disk" if obstacle == NO_SPACE else "bucket"
        logger.error("%s %s waits: %s (%s)", kind.name, job.pk, obstacle, error)
        job_release(job=job, problem=obstacle, is_attempt=False)
    finally:
        ENDS.labels(kind.name, outcome).inc()
    return woken


def left_behind(kind: JobKind) -> Iterable[Job]:
    """One job for each key that a worker should be busy with, where none is or one has died."""
    rows = kind.model.objects
    busy = rows.filter(**{kind.by: OuterRef(kind.by)}).alive()
    due = rows.due().filter(Q(status=Job.Status.RUNNING) | ~Exists(busy)).order_by()
    first = due.values(kind.by).annotate(first=Min("pk")).values_list("first", flat=True)
    jobs: Iterable[Job] = rows.filter(pk__in=list(first.order_by("first")[:MOST_WOKEN]))
    return jobs
