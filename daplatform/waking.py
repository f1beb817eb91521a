"""Sending tasks: a wake-up for workers, never the only word of what is to be done."""

from __future__ import annotations

import logging
from typing import Any

from celery.contrib.django.task import DjangoTask
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


class WakingTask(DjangoTask):  # type: ignore[type-arg]
    """A task that cannot be sent is not missed: what waits stands in a row, and sweeps find it.

    So a broker that is away fails no page, whose change is committed by then.
    """

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().apply_async(*args, **kwargs)
        except OperationalError as error:
            logger.warning("%s was not sent and waits for the next sweep: %s", self.name, error)
            return None
