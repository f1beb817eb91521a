"""Sharing embeddings through a bucket: every worker has them in a folder, and all of them there.

Shards never change and are named after what is in them, so that to share them is to copy those the
other side lacks: vectors before their index, because what has an index counts as whole.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage, storages

SHARED = "embeddings"
_WHOLE = (".npy", ".npz")


def store_pull(spaces: Iterable[str]) -> None:
    """Copy what other workers have put into these spaces of the bucket, if there is a bucket."""
    for space in spaces if SHARED in settings.STORAGES else ():
        folder = settings.METRIC_STORE / space
        for name in _in_order(_shared(storages[SHARED], space) - _own(folder)):
            _fetch(storages[SHARED], f"{space}/{name}", folder / name)


def store_push(spaces: Iterable[str]) -> None:
    """Copy what this machine has embedded into the bucket, if there is a bucket."""
    for space in spaces if SHARED in settings.STORAGES else ():
        folder = settings.METRIC_STORE / space
        for name in _in_order(_own(folder) - _shared(storages[SHARED], space)):
            with (folder / name).open("rb") as file:
                storages[SHARED].save(f"{space}/{name}", File(file))


def _own(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*") if path.suffix in _WHOLE}


def _shared(storage: Storage, space: str) -> set[str]:
    try:
        return set(storage.listdir(space)[1])
    except FileNotFoundError:
        return set()


def _in_order(names: set[str]) -> list[str]:
    """Of each shard .vectors.npy before .index.npz."""
    return sorted(names, reverse=True)


def _fetch(storage: Storage, name: str, target: Path) -> None:
    """Under a name of its own until it is whole: another worker here may be fetching it too."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        storage.open(name) as source,
        tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as part,
    ):
        shutil.copyfileobj(source, part)
    Path(part.name).replace(target)
