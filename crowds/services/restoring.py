"""Recognising that the database was put back to an earlier day, before anything is sent again.

What a restored database calls waiting may have been sent long ago, and a marketplace would pay it
twice. So each claim of the outbox is counted in the database (`Sending`), and the count is written
to a mark outside of it (`settings.SENDING_MARK`) after the claim is committed and before the crowd
is called. The mark is therefore never ahead of its own database. It is ahead of an older copy from
which something was sent, and it is of another epoch than any other database. Where it is missing
while there are messages, nobody knows, which counts as restored. It is replaced as a whole, and on
the disk before anybody goes on. It knows its own inode, so that a copy of the folder that is put
back later is not taken for the mark that was left there.

Where there is a bucket, the mark is there instead: machines have disks of their own, and a snapshot
of a whole disk would bring back database and file alike. Each claim leaves an object, whose name is
its number within its epoch. Nobody writes over another's, so that no lock is held while the bucket
is spoken to. An epoch begins with an object: one of which there is none is not known.

The file is read and written under the lock of the one row: several workers do so in turn. The
bucket is asked before anything is claimed, and told of claims outside of any transaction.
Whatever a restored database thinks it has yet to send is unclear then, and is looked up at the
crowd first. What it would publish and the crowd does not have may have been deleted there since: it
waits for a person. The database begins a new epoch, so that the same back-up is recognised once
more.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from crowds.models import OutboxMessage, Sending
from crowds.models.outbox import new_key
from daplatform.errors import DomainError
from daplatform.shared_files import BucketAway, bucket_asked

logger = logging.getLogger(__name__)
State = OutboxMessage.State
# A crowd's own listings may lag behind: looked up too early, what was done is not there yet.
LOOK_UP_AFTER = dt.timedelta(seconds=30)
# In the payload of a message: whether it was done and undone since is not known.
IN_DOUBT = "in_doubt"
SENTENCE = "The database was restored: the crowd is first asked whether this was done."


@dataclass(frozen=True)
class Mark:
    """What the database said of itself when it last sent something."""

    epoch: str
    claims: int


class MarkUnwritable(DomainError):
    """Nothing may be sent that could not be noted."""


def mark_read(path: Path) -> Mark | None:
    """The mark; None where there is none, or what is there is a copy or no mark."""
    try:
        with path.open("rb") as file:
            found = json.load(file)
            is_original = found.pop("inode") == os.fstat(file.fileno()).st_ino
            return Mark(**found) if is_original else None
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None


def mark_write(path: Path, mark: Mark) -> None:
    """Put the mark in the place of the one before."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".mark-", dir=path.parent)
        try:
            with open(handle, "w") as file:
                json.dump({**asdict(mark), "inode": os.fstat(file.fileno()).st_ino}, file)
                file.flush()
                os.fsync(file.fileno())
            Path(part).replace(path)
        finally:
            Path(part).unlink(missing_ok=True)
        _keep_names(path.parent)
    except OSError as error:
        raise MarkUnwritable(
            f"Nothing is sent, because it cannot be recorded in {path.name}: {error.strerror}."
        ) from error


def _keep_names(folder: Path) -> None:
    """Let the folder's list of files be on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _file_note(mark: Mark) -> None:
    """Write the mark to the disk, where there is no bucket."""
    if not settings.MEDIA_BUCKET:
        mark_write(settings.SENDING_MARK, mark)


def bucket_note(mark: Mark) -> None:
    """Leave a claim's number in the bucket, where there is one."""
    if settings.MEDIA_BUCKET:
        with _asked() as bucket:
            bucket.put_object(Key=f"{_prefix(mark.epoch)}{mark.claims:012}", Body=b"")


def bucket_claims(epoch: str) -> float:
    """The last claim of an epoch that the bucket knows of; numbers before it are tidied away.

    Of an epoch that it does not know, any number may have been claimed.
    """
    with _asked() as bucket:
        keys = sorted(each.key for each in bucket.objects.filter(Prefix=_prefix(epoch)))
        for key in keys[:-1]:
            bucket.Object(key).delete()
    return int(keys[-1].removeprefix(_prefix(epoch))) if keys else math.inf


def _prefix(epoch: str) -> str:
    return f"sending/{epoch}/"


@contextmanager
def _asked() -> Iterator[Any]:
    """The bucket. Where it does not answer, nothing may be sent."""
    try:
        with bucket_asked() as bucket:
            yield bucket
    except BucketAway as error:
        raise MarkUnwritable(
            f"Nothing is sent, because it cannot be recorded in the bucket of the media: {error}"
        ) from error


def sending_lock() -> Sending:
    """The row, nobody else's until the transaction ends; of a database that is what it seems."""
    row, is_new = Sending.objects.select_for_update().get_or_create(pk=1)
    # Where there is a bucket, it was asked before.
    if is_new if settings.MEDIA_BUCKET else not _agrees(mark_read(settings.SENDING_MARK), row):
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
        _file_note(mark)
    bucket_note(mark)


def sending_is_known() -> bool:
    """Whether the mark is this database's, and has not seen more of it than there is.

    The mark is read first: it may be renewed meanwhile, and then the row is ahead of it.
    """
    mark = mark_read(settings.SENDING_MARK)
    row = Sending.objects.filter(pk=1).first()
    if row is None or not settings.MEDIA_BUCKET:
        return row is not None and _agrees(mark, row)
    return bucket_claims(row.epoch) <= _claims(row.epoch)


def _agrees(mark: Mark | None, row: Sending) -> bool:
    return mark is not None and mark.epoch == row.epoch and mark.claims <= row.claims


def _restored(row: Sending) -> int:
    begins = Greatest(F("next_try_at"), timezone.now() + LOOK_UP_AFTER)
    _publications_doubt()
    found = OutboxMessage.objects.filter(state__in=[State.WAITING, State.CLAIMED]).update(
        state=State.UNCLEAR, claimed_at=None, next_try_at=begins, error=SENTENCE
    )
    # Should the disk be put back to this epoch, the bucket knows that it is over.
    bucket_note(Mark(row.epoch, row.claims + 1))
    row.epoch = new_key()
    row.save()
    begun = Mark(row.epoch, row.claims)
    _file_note(begun)
    bucket_note(begun)
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
