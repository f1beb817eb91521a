"""Cells of a ratings table, of whatever type, into codes and numbers, with every fault found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daplatform.tables import SHOWN, Fault, Kind, Severity, TableError, Where

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.int32]
_MEND = "Correct it, or delete the row"


def encode(name: str, column: Any, faults: RowFaults) -> tuple[Codes, tuple[str, ...]]:
    """Labels as codes into their sorted list; an empty label is a fault."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _arrow(column)
    if not pa.types.is_dictionary(cells.type):
        try:
            cells = pc.dictionary_encode(pc.cast(cells, pa.string()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            wrong = row_fault(
                Kind.NOT_TEXT, f"{name} is not a column of text.", "Write names as text."
            )
            raise TableError([wrong]) from error
    dictionary = pc.cast(cells.dictionary, pa.string()).to_pylist()
    codes = np.nan_to_num(_numbers(cells.indices), nan=-1).astype(np.int32, copy=False)
    empty = [code for code, label in enumerate(dictionary) if not label]
    missing = np.flatnonzero(np.isin(codes, [-1, *empty]))
    faults.add(missing, Kind.VALUE, lambda row: f"{name} is empty.", f"{_MEND}.")
    return sort_labels(codes, [label or "" for label in dictionary])


def sort_labels(codes: NDArray[Any], labels: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Codes into the sorted labels that occur, so that they do not depend on the order of rows.

    >>> sort_labels(np.array([0, 2, 0]), ["b", "unused", "a"])
    (array([1, 0, 1], dtype=int32), ('a', 'b'))
    """
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(labels)))
    distinct = sorted({labels[code] for code in used.tolist()})
    place = {label: position for position, label in enumerate(distinct)}
    recode = np.array([place.get(label, 0) for label in labels] or [0], dtype=np.int32)
    return recode[codes], tuple(distinct)


def whole_numbers(
    name: str, column: Any, low: int, high: int, faults: RowFaults
) -> NDArray[np.int64]:
    """Whole numbers between two bounds; 75.0 is one, 75.5, an empty cell and text are not."""
    values = _floats(column)
    inside = (values >= low) & (values <= high)
    wrong = np.flatnonzero(~(inside & (values == np.round(values))))
    cells = _arrow(column)
    faults.add(
        wrong,
        Kind.VALUE,
        lambda row: f"{name} {_shown(cells, row)} is not a whole number from {low:,} to {high:,}.",
        f"{_MEND}.",
    )
    return np.where(inside, values, 0).astype(np.int64)


def points(name: str, column: Any, low: int, high: int, faults: RowFaults) -> NDArray[Any]:
    """Points of a scale, whole or half ones: whole numbers where all are, else floats."""
    values = _floats(column)
    if not np.any(np.isfinite(values) & (values != np.round(values))):
        return whole_numbers(name, column, low, high, faults)
    cells = _arrow(column)
    inside = (values >= low) & (values <= high)
    faults.add(
        np.flatnonzero(~(inside & (2 * values == np.round(2 * values)))),
        Kind.VALUE,
        lambda row: (
            f"{name} {_shown(cells, row)} is not a number of points from {low:,} to {high:,} "
            "(whole or half ones)."
        ),
        f"{_MEND}.",
    )
    return np.where(inside, values, 0.0)


def finite_numbers(name: str, column: Any, faults: RowFaults) -> NDArray[np.float64]:
    """Any numbers; an empty cell and text are none."""
    values = _floats(column)
    cells = _arrow(column)
    faults.add(
        np.flatnonzero(~np.isfinite(values)),
        Kind.VALUE,
        lambda row: f"{name} {_shown(cells, row)} is not a number.",
        f"{_MEND}.",
    )
    return values


def durations(name: str, column: Any, faults: RowFaults) -> NDArray[np.float64]:
    """Seconds, none of them negative; an empty cell is NaN, not known."""
    values = _floats(column)
    cells = _arrow(column)
    unknown = np.isnan(values) & ~_blank(cells)
    faults.add(
        np.flatnonzero(unknown | (values < 0) | np.isinf(values)),
        Kind.VALUE,
        lambda row: f"{name} {_shown(cells, row)} is not a number of seconds.",
        "Correct it, or leave it empty.",
    )
    return np.where(np.isnan(values), np.nan, values)  # one NaN: the signature hashes its bits


def moments(name: str, column: Any, faults: RowFaults) -> NDArray[np.datetime64]:
    """Points in time in UTC (ISO 8601, or a timestamp type); an empty cell is NaT."""
    import pyarrow as pa

    cells = _arrow(column)
    if pa.types.is_timestamp(cells.type):
        stamps = cells.cast(pa.timestamp("us", tz=cells.type.tz), safe=False)
        return np.asarray(stamps.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False))
    parsed = [_moment(cell) for cell in cells.to_pylist()]
    wrong = np.flatnonzero(np.array([moment is False for moment in parsed], dtype=bool))
    faults.add(
        wrong,
        Kind.VALUE,
        lambda row: f"{name} {_shown(cells, row)} is not a date and time.",
        "Write it as 2026-01-31T13:45:00Z (ISO 8601), or leave it empty.",
    )
    return np.array([moment or None for moment in parsed], dtype="datetime64[us]")


def all_blank(column: Any) -> bool:
    """Whether no cell of the column holds anything."""
    return bool(_blank(_arrow(column)).all())


def _moment(cell: object) -> datetime | bool | None:
    """A naive time in UTC, None for an empty cell, False for what cannot be read."""
    if cell is None or cell == "":
        return None
    try:
        moment = cell if isinstance(cell, datetime) else datetime.fromisoformat(str(cell))
    except ValueError:
        return False
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def _arrow(column: Any) -> pa.Array:
    """One contiguous Arrow array, whatever the column was."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.Array):
        return column
    try:
        cells = pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers and text in one column
        cells = pa.array([None if cell is None else str(cell) for cell in column])
    return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells


def _floats(column: Any) -> NDArray[np.float64]:
    """Numbers, NaN where a cell holds none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _arrow(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    try:
        numbers = pc.cast(cells, pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        numbers = pa.array([_number(cell) for cell in cells.to_pylist()], pa.float64())
    return _numbers(numbers)


def _numbers(cells: pa.Array) -> NDArray[Any]:
    """Numbers of an Arrow array, NaN for nulls. Only with nulls at the price of importing pandas,
    which Arrow does for every other way to numpy."""
    if cells.null_count == 0 and len(cells):
        return np.from_dlpack(cells)
    return np.asarray(cells.to_numpy(zero_copy_only=False))


def _number(cell: object) -> float:
    try:
        return float(str(cell))
    except ValueError:
        return np.nan


def _blank(cells: pa.Array) -> NDArray[np.bool_]:
    """Whether a cell holds nothing, or says in a word of R or pandas that it does."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(cells.type):
        return np.asarray(np.isnan(_numbers(cells)))
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        words = pa.array(["", "NA", "NaN", "nan"], cells.type)
        blank = pc.or_(pc.is_null(cells), pc.is_in(cells, value_set=words))
        return np.asarray(blank.to_numpy(zero_copy_only=False))
    if cells.null_count == 0:
        return np.zeros(len(cells), dtype=bool)
    return np.asarray(pc.is_null(cells).to_numpy(zero_copy_only=False))


def _shown(cells: pa.Array, row: int) -> str:
    """A cell as a message shows it: cut short, because a file may be anything."""
    cell = cells[row].as_py()
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = "" if cell is None else str(cell)
    return repr(text if len(text) <= 40 else text[:40] + "…")


def row_fault(
    kind: Kind, message: str, remedy: str, row: int | None = None, first: int | None = None
) -> Fault:
    """A fault of a row (counted from 0) that may clash with an earlier one, or of the table."""
    here, earlier = (None if at is None else at + 1 for at in (row, first))
    return Fault(Severity.ERROR, kind, Where(line=here, unit="row", first=earlier), message, remedy)


@dataclass(slots=True)
class RowFaults:
    """Faults as they are found: the first few of each sort kept, all of them counted."""

    kept: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(
        self,
        rows: NDArray[np.intp],
        kind: Kind,
        message: Callable[[int], str],
        remedy: str | Callable[[int], str],
    ) -> None:
        """Faults of the same sort in these rows, which ascend."""
        self.total += len(rows)
        for row in rows[:SHOWN].tolist():
            way_out = remedy if isinstance(remedy, str) else remedy(row)
            self.kept.append(row_fault(kind, message(row), way_out, row))

    def refuse(self) -> None:
        """Raise what was found, if anything was."""
        if self.total:
            raise TableError(self.kept, self.total)
