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

from analysis.metrics.artifacts import CONFIG as LAST
from analysis.models import LearnedMetric
from analysis.selectors.learned_metrics import learned_folder

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


def folder_push(folder: Path) -> None:
    """Copy a folder of the store into the bucket, if there is one; what describes it comes last."""
    if SHARED not in settings.STORAGES:
        return
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in sorted(paths, key=lambda path: path == folder / LAST):
        with path.open("rb") as file:
            target = path.relative_to(settings.METRIC_STORE).as_posix()
            if not storages[SHARED].exists(target):
                storages[SHARED].save(target, File(file))


def folder_pull(folder: Path) -> None:
    """Copy a folder that another machine has put into the bucket, if there is one."""
    if SHARED in settings.STORAGES:
        name = folder.relative_to(settings.METRIC_STORE).as_posix()
        files = _files(storages[SHARED], name)
        for path in sorted(files, key=lambda path: path == f"{name}/{LAST}"):
            _fetch(storages[SHARED], path, settings.METRIC_STORE / path)


def learned_pull(metrics: Iterable[str]) -> None:
    """Have the folders of the trained metrics among these on this machine."""
    trained = LearnedMetric.objects.trained().filter(name__in=list(metrics))
    for name in trained.values_list("name", flat=True):
        if not (learned_folder(name) / LAST).is_file():
            folder_pull(learned_folder(name))


def _files(storage: Storage, name: str) -> list[str]:
    try:
        folders, files = storage.listdir(name)
    except FileNotFoundError:
        return []
    below = [path for folder in folders for path in _files(storage, f"{name}/{folder}")]
    return [*below, *(f"{name}/{file}" for file in files)]


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
