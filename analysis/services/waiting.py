"""Work that cannot go on now, and will."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.utils import timezone

from analysis.models import ClaimedQuerySet
from daplatform.disk import NO_SPACE, is_full

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def waiting_for_space(row: ClaimedQuerySet) -> Iterator[None]:
    """Where the disk is full, say so in the row, and leave it to the next sweep."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        logger.error("a result cannot be written: %s", NO_SPACE)
        row.update(claimed_at=None, problem=NO_SPACE)


@contextlib.contextmanager
def signs_of_life(rows: QuerySet[Any]) -> Iterator[None]:
    """Confirm the claim of rows for as long as the work takes, be it a minute or an hour."""
    ended = threading.Event()

    def confirm() -> None:
        while not ended.wait(settings.METRIC_CLAIM_SECONDS / 4):
            try:
                rows.update(claimed_at=timezone.now())
            except OperationalError:
                continue  # another time
        connection.close()

    thread = threading.Thread(target=confirm, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
