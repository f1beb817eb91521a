"""Sending tasks: a wake-up for workers, never the only word of what is to be done."""

from __future__ import annotations

import contextvars
import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from celery.contrib.django.task import DjangoTask
from django.conf import settings
from kombu.exceptions import OperationalError
from prometheus_client import Counter

logger = logging.getLogger(__name__)
THREADS, WAITING = 2, 16
UNSENT = Counter("da_tasks_unsent", "Wake-ups left to the next sweep.", ["task", "reason"])


class Senders:
    """A few threads that speak to the broker, and a short queue before them.

    A broker that hangs holds these threads and no others.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sender")
        self._places = threading.BoundedSemaphore(THREADS + WAITING)

    def take(self, send: Callable[[], Any]) -> Future[Any] | None:
        """Send it in a while; None when too much waits already."""
        if not self._places.acquire(blocking=False):
            return None
        # Log lines in that thread carry the name of the request that asked.
        future = self._threads.submit(contextvars.copy_context().run, send)
        future.add_done_callback(lambda _: self._places.release())
        return future

    def renew(self) -> None:
        """After a fork, which copies no threads."""
        self.__init__()  # type: ignore[misc]


SENDERS = Senders()
os.register_at_fork(after_in_child=SENDERS.renew)


class TaskBase(DjangoTask):  # type: ignore[type-arg]
    """A task that cannot be sent is not missed: what waits stands in a row, and sweeps find it.

    So a broker that is away fails no page, whose change is committed by then, and one that hangs
    delays it by no more than WAKING_SECONDS.
    """

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        send = partial(self._send, *args, **kwargs)
        # Beat brings a connection of its own, which is not for several threads at once.
        if self.app.conf.task_always_eager or kwargs.get("producer"):
            return send()
        future = SENDERS.take(send)
        if future is None:
            return self._leave("full", "too many wait for the broker")
        try:
            return future.result(settings.WAKING_SECONDS)
        except TimeoutError:
            return None  # it is sent later, or its sender says why not

    def _send(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().apply_async(*args, **kwargs)
        except OperationalError as error:
            return self._leave("broker", error)

    def _leave(self, reason: str, why: object) -> None:
        UNSENT.labels(self.name, reason).inc()
        logger.warning("%s was not sent and waits for the next sweep: %s", self.name, why)
