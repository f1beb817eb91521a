"""Recognising that the database was put back to an earlier day, before anything is sent again.

What a restored database calls waiting may have been sent long ago, and a marketplace would pay it
twice. So each claim of the outbox is counted in the database (`Sending`), and the count is written
to a mark outside of it (`settings.SENDING_MARK`) after the claim is committed and before the crowd
is called. The mark is therefore never ahead of its own database. It is ahead of an older copy from
which something was sent, and it is of another epoch than any other database. Where it is missing
while there are acts, nobody knows, which counts as restored.

All of it happens under the lock of the one row: several workers read and write the mark in turn.
Whatever a restored database thinks it has yet to send is unclear then, and is looked up at the
crowd first. The database begins a new epoch, so that the same back-up is recognised once more.
"""

from __future__ import annotations

import datetime as dt
import logging

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from hits.mark import Mark, mark_read, mark_write
from hits.models import Act, Sending
from hits.models.outbox import new_key

logger = logging.getLogger(__name__)
State = Act.State
# A crowd's own listings may lag behind: looked up too early, what was done is not there yet.
LOOK_UP_AFTER = dt.timedelta(seconds=30)
SENTENCE = "The database was restored: the crowd is asked first whether this was done."


def sending_lock() -> Sending:
    """The row, nobody else's until the transaction ends; of a database that is what it seems."""
    row, _ = Sending.objects.select_for_update().get_or_create(pk=1)
    if not _agrees(mark_read(settings.SENDING_MARK), row):
        _restored(row)
    return row


@transaction.atomic
def restore_recognise() -> None:
    """Compare the database with its mark. A new installation gets its first mark here."""
    sending_lock()


@transaction.atomic
def restore_declare() -> int:
    """Treat the database as restored, whatever the mark says; how many acts are looked up."""
    row, _ = Sending.objects.select_for_update().get_or_create(pk=1)
    return _restored(row)


@transaction.atomic
def sending_note() -> None:
    """Note outside how far sending has come. To be called before the crowd is."""
    row = Sending.objects.select_for_update().get(pk=1)
    mark_write(settings.SENDING_MARK, Mark(row.epoch, row.claims))


def sending_is_known() -> bool:
    """Whether the mark is this database's, and has not seen more of it than there is.

    The mark is read first: it may be renewed meanwhile, and then the row is ahead of it.
    """
    mark = mark_read(settings.SENDING_MARK)
    row = Sending.objects.filter(pk=1).first()
    return row is not None and _agrees(mark, row)


def _agrees(mark: Mark | None, row: Sending) -> bool:
    return mark is not None and mark.epoch == row.epoch and mark.claims <= row.claims


def _restored(row: Sending) -> int:
    begins = Greatest(F("next_try_at"), timezone.now() + LOOK_UP_AFTER)
    found = Act.objects.filter(state__in=[State.WAITING, State.CLAIMED]).update(
        state=State.UNCLEAR, claimed_at=None, next_try_at=begins, error=SENTENCE
    )
    row.epoch = new_key()
    row.save()
    mark_write(settings.SENDING_MARK, Mark(row.epoch, row.claims))
    if found:
        logger.warning("the database was restored: %d acts are looked up at their crowds", found)
    return found
