"""Work that cannot go on now, and will."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

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
