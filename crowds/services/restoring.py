"""Recognising that the database was put back to an earlier day, before anything is sent again.

What a restored database calls waiting may have been sent long ago, and a marketplace would pay it
twice. So each claim of the outbox is counted in the database (`Sending`), and the count is written
to a mark outside of it (`settings.SENDING_MARK`) after the claim is committed and before the crowd
is called. The mark is therefore never ahead of its own database. It is ahead of an older copy from
which something was sent, and it is of another epoch than any other database. Where it is missing
while there are messages, nobody knows, which counts as restored. A bucket keeps the numbers of
claims as well, where there is one: a snapshot of a whole disk has a mark of its own age.

The mark is read and written under the lock of the one row: several workers do so in turn. The
bucket is asked before anything is claimed, and told outside of any transaction.
Whatever a restored database thinks it has yet to send is unclear then, and is looked up at the
crowd first. What it would publish and the crowd does not have may have been deleted there since: it
waits for a person. The database begins a new epoch, so that the same back-up is recognised once
more.
"""

from __future__ import annotations

import datetime as dt
import logging
import math

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from crowds.mark import Mark, bucket_claims, bucket_note, mark_read, mark_write
from crowds.models import OutboxMessage, Sending
from crowds.models.outbox import new_key

logger = logging.getLogger(__name__)
State = OutboxMessage.State
# A crowd's own listings may lag behind: looked up too early, what was done is not there yet.
LOOK_UP_AFTER = dt.timedelta(seconds=30)
# In the payload of an message: whether it was done and undone since is not known.
IN_DOUBT = "in_doubt"
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


def restores_recognise() -> None:
    """Compare the database with its mark and with the bucket."""
    restore_recognise()
    snapshot_recognise()


def snapshot_recognise() -> None:
    """Compare the database with the bucket's numbers, where there is a bucket."""
    row = Sending.objects.filter(pk=1).first() if settings.MEDIA_BUCKET else None
    if row is not None and bucket_claims(row.epoch) > _claims(row.epoch):
        restore_declare()


def _claims(epoch: str) -> float:
    """How many there are by now: the bucket was asked first, and others have gone on meanwhile.

    Should another worker have begun a new epoch, it has recognised the restore.
    """
    row = Sending.objects.get(pk=1)
    return row.claims if row.epoch == epoch else math.inf


@transaction.atomic
def restore_declare() -> int:
    """Treat the database as restored, whatever the mark says; how many messages are looked up."""
    row, _ = Sending.objects.select_for_update().get_or_create(pk=1)
    return _restored(row)


def sending_note() -> None:
    """Note outside how far sending has come. To be called before the crowd is."""
    with transaction.atomic():
        row = Sending.objects.select_for_update().get(pk=1)
        mark = Mark(row.epoch, row.claims)
        mark_write(settings.SENDING_MARK, mark)
    bucket_note(mark)


def sending_is_known() -> bool:
    """Whether the mark is this database's, and has not seen more of it than there is.

    The mark is read first: it may be renewed meanwhile, and then the row is ahead of it.
    """
    mark = mark_read(settings.SENDING_MARK)
    row = Sending.objects.filter(pk=1).first()
    if row is None or not _agrees(mark, row):
        return False
    return bucket_claims(row.epoch) <= _claims(row.epoch)


def _agrees(mark: Mark | None, row: Sending) -> bool:
    return mark is not None and mark.epoch == row.epoch and mark.claims <= row.claims


def _restored(row: Sending) -> int:
    begins = Greatest(F("next_try_at"), timezone.now() + LOOK_UP_AFTER)
    _publications_doubt()
    found = OutboxMessage.objects.filter(state__in=[State.WAITING, State.CLAIMED]).update(
        state=State.UNCLEAR, claimed_at=None, next_try_at=begins, error=SENTENCE
    )
    row.epoch = new_key()
    row.save()
    mark_write(settings.SENDING_MARK, Mark(row.epoch, row.claims))
    if found:
        logger.warning(
            "the database was restored: %d messages are looked up at their crowds", found
        )
    return found


def publications_in_doubt() -> QuerySet[OutboxMessage]:
    """What a restored database would publish, and may have been published and deleted before."""
    waiting = OutboxMessage.objects.exclude(state__in=OutboxMessage.ENDED)
    return waiting.filter(kind=OutboxMessage.Kind.PUBLISH, payload__has_key=IN_DOUBT)


@transaction.atomic
def publications_trust() -> int:
    """A person has looked at the crowds: what they do not have is to be published after all."""
    messages = list(publications_in_doubt().select_for_update().filter(state=State.ASKING))
    for message in messages:
        del message.payload[IN_DOUBT]
        message.state, message.attempts, message.next_try_at = State.UNCLEAR, 0, timezone.now()
    OutboxMessage.objects.bulk_update(
        messages, ["payload", "state", "attempts", "next_try_at"], batch_size=500
    )
    return len(messages)


def _publications_doubt() -> None:
    """Have a person decide about what would be published and the crowd does not have."""
    states = [State.WAITING, State.CLAIMED, State.UNCLEAR]
    messages = list(OutboxMessage.objects.filter(kind=OutboxMessage.Kind.PUBLISH, state__in=states))
    for message in messages:
        message.payload[IN_DOUBT] = True
    OutboxMessage.objects.bulk_update(messages, ["payload"], batch_size=500)
