"""Rows of tables: delimited text, JSON lines and sheets, read with every fault noted."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path

from daplatform.tables.faults import Faults, Kind, Where, counted, quoted, suggestion
from daplatform.tables.formulas import APOSTROPHE, as_written
from daplatform.tables.lines import is_readable, read_lines
from daplatform.tables.plain import BOUNDS, Bounds

_TEXT = (".csv", ".tsv", ".txt", ".jsonl")
SUFFIXES = (*_TEXT, ".xlsx", ".ods", ".xls", *(f"{suffix}.gz" for suffix in _TEXT))
_SEPARATORS = ",;\t"
_NAMED_SEPARATOR = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # Excel's own first line
_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")
_UNUSED_COLUMNS_NAMED = 20
_JSON = json.JSONDecoder(object_pairs_hook=tuple)  # a tuple shows keys that are there twice

Row = tuple[int, Sequence[str]]  # the line it begins on; its values in the order asked for


@dataclass(frozen=True)
class Columns:
    """The columns wanted of a table: all of `required`, and at least one of `either`, if any."""

    required: tuple[str, ...]
    either: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        return self.required + self.either

    @property
    def all(self) -> tuple[str, ...]:
        return self.named + self.optional


def find_table(root: Path, stem: str, faults: Faults) -> Path | None:
    """The one file of that name in any of the formats; none or several is a fault."""
    found = [path for suffix in SUFFIXES if _is_there(path := root / f"{stem}{suffix}")]
    if not found:
        faults.error(
            Kind.MISSING_FILE,
            Where(f"{stem}.csv"),
            "There is no such file.",
            suggestion(f"{stem}.csv", [path.name for path in root.iterdir() if path.is_file()])
            or f"Add {stem}.csv, {stem}.tsv, {stem}.jsonl, {stem}.xlsx or {stem}.ods.",
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


def read_table(
    path: Path, columns: Columns, faults: Faults, bounds: Bounds = BOUNDS
) -> Iterator[Row]:
    """The rows of a table, each with the line it begins on; rows with faults are left out.

    Values come in the order of `columns.all`; an absent one of `either` or `optional` is empty.
    Line breaks inside a value become a space, and are counted in a warning.
    """
    breaks = Breaks()
    start, lines = begin(read_lines(path, path.name, faults, bounds))
    if ".jsonl" in path.suffixes or start.startswith("{"):
        yield from _json_rows(lines, path.name, columns, faults, breaks)
    else:
        yield from _delimited_rows(start, lines, path.name, columns, faults, bounds, breaks)
    breaks.warn(path.name, faults)


def begin(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The first line that is not blank, and all lines, that one and the blank ones included."""
    for blank, line in enumerate(lines):
        if line.strip():
            return line, chain(repeat("\n", blank), [line], lines)
    return "", iter(())


def separator(header: str) -> str:
    """The one of comma, semicolon and tab that a header has most of.

    >>> separator("video;system;caption")
    ';'
    """
    return max(_SEPARATORS, key=header.count)


class Breaks:
    """Line breaks inside values: made spaces, and counted."""

    def __init__(self) -> None:
        self.count = 0
        self._first: int | None = None

    def joined(self, text: str, line: int) -> str:
        """
        >>> Breaks().joined("A dog\\nruns. ", 2)
        'A dog runs.'
        """
        if "\n" not in text and "\r" not in text:
            return text
        self.count += 1
        self._first = self._first or line
        return _BREAK.sub(" ", text).strip()

    def warn(self, file: str, faults: Faults) -> None:
        if self.count:
            faults.warning(
                Kind.LINE_BREAK,
                Where(file, self._first),
                f"Line breaks inside {counted(self.count, 'text')} became spaces; "
                "this is the first.",
                "Nothing, if the texts still read well.",
            )


class _Feed:
    """Lines for the CSV reader, so many characters a record: no open quote may eat the file."""

    def __init__(self, lines: Iterator[str], longest: int) -> None:
        self._next = lines.__next__
        self.room = longest  # characters left for the record
        self.has_return = False  # whether a carriage return stands inside a line of the record
        self.has_apostrophe = False  # whether one may stand before what would be a formula

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        line = self._next()
        self.room -= len(line)
        if self.room < 0:
            raise csv.Error("quote not closed")
        if line.find("\r", 0, -2) >= 0:
            self.has_return = True
        if APOSTROPHE in line:
            self.has_apostrophe = True
        return line


def records(
    lines: Iterator[str],
    file: str,
    faults: Faults,
    *,
    delimiter: str,
    longest: int = BOUNDS.line_bytes,
    breaks: Breaks | None = None,
    strict: bool = True,
) -> Iterator[tuple[int, list[str]]]:
    """Records of delimited lines that are not blank, each with the line it begins on.

    What was defused against spreadsheets is read as it was. With `breaks`, line breaks inside
    fields become spaces. Unless `strict`, a quote inside a field is a character like any other.
    """
    feed = _Feed(lines, longest)
    reader = csv.reader(feed, delimiter=delimiter, strict=strict)
    begin, is_over = 1, False
    while not is_over:
        try:
            for fields in reader:
                if breaks is not None and (reader.line_num != begin or feed.has_return):
                    fields = [breaks.joined(field, begin) for field in fields]
                    feed.has_return = False
                if feed.has_apostrophe:
                    fields = [as_written(field) for field in fields]
                    feed.has_apostrophe = False
                if fields:
                    yield begin, fields
                feed.room = longest
                begin = reader.line_num + 1
            is_over = True
        except csv.Error as error:
            _broken_record(error, Where(file, begin), reader.line_num, faults)
            feed.room = longest
            begin = reader.line_num + 1


def _delimited_rows(
    start: str,
    lines: Iterator[str],
    file: str,
    columns: Columns,
    faults: Faults,
    bounds: Bounds,
    breaks: Breaks,
) -> Iterator[Row]:
    named = _NAMED_SEPARATOR.fullmatch(start)
    content = records(
        lines,
        file,
        faults,
        delimiter=named[1] if named else separator(start),
        longest=bounds.line_bytes,
        breaks=breaks,
    )
    if named:
        next(content, None)
    line, header = next(content, (0, []))
    places = _places(header, Where(file, line), columns, faults) if header else None
    if places is None:
        return
    width, pick = len(header), _picker(places)
    for line, fields in content:
        if len(fields) == width:
            yield line, pick(fields)
        else:
            faults.error(
                Kind.FIELD_COUNT,
                Where(file, line),
                f"The row has {counted(len(fields), 'field')}; the header has {width:,}.",
                "Put quotes around a text that holds the separator.",
            )


def _picker(places: Sequence[int | None]) -> Callable[[Sequence[str]], Sequence[str]]:
    """Picks the values wanted out of a record; this is done a million times."""
    there = [place for place in places if place is not None]
    if len(there) == len(places) > 1:
        return itemgetter(*there)
    return lambda fields: tuple("" if place is None else fields[place] for place in places)


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
            Kind.REPEATED_COLUMN,
            where._replace(column=name),
            "This column occurs twice.",
            "Delete one.",
        )
    missing = [name for name in columns.required if name not in names]
    if columns.either and not set(columns.either) & set(names):
        missing.append(" or ".join(columns.either))
    if missing:
        hint = suggestion(missing[0], names) if len(missing) == 1 else ""
        faults.error(
            Kind.MISSING_COLUMN,
            where,
            f"There is no column {', '.join(missing)}.",
            hint or f"The first line must name the columns: {', '.join(columns.named)}.",
        )
    if faults.errors > before:
        return None
    _warn_of_unused(names, where, columns, faults)
    return [names.index(name) if name in names else None for name in columns.all]


def _warn_of_unused(names: Sequence[str], where: Where, columns: Columns, faults: Faults) -> None:
    for name in [name for name in names if name and name not in columns.all][
        :_UNUSED_COLUMNS_NAMED
    ]:
        faults.warning(
            Kind.UNUSED_COLUMN,
            where._replace(column=quoted(name)),
            "This column is not used.",
            suggestion(name, columns.all) or "Delete it, or leave it.",
        )


def _json_rows(
    lines: Iterator[str], file: str, columns: Columns, faults: Faults, breaks: Breaks
) -> Iterator[Row]:
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
            yield number, tuple(breaks.joined(value, number) for value in values)


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
        elif isinstance(value, float) and name in columns.optional:
            values.append(str(value))
        elif value is None and name in columns.either + columns.optional:
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
