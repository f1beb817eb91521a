"""The mark: how far sending has come, kept in a file, where no back-up of the database reaches.

It is replaced as a whole, and on the disk before anybody goes on. It knows its own inode, so that
a copy of the folder that is put back later is not taken for the mark that was left there.

A snapshot of the whole disk brings back database and file alike. Where media lie in a bucket, each
claim therefore leaves an object there too, whose name is its number within its epoch. Nobody writes
over another's, so that no lock is held while the bucket is spoken to.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage

from daplatform.errors import DomainError


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
            f"Nothing is sent, because it cannot be noted in {path.name}: {error.strerror}."
        ) from error


def _keep_names(folder: Path) -> None:
    """Let the folder's list of files be on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def bucket_note(mark: Mark) -> None:
    """Leave a claim's number in the bucket, where there is one."""
    if settings.MEDIA_BUCKET:
        with _spoken_to() as bucket:
            bucket.put_object(Key=f"{_prefix(mark.epoch)}{mark.claims:012}", Body=b"")


def bucket_claims(epoch: str) -> int:
    """The last claim of an epoch that the bucket knows of; numbers before it are tidied away."""
    if not settings.MEDIA_BUCKET:
        return 0
    with _spoken_to() as bucket:
        keys = sorted(each.key for each in bucket.objects.filter(Prefix=_prefix(epoch)))
        for key in keys[:-1]:
            bucket.Object(key).delete()
    return int(keys[-1].removeprefix(_prefix(epoch))) if keys else 0


def _prefix(epoch: str) -> str:
    return f"sending/{epoch}/"


@contextmanager
def _spoken_to() -> Iterator[Any]:
    """The bucket of the media. Where it does not answer, nothing may be sent."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield default_storage.bucket  # type: ignore[attr-defined]
    except (BotoCoreError, ClientError) as error:
        raise MarkUnwritable(
            f"Nothing is sent, because it cannot be noted in the bucket of the media: {error}"
        ) from error
