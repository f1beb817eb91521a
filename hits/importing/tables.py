"""Tables of text: CSV, TSV and JSON lines, read row by row with every fault noted."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hits.importing.faults import Faults, Kind, Where
from hits.importing.limits import Limits
from hits.importing.lines import is_readable, read_lines
from hits.importing.texts import counted, quoted, suggestion

SUFFIXES = (".csv", ".tsv", ".jsonl")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_UNUSED_COLUMNS_NAMED = 20
_JSON = json.JSONDecoder(object_pairs_hook=tuple)  # a tuple shows keys that are there twice

Row = tuple[int, list[str]]  # the line it begins on; its values in the order asked for


@dataclass(frozen=True)
class Columns:
    """The columns wanted of a table: all of `required`, and at least one of `either`, if any."""

    required: tuple[str, ...]
    either: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return self.required + self.either


def find_table(root: Path, stem: str, faults: Faults) -> Path | None:
    """The one file of that name in any of the formats; none or several is a fault."""
    found = [path for suffix in SUFFIXES if _is_there(path := root / f"{stem}{suffix}")]
    if not found:
        faults.error(
            Kind.MISSING_FILE,
            Where(f"{stem}.csv"),
            "There is no such file.",
            f"Add {stem}.csv, {stem}.tsv or {stem}.jsonl.",
        )
    elif len(found) > 1:
        names = " and ".join(path.name for path in found)
        faults.error(
            Kind.AMBIGUOUS_FILE, Where(found[0].name), f"There are {names}.", "Keep one of them."
        )
    elif is_readable(found[0], found[0].name, faults):
        return found[0]
    return None


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def read_table(path: Path, columns: Columns, faults: Faults, limits: Limits) -> Iterator[Row]:
    """The rows of a table, each with the line it begins on; rows with faults are left out.

    Values come in the order of `columns.all`; a column of `either` that is absent is empty.
    """
    lines = read_lines(path, path.name, faults, limits)
    if path.suffix == ".jsonl":
        return _json_rows(lines, path.name, columns, faults)
    return _csv_rows(lines, path, columns, faults, limits)


class _Feed:
    """Lines for the CSV reader, so many characters a record: no open quote may eat the file."""

    def __init__(self, lines: Iterator[str], longest: int) -> None:
        self._lines = lines
        self._longest = longest
        self._room = longest

    def begin_record(self) -> None:
        self._room = self._longest

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._room -= len(line)
        if self._room < 0:
            raise csv.Error("quote not closed")
        return line


def _csv_rows(
    lines: Iterator[str], path: Path, columns: Columns, faults: Faults, limits: Limits
) -> Iterator[Row]:
    records = _records(lines, path, faults, limits)
    first = next(records, None)
    if first is None:
        return
    line, header = first
    places = _places(header, Where(path.name, line), columns, faults)
    if places is None:
        return
    width = len(header)
    for line, fields in records:
        if len(fields) == width:
            yield line, ["" if place is None else fields[place] for place in places]
        else:
            faults.error(
                Kind.FIELD_COUNT,
                Where(path.name, line),
                f"The row has {counted(len(fields), 'field')}; the header has {width:,}.",
                "Put quotes around a text that holds the separator.",
            )


def _records(
    lines: Iterator[str], path: Path, faults: Faults, limits: Limits
) -> Iterator[tuple[int, list[str]]]:
    """Records of a delimited file that are not blank, each with the line it begins on."""
    feed = _Feed(lines, limits.line_bytes)
    reader = csv.reader(feed, delimiter=_DELIMITERS[path.suffix], strict=True)
    while True:
        feed.begin_record()
        begin = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _broken_record(error, Where(path.name, begin), reader.line_num, faults)
            continue
        if fields:
            yield begin, fields


def _broken_record(error: csv.Error, where: Where, last: int, faults: Faults) -> None:
    if "new-line" in str(error):
        message = "A carriage return stands inside the line."
        remedy = "End every line with a line feed, with or without a carriage return before it."
    else:
        message = f"The quotes are wrong; nothing could be read up to line {last}."
        remedy = 'Close every quote; write "" for a quote inside quotes.'
    faults.error(Kind.QUOTING, where, message, remedy)


def _places(
    header: Sequence[str], where: Where, columns: Columns, faults: Faults
) -> list[int | None] | None:
    """Where in a record each wanted column stands; nothing when the header will not do."""
    names = [name.strip().casefold() for name in header]
    before = faults.errors
    counts = Counter(names)
    for name in [name for name in columns.all if counts[name] > 1]:
        faults.error(
            Kind.REPEATED_COLUMN, where._replace(column=name), "It is there twice.", "Delete one."
        )
    missing = [name for name in columns.required if name not in names]
    if columns.either and not set(columns.either) & set(names):
        missing.append(" or ".join(columns.either))
    for name in missing:
        faults.error(
            Kind.MISSING_COLUMN,
            where,
            f"There is no column {name}.",
            suggestion(name, names) or _missing_column_advice(header, columns),
        )
    if faults.errors > before:
        return None
    _warn_of_unused(names, where, columns, faults)
    return [names.index(name) if name in names else None for name in columns.all]


def _missing_column_advice(header: Sequence[str], columns: Columns) -> str:
    if len(header) == 1 and any(mark in header[0] for mark in ";\t,|"):
        return "Separate columns with commas in .csv, with tabs in .tsv."
    return f"The first line must name the columns: {', '.join(columns.all)}."


def _warn_of_unused(names: Sequence[str], where: Where, columns: Columns, faults: Faults) -> None:
    for name in [name for name in names if name not in columns.all][:_UNUSED_COLUMNS_NAMED]:
        faults.warning(
            Kind.UNUSED_COLUMN,
            where._replace(column=quoted(name)),
            "This column is not used.",
            suggestion(name, columns.all) or "Delete it, or leave it.",
        )


def _json_rows(lines: Iterator[str], file: str, columns: Columns, faults: Faults) -> Iterator[Row]:
    seen: set[str] = set(columns.all)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = _json_object(line, Where(file, number), faults)
        if row is None:
            continue
        if not row.keys() <= seen and len(seen) < _UNUSED_COLUMNS_NAMED:
            _warn_of_unused(sorted(row.keys() - seen), Where(file, number), columns, faults)
            seen |= row.keys()
        values = _json_values(row, Where(file, number), columns, faults)
        if values is not None:
            yield number, values


def _json_object(line: str, where: Where, faults: Faults) -> dict[str, object] | None:
    """The object on a line; whatever else is there is a fault."""
    try:
        pairs = _JSON.decode(line)
    except ValueError as error:
        column = str(getattr(error, "colno", ""))
        _json_fault("This is not JSON.", where._replace(column=column), faults)
    except RecursionError:
        _json_fault("This is nested too deeply.", where, faults)
    else:
        if not isinstance(pairs, tuple):
            _json_fault("This is not an object.", where, faults)
        elif len(row := dict(pairs)) < len(pairs):
            _json_fault("A key is there twice.", where, faults)
        else:
            return row
    return None


def _json_fault(message: str, where: Where, faults: Faults) -> None:
    faults.error(Kind.JSON, where, message, 'Write one {"column": "text", …} on each line.')


def _json_values(
    row: dict[str, object], where: Where, columns: Columns, faults: Faults
) -> list[str] | None:
    values = []
    for name in columns.all:
        value = row.get(name)
        if isinstance(value, str):
            values.append(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            values.append(str(value))  # ids are often numbers
        elif value is None and name in columns.either:
            values.append("")
        elif name not in row:
            faults.error(
                Kind.MISSING_COLUMN,
                where,
                f"There is no key {name}.",
                suggestion(name, list(row)) or "Add it.",
            )
            return None
        else:
            faults.error(
                Kind.NOT_TEXT,
                where._replace(column=name),
                "The value is not text.",
                "Put it in quotes.",
            )
            return None
    return values
