"""A campaign's ratings as columns on disk: they leave the database once.

A snapshot is a folder of Arrow files, one for each time ratings were fetched, named by the first
and last id in it and the number of rows. Rating rows are never changed, so what was fetched stays
true; a snapshot that cannot be read, or whose checksums differ from the database's, is thrown away
and made anew.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Columns = dict[str, NDArray[Any]]
Part = tuple[int, int, int]

# What one rating is to the statistics. Ids are the database's own; a missing fluency is -1.
FIELDS: dict[str, str] = {
    "id": "i8",
    "assignment": "i8",
    "annotator": "i8",
    "hit": "i8",
    "system": "i8",
    "item": "i8",
    "kind": "i2",
    "score": "i2",
    "fluency": "i2",
    "position": "i2",
    "revision": "i2",
    "unwatched": "i2",
    "seconds": "f8",
    "submitted_at": "i8",
}
"""Column names and numpy types; `submitted_at` is microseconds since 1970."""

# What the database can sum as well. Each rating has a weight, or two could change places unseen.
SUMMED = (
    *("id", "assignment", "annotator", "hit", "system", "item"),
    *("score", "fluency", "position", "revision"),
)
WEIGHTS = 997


class SnapshotError(Exception):
    """A part cannot be read, or is not what its name says."""


class Snapshot:
    """The fetched ratings of one campaign."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def last_id(self) -> int:
        """The highest id fetched; 0 when nothing was."""
        return max((last for _, last, _ in self._parts()), default=0)

    @property
    def rows(self) -> int:
        return sum(rows for _, _, rows in self._parts())

    def append(self, columns: Columns) -> None:
        """Add rows, all of them newer than those that are there. A crash leaves no half of it."""
        import pyarrow as pa

        if not len(columns["id"]):
            return
        first, last = int(columns["id"][0]), int(columns["id"][-1])
        if first <= self.last_id:
            raise ValueError(f"columns: id {first} was fetched already")
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{first}-{last}-{len(columns['id'])}.arrow"
        part = path.with_suffix(f".{os.getpid()}")
        table = pa.table({name: pa.array(columns[name]) for name in FIELDS})
        try:
            with part.open("wb") as file:
                with pa.ipc.new_file(file, table.schema) as writer:
                    writer.write_table(table)
                file.flush()
                os.fsync(file.fileno())  # or a power cut leaves the name without the rows
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)  # a full disk is not filled with halves

    def read(self) -> Columns:
        """Every column, mapped from disk where there is one part only."""
        import pyarrow as pa

        try:
            tables = [_table(path) for path in self._paths()]
        except (OSError, ValueError, TypeError, LookupError, pa.ArrowException) as error:
            raise SnapshotError(str(error)) from error
        if not tables:
            return {name: np.empty(0, dtype=kind) for name, kind in FIELDS.items()}
        table = pa.concat_tables(tables)
        return {name: table.column(name).to_numpy() for name in FIELDS}

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _paths(self) -> list[Path]:
        return [
            self._folder / f"{first}-{last}-{rows}.arrow" for first, last, rows in self._parts()
        ]

    def _parts(self) -> list[Part]:
        """First id, last id and rows of each part, in order.

        Two processes may have fetched the same ratings at once: of parts that overlap the longer
        one counts.
        """
        found = [_part(path) for path in self._folder.glob("*.arrow")]
        parts: list[Part] = []
        for part in sorted(found, key=lambda part: (part[0], -part[1])):
            if not parts or part[0] > parts[-1][1]:
                parts.append(part)
        return parts


def _part(path: Path) -> Part:
    first, last, rows = path.stem.split("-")
    return int(first), int(last), int(rows)


def _table(path: Path) -> pa.Table:
    import pyarrow as pa

    fields = [
        pa.field(name, pa.from_numpy_dtype(np.dtype(kind)), nullable=False)
        for name, kind in FIELDS.items()
    ]
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all().cast(pa.schema(fields))
    ids = table.column("id")
    if (ids[0].as_py(), ids[-1].as_py(), len(ids)) != _part(path):
        raise ValueError(f"{path.name} holds {len(ids)} ratings from {ids[0]} to {ids[-1]}")
    return table


def checksums(columns: Columns) -> dict[str, int]:
    """What is the same of the same ratings, in whatever order."""
    weight = columns["id"] % WEIGHTS + 1
    sums = {f"sum_{name}": int((weight * columns[name]).sum()) for name in SUMMED}
    return sums | {"rows": len(weight)}


def latest(columns: Columns) -> Columns:
    """Only the last revision of each answer: a change of mind replaces what was said before.

    The time it took is added: a second look takes a moment, and is not all that was spent.
    """
    if not len(columns["id"]) or columns["revision"].max() == 1:
        return columns
    order = np.lexsort((columns["revision"], columns["position"], columns["assignment"]))
    same = np.ones(len(order), dtype=bool)
    for name in ("assignment", "position"):
        ordered = columns[name][order]
        same[:-1] &= ordered[:-1] == ordered[1:]
    same[-1] = False
    last = order[~same]
    first = np.flatnonzero(np.concatenate([[True], ~same[:-1]]))
    seconds = columns["seconds"].copy()
    seconds[last] = np.add.reduceat(seconds[order], first)
    kept = np.sort(last)
    return {name: values[kept] for name, values in (columns | {"seconds": seconds}).items()}
