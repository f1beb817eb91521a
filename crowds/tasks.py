"""What happens by itself: crowds are told what waits and asked what is new, work is paid."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from crowds.gateway import CrowdError
from crowds.models import Launch
from crowds.services.closing import campaigns_end_finished
from crowds.services.erasing import campaigns_retire
from crowds.services.launches import launches_open
from crowds.services.outbox import claims_lapse, crowds_waiting, outbox_run
from crowds.services.reconciling import launch_reconcile
from crowds.services.submissions import launch_sync
from crowds.services.topups import launch_tend
from crowds.services.visits import origins_forget

logger = logging.getLogger(__name__)
# So many that no task takes longer than a worker may.
MESSAGES_AT_ONCE = 500


@shared_task
def outbox_run_task(crowd: str) -> None:
    """Tell a crowd what waits to be told. Run twice at once, each message is still told once."""
    if outbox_run(crowd=crowd, limit=MESSAGES_AT_ONCE) >= MESSAGES_AT_ONCE:
        outbox_run_task.delay(crowd)


@shared_task
def outbox_resume_task() -> None:
    """Wake the work that a lost message or a dead worker left behind."""
    claims_lapse()
    for crowd in crowds_waiting():
        outbox_run_task.delay(crowd)


@shared_task
def origins_forget_task() -> None:
    origins_forget(now=timezone.now())


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
    outbox_run_task.delay(launch.crowd)


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
