"""Files that one machine makes and others need: results, exports, embeddings, trained metrics.

They lie in a folder of the machine that made them. Where there is a bucket, each is put there as
well, under its path and the digest of its content; then a row says which content is the file's. So
several files change at once, and what was put there half-way is nobody's. Other machines fetch what
they lack, and what is not what its row says. Without a bucket the folder is all there is.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet

from daplatform.models import SharedFile

AWAY = "the bucket that holds the files does not answer"
LOST = "A file is missing in the bucket. It is made again when it is asked for."
BLOCK = 1_000_000
HALF = ".part"


class BucketAway(Exception):
    """The bucket does not answer, or refuses. Whoever waits may be served later."""


class FileLost(BucketAway, FileNotFoundError):
    """The bucket answers, and has not what it should have."""


def is_away(error: BaseException | None) -> bool:
    """Whether an error, of ours or of the storage of media, says that the bucket is away."""
    if isinstance(error, BucketAway) or not settings.MEDIA_BUCKET:
        return isinstance(error, BucketAway)
    from botocore.exceptions import BotoCoreError, ClientError

    return isinstance(error, BotoCoreError | ClientError)


@contextmanager
def bucket_asked() -> Iterator[Any]:
    """The bucket; whatever goes wrong with it is `BucketAway`."""
    from botocore.exceptions import BotoCoreError, ClientError  # half a second, and often unneeded

    try:
        yield default_storage.bucket  # type: ignore[attr-defined]
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in ("NoSuchKey", "404"):
            raise FileLost(LOST) from error
        raise BucketAway(str(error)) from error
    except BotoCoreError as error:
        raise BucketAway(str(error)) from error


def files_share(
    paths: Iterable[Path],
    *,
    instead_of: Path | None = None,
    claim: Callable[[], None] = lambda: None,
) -> None:
    """Let every machine have these files, and none that the folder had before instead of them.

    ``claim`` raises where they are no longer this worker's to share: a machine that was cut off
    while it put them there comes back when another has made and shared its own.
    """
    if not settings.MEDIA_BUCKET:
        return
    made = [SharedFile(path=_name(path), sha256=digest(path)) for path in paths]
    names = [file.path for file in made]
    there = set(SharedFile.objects.filter(path__in=names).values_list("path", "sha256"))
    new = [file for file in made if (file.path, file.sha256) not in there]
    for file in new:
        with bucket_asked() as bucket, place_of(file.path).open("rb") as content:
            bucket.put_object(Key=file.key, Body=content)
    with transaction.atomic():
        claim()
        old = list(SharedFile.objects.filter(path__in=[file.path for file in new]))
        old += _below(instead_of).exclude(path__in=names) if instead_of else []
        SharedFile.objects.filter(pk__in=[file.pk for file in old]).delete()
        SharedFile.objects.bulk_create(
            new, update_conflicts=True, unique_fields=["path"], update_fields=["sha256"]
        )
    _remove({file.key for file in old} - {file.key for file in made})


def folder_share(folder: Path, *, claim: Callable[[], None] = lambda: None) -> None:
    """The same for all of a folder; what it had before is gone on every machine."""
    files_share(_files(folder), instead_of=folder, claim=claim)


def folder_fetch(folder: Path) -> None:
    """Have here what any machine has put into a folder. Vectors come before what lists them."""
    for file in _below(folder).order_by("-path") if settings.MEDIA_BUCKET else ():
        _fetched(file)


def is_shared(*paths: Path) -> bool:
    """Whether there are such files for every machine. The bucket is not asked."""
    if not settings.MEDIA_BUCKET:
        return all(path.is_file() for path in paths)
    names = {_name(path) for path in paths}
    return SharedFile.objects.filter(path__in=names).count() == len(names)


def shared_path(path: Path) -> Path:
    """Where the file is on this machine, once it is. Raises FileNotFoundError where none is."""
    if not settings.MEDIA_BUCKET:
        return path
    file = SharedFile.objects.filter(path=_name(path)).first()
    if file is None:
        raise FileNotFoundError(f"There is no file {path.name}.")
    return _fetched(file)


def folder_forget(folder: Path) -> None:
    """Delete a folder here and in the bucket; other machines do when they next fetch beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    if settings.MEDIA_BUCKET:
        old = list(_below(folder))
        SharedFile.objects.filter(pk__in=[file.pk for file in old]).delete()
        _remove(file.key for file in old)


def digest(path: Path) -> str:
    """Of a file's content, read again only when the file has changed."""
    status = path.stat()
    return _digest(path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=50_000)
def _digest(path: Path, *changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetched(file: SharedFile) -> Path:
    path = place_of(file.path)
    if path.is_file() and digest(path) == file.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _download(file, path)
    except FileLost:
        # Another machine may have made it anew since the row was read.
        now = SharedFile.objects.filter(path=file.path).first()
        if now is None or now.sha256 == file.sha256:
            SharedFile.objects.filter(path=file.path, sha256=file.sha256).delete()
            raise
        _download(now, path)
    _tidy(path.parent)
    return path


def _download(file: SharedFile, path: Path) -> None:
    """Under a name of its own until it is whole: another process here may be fetching it too."""
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=HALF, delete=False) as part:
        try:
            with bucket_asked() as bucket:
                content = bucket.Object(file.key).get()["Body"]
                for block in content.iter_chunks(BLOCK):
                    part.write(block)
            part.flush()
            if digest(Path(part.name)) != file.sha256:
                raise BucketAway(f"What the bucket has of {file.path} is damaged.")
            Path(part.name).chmod(0o644)
            Path(part.name).replace(path)
        finally:
            Path(part.name).unlink(missing_ok=True)


def _tidy(folder: Path) -> None:
    """Drop folders beside this one that are nobody's any more: their rows went elsewhere."""
    if folder.is_relative_to(settings.METRIC_STORE):
        return  # there lie models, too
    for other in folder.parent.iterdir():
        # What is young may be about to be shared.
        is_old = other.stat().st_mtime < folder.stat().st_mtime - 3600
        if is_old and other.is_dir() and other.name.isdecimal() and not _below(other).exists():
            shutil.rmtree(other, ignore_errors=True)


def _remove(keys: Iterable[str]) -> None:
    keys = list(keys)
    with bucket_asked() as bucket:
        for key in keys:
            bucket.Object(key).delete()


def _below(folder: Path) -> QuerySet[SharedFile]:
    return SharedFile.objects.filter(path__startswith=f"{_name(folder)}/")


def _files(folder: Path) -> Collection[Path]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if path.suffix != HALF]


def _name(path: Path) -> str:
    """Of a file or folder on every machine, wherever its own folders are."""
    if path.is_relative_to(settings.METRIC_STORE):
        return f"store/{path.relative_to(settings.METRIC_STORE).as_posix()}"
    return path.relative_to(settings.DATA_DIR).as_posix()


def place_of(name: str) -> Path:
    """The same path on this machine."""
    root, _, below = name.partition("/")
    found: Path = settings.METRIC_STORE / below if root == "store" else settings.DATA_DIR / name
    return found
