"""Our own ratings file (PROTOCOL §6): CSV or TSV, JSON lines, Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.reading.files import (
    LONGEST_LINE,
    Beginning,
    RatingsFile,
    checked,
    fault,
    lines,
    rows,
    wrong_width,
)
from analysis.stats.ratings import OPTIONAL, REQUIRED, check_names
from daplatform.tables import Kind, TableError
from daplatform.tables.formulas import as_written

if TYPE_CHECKING:
    import pyarrow as pa

LABELS = ("annotator", "hit", "system", "item", "kind")
NUMBERS = ("score", "seconds", "fluency", "position")


def read_delimited(path: Path, start: Beginning) -> RatingsFile:
    """Read with Arrow; only a file with a fault is gone through again, to say where it is."""
    names = [name.strip() for name in start.cells]
    _check_header(path, names)
    line = _line_of_row(path, start)
    columns = _columns(path, start, names)
    return RatingsFile(checked(path, columns, line), "ratings file")


def _check_header(path: Path, names: list[str]) -> None:
    for name in (*REQUIRED, *OPTIONAL):
        if names.count(name) > 1:
            raise fault(
                path,
                1,
                f"The column {name!r} occurs twice.",
                "Keep one of them.",
                Kind.REPEATED_COLUMN,
            )
    try:
        check_names(names)
    except TableError as error:
        raise error.located(path.name, lambda row: row) from error


def _columns(path: Path, start: Beginning, names: list[str]) -> dict[str, pa.ChunkedArray]:
    import pyarrow as pa

    coded = pa.dictionary(pa.int32(), pa.string())
    types: dict[str, Any] = dict.fromkeys(LABELS, coded) | dict.fromkeys(NUMBERS, pa.float64())
    types["submitted_at"] = pa.string()
    for point in ".,"[: 2 if start.delimiter == ";" else 1]:  # where commas are free for decimals
        try:
            return _read_csv(path, start, names, types, decimal_point=point)
        except pa.ArrowInvalid:
            continue
    _refuse_broken_rows(path, start, len(names))
    # Every row is a row: some cell is not the number it should be, and text will say which.
    types |= dict.fromkeys(NUMBERS, pa.string())
    try:
        return _read_csv(path, start, names, types)
    except pa.ArrowInvalid as error:
        raise fault(
            path,
            None,
            f"This is not a table of ratings ({error}).",
            "docs/organising.md says what a file may be.",
            Kind.UNREADABLE_FILE,
        ) from error


def _read_csv(
    path: Path,
    start: Beginning,
    names: list[str],
    types: dict[str, Any],
    decimal_point: str = ".",
) -> dict[str, pa.ChunkedArray]:
    import pyarrow as pa
    import pyarrow.csv as pc

    wanted = [name for name in (*REQUIRED, *OPTIONAL) if name in names]
    table = pc.read_csv(
        pa.OSFile(str(path)),  # of a path that ends in .gz Arrow would unpack what is unpacked
        # The header is read by us, spaces and all; blocks must hold the longest line.
        read_options=pc.ReadOptions(
            column_names=names, skip_rows=start.number, block_size=2 * LONGEST_LINE
        ),
        parse_options=pc.ParseOptions(delimiter=start.delimiter, newlines_in_values=True),
        convert_options=pc.ConvertOptions(
            column_types=types,
            include_columns=wanted,
            null_values=["", "NA", "NaN", "nan"],
            strings_can_be_null=False,
            decimal_point=decimal_point,
        ),
    )
    return {name: _plain(table[name]) if name in LABELS else table[name] for name in wanted}


def _plain(names: pa.ChunkedArray) -> pa.ChunkedArray | pa.DictionaryArray:
    """Names as they were before our files put an apostrophe before those that a spreadsheet would
    run."""
    import pyarrow as pa

    told = {name for chunk in names.chunks for name in chunk.dictionary.to_pylist()}
    if all(as_written(name) == name for name in told):
        return names
    coded = names.unify_dictionaries().combine_chunks()
    plain = [as_written(name) for name in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(plain))


def _refuse_broken_rows(path: Path, start: Beginning, width: int) -> None:
    for line, cells in rows(path, start.delimiter):
        if line > start.number and len(cells) != width:
            raise wrong_width(path, line, len(cells), width)


def _line_of_row(path: Path, start: Beginning) -> Callable[[int], int]:
    """Line of a row, the header not counted. The file is gone through when first asked."""
    found: list[int] = []

    def line(row: int) -> int:
        if not found:
            found.extend(at for at, _ in rows(path, start.delimiter) if at > start.number)
        return found[row]

    return line


def read_json_lines(path: Path) -> RatingsFile:
    """One object per rating."""
    at: list[int] = []
    columns: dict[str, list[Any]] = {}
    for number, line in enumerate(lines(path), start=1):
        if line.strip():
            _add(path, number, line, columns, len(at))
            at.append(number)
    for cells in columns.values():
        cells.extend([None] * (len(at) - len(cells)))
    ratings = checked(path, columns, lambda row: at[row])
    return RatingsFile(ratings, "ratings file (JSON lines)")


def _add(path: Path, number: int, line: str, columns: dict[str, list[Any]], row: int) -> None:
    """Add one line's values; a name a line lacks is an empty cell."""
    try:
        rating = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise fault(
            path, number, f"This is not JSON ({error}).", "Write one object to a line.", Kind.JSON
        ) from error
    if not isinstance(rating, dict):
        raise fault(
            path, number, "This is not a JSON object.", "Write one object to a line.", Kind.JSON
        )
    for name, value in rating.items():
        if isinstance(value, (dict, list)) and name in (*REQUIRED, *OPTIONAL):
            raise fault(
                path,
                number,
                f"{name} is not a single value.",
                "Write a number or a text.",
                Kind.JSON,
            )
        cells = columns.setdefault(name, [])
        cells.extend([None] * (row - len(cells)))
        cells.append(None if isinstance(value, (dict, list)) else value)


def read_parquet(path: Path) -> RatingsFile:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        there = pq.read_schema(path).names
        file = pq.ParquetFile(path, read_dictionary=[name for name in LABELS if name in there])
        wanted = [name for name in (*REQUIRED, *OPTIONAL) if name in there]
        columns = {name: file.read([name])[name] for name in wanted}
    except (pa.ArrowInvalid, OSError) as error:
        raise fault(
            path,
            None,
            f"This Parquet file cannot be read ({error}).",
            "Write it again.",
            Kind.UNREADABLE_FILE,
        ) from error
    others = {name: None for name in there if name not in wanted}
    ratings = checked(path, columns | others, lambda row: row + 1, unit="row")
    return RatingsFile(ratings, "ratings file (Parquet)")
