"""The store of embeddings: every frame and every text embedded once, kept for ever.

Content-addressed: the key of an entry is a digest of what was embedded, and entries of different
models, weights or preprocessing lie in different spaces.  A space is a folder of shards; a shard
is written once and never changed: first its vectors, then its index, each under a temporary name
and renamed, so that a reader sees a shard whole or not at all and several workers may write at
once.  The same entries always make a shard of the same name.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32] | NDArray[np.float16]
Marks = NDArray[np.int32]

_INDEX, _VECTORS, _PART = ".index.npz", ".vectors.npy", ".part"
_DIGITS = 64  # of a key


class Embedding(NamedTuple):
    """The vectors of one text or video, with a mark for each: token id, or milliseconds."""

    vectors: Vectors
    marks: Marks


class _Place(NamedTuple):
    shard: str
    rows: slice


def key_of(*parts: str) -> str:
    """The key of what these texts describe, in order.

    >>> key_of("ab", "c") == key_of("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


class Space:
    """The entries of one model. Vectors stay on disk and are mapped into memory when read."""

    def __init__(self, folder: Path, dtype: str = "float32") -> None:
        if dtype not in ("float32", "float16"):
            raise ValueError(f"dtype must be float32 or float16, not {dtype!r}")
        self.folder = folder
        self.fault = ""
        self._dtype = np.dtype(dtype)
        self._places: dict[str, _Place] = {}
        self._marks: dict[str, Marks] = {}
        self._vectors: dict[str, Vectors] = {}
        self._unsaved: dict[str, Embedding] = {}
        self._refresh()

    def __contains__(self, key: str) -> bool:
        return key in self._places or key in self._unsaved

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Those of the keys, each once, that nobody has embedded yet."""
        wanted = [key for key in dict.fromkeys(keys) if key not in self]
        if wanted:
            self._refresh()
        return [key for key in wanted if key not in self]

    def __getitem__(self, key: str) -> Embedding:
        if key in self._unsaved:
            return self._unsaved[key]
        shard, rows = self._places[key]
        return Embedding(self._mapped(shard)[rows], self._marks[shard][rows])

    def put(self, entries: Mapping[str, Embedding]) -> None:
        """Write the entries as one shard: all of them or, after a crash, none.

        Where the disk is full, ``fault`` says so, and the entries can be read for as long as this
        object lives: the run is finished, the next one embeds again.
        """
        if not entries:
            return
        items = {
            key: Embedding(entries[key].vectors.astype(self._dtype), entries[key].marks)
            for key in sorted(entries)
        }
        try:
            self._learn(self._save(items))
        except OSError as error:
            self._unsaved.update(items)
            self.fault = f"the store {self.folder.parent} cannot be written: {error.strerror}"

    def _save(self, items: Mapping[str, Embedding]) -> str:
        shard = key_of(*items)[:32]
        if not self._path(shard, _INDEX).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            vectors = np.concatenate([item.vectors for item in items.values()])
            write_whole(self._path(shard, _VECTORS), lambda file: np.save(file, vectors))
            write_whole(self._path(shard, _INDEX), lambda file: _save_index(file, items))
        return shard

    def _refresh(self) -> None:
        """Learn of the shards that other workers have written."""
        for path in sorted(self.folder.glob(f"*{_INDEX}")):
            shard = path.name.removesuffix(_INDEX)
            if shard not in self._marks:
                self._learn(shard)

    def _learn(self, shard: str) -> None:
        with np.load(self._path(shard, _INDEX), allow_pickle=False) as index:
            ends = np.cumsum(index["lengths"]).tolist()
            keys = index["keys"].tobytes().hex()
            self._marks[shard] = index["marks"]
        for number, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
            key = keys[_DIGITS * number : _DIGITS * (number + 1)]
            self._places.setdefault(key, _Place(shard, slice(begin, end)))

    def _mapped(self, shard: str) -> Vectors:
        if shard not in self._vectors:
            # A plain view of the mapping: slicing np.memmap itself costs ten times as much.
            mapped = np.load(self._path(shard, _VECTORS), mmap_mode="r")
            self._vectors[shard] = np.asarray(mapped)
        return self._vectors[shard]

    def _path(self, shard: str, suffix: str) -> Path:
        return self.folder / f"{shard}{suffix}"


def _save_index(file: IO[bytes], items: Mapping[str, Embedding]) -> None:
    np.savez(
        file,
        keys=np.frombuffer(bytes.fromhex("".join(items)), np.uint8),
        lengths=np.array([len(item.vectors) for item in items.values()], np.int64),
        marks=np.concatenate([item.marks for item in items.values()]).astype(np.int32),
    )


def write_whole(path: Path, save: Callable[[IO[bytes]], None]) -> None:
    """Save under a temporary name; the file gets its own when it is safely on the disk."""
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=_PART, delete=False) as file:
        part = Path(file.name)
        try:
            save(file)
            file.flush()
            os.fsync(file.fileno())
            part.chmod(0o644)  # the other workers may be other users
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def prune(root: Path, keep: Collection[str], before: float) -> int:
    """Delete what other models left of the same kinds as the spaces to keep; bytes set free.

    In the spaces that are kept, parts of shards that were begun before a time and never finished.
    """
    kinds = {_kind(name) for name in keep}
    freed = 0
    for folder in [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []:
        files = [path for path in folder.iterdir() if path.is_file()]
        if folder.name in keep:
            files = [p for p in files if p.suffix == _PART and p.stat().st_mtime < before]
        elif _kind(folder.name) not in kinds:
            continue
        freed += sum(path.stat().st_size for path in files)
        for path in files:
            path.unlink()
        if folder.name not in keep:
            folder.rmdir()
    return freed


def _kind(space: str) -> str:
    return space.partition("-")[0]
