"""What every job has: a status, a claim, a number of attempts, and word of how far it is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


def silent_since() -> datetime:
    """A claim without a sign of life since then is a dead worker's."""
    return timezone.now() - timedelta(seconds=settings.JOB_SILENT_SECONDS)


class JobQuerySet(models.QuerySet[Any]):
    def active(self) -> Self:
        """Not ended."""
        return self.filter(status__in=Job.ACTIVE)

    def ready(self) -> Self:
        """Those that nothing else has to be done for first."""
        return self

    def alive(self) -> Self:
        """Those that a worker is busy with."""
        return self.filter(status=Job.Status.RUNNING, claimed_at__gte=silent_since())

    def due(self) -> Self:
        """Those that a worker can begin: nobody has, or whoever did fell silent."""
        silent = Q(status=Job.Status.RUNNING, claimed_at__lt=silent_since())
        return self.ready().filter(Q(status=Job.Status.WAITING) | silent)

    def again(self, **fields: Any) -> int:
        """Have ended jobs done once more; how many."""
        fresh = {"status": Job.Status.WAITING, "problem": "", "progress": {}, "attempts": 0}
        return self.exclude(status__in=Job.ACTIVE).update(**fresh | fields)

    def stop(self) -> int:
        """End jobs as they are; how many. Their workers learn of it by their next sign of life."""
        free = {"claimed_at": None, "claimed_by": "", "finished_at": timezone.now()}
        return self.active().update(status=Job.Status.STOPPED, **free)


class Job(models.Model):
    """Something a worker is to do, once. `daplatform.jobs.services` changes these fields."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting for a worker"
        RUNNING = "running", "Being made"
        DONE = "done", "Ready"
        FAILED = "failed", "Not possible"
        STOPPED = "stopped", "Stopped"

    ACTIVE = (Status.WAITING, Status.RUNNING)
    LABELS: ClassVar[dict[str, str]] = {}
    """What a kind says in place of the words above."""
    QUEUE = "default"

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    problem = models.TextField(blank=True, help_text="Why it failed, or what keeps it waiting.")
    progress = models.JSONField(default=dict, blank=True, help_text="How far it is, for pages.")
    attempts = models.PositiveSmallIntegerField(default=0)
    # When its worker last gave a sign of life, and a name for this claim that no other has.
    claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    claimed_by = models.CharField(max_length=32, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "running", "done", "failed", "stopped"]),
                name="%(class)s_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status="running") | Q(claimed_at=None, claimed_by=""),
                name="%(class)s_claimed_while_running",
            ),
        ]

    @property
    def queue(self) -> str:
        """Of the workers that can do it."""
        return self.QUEUE

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def status_label(self) -> str:
        """The status in words."""
        return self.LABELS.get(self.status) or str(self.Status(self.status).label)
