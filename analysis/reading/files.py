"""How a file begins, and where in it a row stands."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from analysis.stats.faults import Fault, RatingsError
from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings

LONGEST_LINE: Final = 1 << 20
"""Bytes. A file may be anything: no line longer than this is ever held."""
NOT_TEXT: Final = "this is not text in UTF-8"


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """What a file held."""

    ratings: Ratings
    format: str
    evidence: Evidence = field(default_factory=Evidence)
    notes: tuple[str, ...] = ()
    """What was left out in reading, in sentences."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first line of a file that holds anything."""

    line: str
    number: int = 1
    is_parquet: bool = False

    @property
    def delimiter(self) -> str:
        """The one of comma, tab and semicolon that the line has most of."""
        return max(",\t;", key=self.line.count)

    @property
    def cells(self) -> list[str]:
        return next(csv.reader([self.line], delimiter=self.delimiter), [])


def beginning(path: Path) -> Beginning:
    with path.open("rb") as file:
        start = file.read(LONGEST_LINE)
    if start.startswith(b"PAR1"):
        return Beginning("", is_parquet=True)
    text = start.decode("utf-8-sig", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if "\0" in line or "\ufffd" in line:
            raise fault(path, number, NOT_TEXT)
        if line.strip():
            return Beginning(line, number)
    return Beginning("")


def lines(path: Path) -> Iterator[str]:
    """Lines of a text file; the first that cannot be read is a fault."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise fault(path, number, f"the line is longer than {LONGEST_LINE:,} bytes")
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise fault(path, number, NOT_TEXT) from error


def rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of a delimited file with the line each begins on; empty lines are passed over."""
    reader = csv.reader(lines(path), delimiter=delimiter)
    start = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise fault(path, start, f"this is not a row of a table ({error})") from error
        if cells is None:
            return
        if cells:
            yield start, cells
        start = reader.line_num + 1


def table(path: Path, delimiter: str) -> tuple[dict[str, list[str]], list[int]]:
    """Columns of a delimited file by name, and the line of each row."""
    content = rows(path, delimiter)
    header = [name.strip() for name in next(content, (0, []))[1]]
    cells: list[list[str]] = []
    at: list[int] = []
    for line, row in content:
        if len(row) != len(header):
            raise fault(path, line, f"{len(row)} cells where the header has {len(header)}")
        cells.append(row)
        at.append(line)
    columns = zip(*cells, strict=True) if cells else [[] for _ in header]
    return {name: list(column) for name, column in zip(header, columns, strict=True)}, at


def fault(path: Path, line: int | None, message: str) -> RatingsError:
    """One fault at a line of a file, or of the file as a whole."""
    return RatingsError([Fault(message, line)]).located(path.name, lambda number: number)


def checked(
    path: Path,
    columns: Mapping[str, Any],
    line: Callable[[int], int],
    *,
    orphans: bool = False,
    unit: str = "line",
) -> Ratings:
    """Ratings of these columns; faults are told by file and line."""
    try:
        return Ratings.from_columns(columns, orphans=orphans)
    except RatingsError as error:
        raise error.located(path.name, line, unit) from error


def last_of_each(keys: Sequence[tuple[object, ...]]) -> list[int]:
    """Places of the last of equal keys, in order: a rating given again replaces the earlier one.

    >>> last_of_each([("a",), ("b",), ("a",)])
    [1, 2]
    """
    return sorted({key: place for place, key in enumerate(keys)}.values())
