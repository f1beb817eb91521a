"""What happens by itself: overdue work is given back, crowds are asked what is new."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from annotations.services.assignments import assignments_expire, origins_forget
from annotations.services.closing import campaigns_end_finished
from annotations.services.erasing import campaigns_retire
from annotations.services.launches import launches_open
from annotations.services.reconciling import launch_reconcile
from annotations.services.submissions import launch_sync
from annotations.services.tending import launch_tend
from hits.crowds.gateway import CrowdError
from hits.models import Launch
from hits.tasks import acts_run_task

logger = logging.getLogger(__name__)


@shared_task
def assignments_expire_task() -> None:
    now = timezone.now()
    assignments_expire(now=now)
    origins_forget(now=now)


@shared_task
def campaigns_close_task() -> None:
    campaigns_end_finished()


@shared_task
def campaigns_retire_task() -> None:
    campaigns_retire(now=timezone.now(), days=settings.RETENTION_DAYS)


@shared_task
def launch_sync_task(pk: int) -> None:
    """A crowd that does not answer now is asked again with the next sweep."""
    launch = Launch.objects.select_related("batch__campaign").get(pk=pk)
    try:
        launch_sync(launch=launch)
    except CrowdError as error:
        logger.warning("%s could not be synced: %s", launch, error)


@shared_task
def launches_sync_task() -> None:
    for launch in launches_open():
        launch_sync_task.delay(launch.pk)


@shared_task
def launch_tend_task(pk: int) -> None:
    launch = Launch.objects.select_related("batch__campaign").get(pk=pk)
    launch_tend(launch=launch)
    acts_run_task.delay(launch.crowd)


@shared_task
def launches_tend_task() -> None:
    for launch in launches_open():
        launch_tend_task.delay(launch.pk)


@shared_task
def launch_reconcile_task(pk: int) -> None:
    launch = Launch.objects.select_related("batch__campaign").get(pk=pk)
    try:
        differences = launch_reconcile(launch=launch)
        if differences:  # which ones stands on the launch: they name people's submissions
            logger.warning("%s differs from its crowd in %d points", launch, len(differences))
    except CrowdError as error:
        logger.warning("%s could not be reconciled: %s", launch, error)


@shared_task
def launches_reconcile_task() -> None:
    for launch in launches_open():
        launch_reconcile_task.delay(launch.pk)
