"""The kinds of jobs, and doing one job of a kind, whatever goes wrong in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.apps import apps
from django.db import InterfaceError, OperationalError
from django.db.models import Exists, Min, OuterRef, Q
from django.utils.module_loading import module_has_submodule
from prometheus_client import Counter

from daplatform.disk import NO_SPACE, is_full
from daplatform.errors import DomainError
from daplatform.jobs.models import Job
from daplatform.jobs.services import (
    JobLost,
    job_claim,
    job_failed,
    job_release,
    signs_of_life,
)

logger = logging.getLogger(__name__)
DATABASE_AWAY = (InterfaceError, OperationalError)
UNEXPECTED = "Something went wrong on the server; whoever runs it finds it in the log."
MOST_WOKEN = 1_000
ENDS = Counter("da_jobs", "Attempts at jobs, by how they ended.", ["kind", "outcome"])


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
        kind.fail(job, f"{kind.attempts} workers died over it, or took too long.")
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
        if not is_full(error):
            kind.fail(job, UNEXPECTED)
            raise
        outcome = "disk"
        logger.error("%s %s waits: %s", kind.name, job.pk, NO_SPACE)
        job_release(job=job, problem=NO_SPACE, is_attempt=False)
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
