"""How a file begins, and where in it a row stands."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from analysis.stats.flags import Evidence
from analysis.stats.ratings import Ratings
from daplatform.tables import (
    PARQUET,
    Bounds,
    Breaks,
    Fault,
    FirstFault,
    Kind,
    Severity,
    TableError,
    Where,
    plain_text,
    read_lines,
    records,
    separator,
)

MOST_PAIRS: Final = 20
LONGEST_LINE: Final = 1 << 20
"""Bytes. A file may be anything: no line longer than this is ever held."""
BOUNDS: Final = Bounds(line_bytes=LONGEST_LINE)


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """What a file held."""

    ratings: Ratings
    format: str
    evidence: Evidence = field(default_factory=Evidence)
    notes: tuple[str, ...] = ()
    """What was left out in reading, in sentences."""
    minimum_pairs: int = 0
    everybody: bool = False
    """The rules of the campaign they come from: pairs that quality control asks for, and whether
    everybody counts."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first line of a file that holds anything."""

    line: str
    number: int = 1
    is_parquet: bool = False

    @property
    def delimiter(self) -> str:
        return separator(self.line)

    @property
    def cells(self) -> list[str]:
        return next(csv.reader([self.line], delimiter=self.delimiter), [])


@contextmanager
def plain(path: Path, faults: FirstFault) -> Iterator[Path]:
    """The file in UTF-8, whatever program saved it; what was converted is a note of `faults`."""
    with plain_text(path, path.name, faults, BOUNDS) as found:
        yield found or path


def beginning(path: Path) -> Beginning:
    with path.open("rb") as file:
        if file.read(len(PARQUET)) == PARQUET:
            return Beginning("", is_parquet=True)
    for number, line in enumerate(lines(path), start=1):
        if line.strip():
            return Beginning(line.rstrip("\r\n"), number)
    return Beginning("")


def lines(path: Path) -> Iterator[str]:
    """Lines of a text file; the first that cannot be read is a fault."""
    return read_lines(path, path.name, FirstFault(), BOUNDS)


def rows(
    path: Path, delimiter: str, breaks: Breaks | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Rows of a delimited file with the line each begins on; empty lines are passed over."""
    faults = FirstFault()
    content = read_lines(path, path.name, faults, BOUNDS)
    return records(
        content,
        path.name,
        faults,
        delimiter=delimiter,
        longest=LONGEST_LINE,
        breaks=breaks,
        strict=False,
    )


def table(
    path: Path, delimiter: str, breaks: Breaks | None = None
) -> tuple[dict[str, list[str]], list[int]]:
    """Columns of a delimited file by name, and the line of each row."""
    content = rows(path, delimiter, breaks)
    header = [name.strip() for name in next(content, (0, []))[1]]
    cells: list[list[str]] = []
    at: list[int] = []
    for line, row in content:
        if len(row) != len(header):
            raise wrong_width(path, line, len(row), len(header))
        cells.append(row)
        at.append(line)
    columns = zip(*cells, strict=True) if cells else [[] for _ in header]
    return {name: list(column) for name, column in zip(header, columns, strict=True)}, at


def fault(
    path: Path, line: int | None, message: str, remedy: str, kind: Kind = Kind.VALUE
) -> TableError:
    """One fault at a line of a file, or of the file as a whole."""
    return TableError([Fault(Severity.ERROR, kind, Where(path.name, line), message, remedy)])


def wrong_width(path: Path, line: int, cells: int, header: int) -> TableError:
    """A row that has more or fewer cells than the header."""
    return fault(
        path,
        line,
        f"This row has {cells} cells, and the header {header}.",
        "Put text that holds the separator in quotes, or complete the row.",
        Kind.FIELD_COUNT,
    )


def checked(
    path: Path,
    columns: Mapping[str, Any],
    line: Callable[[int], int],
    *,
    orphans: bool = False,
    standardised: bool = False,
    unit: str = "line",
) -> Ratings:
    """Ratings of these columns; faults are told by file and line."""
    try:
        return Ratings.from_columns(columns, orphans=orphans, standardised=standardised)
    except TableError as error:
        raise error.located(path.name, lambda row: line(row - 1), unit) from error


def last_of_each(keys: Sequence[tuple[object, ...]]) -> list[int]:
    """Places of the last of equal keys, in order: a rating given again replaces the earlier one.

    >>> last_of_each([("a",), ("b",), ("a",)])
    [1, 2]
    """
    return sorted({key: place for place, key in enumerate(keys)}.values())


def pair_of(path: Path, pairs: Iterable[str], wanted: str | None) -> str:
    """The language pair to read: the one asked for, or the only one there is."""
    there = sorted(set(pairs))
    shown = ", ".join(there[:MOST_PAIRS]) + (", …" if len(there) > MOST_PAIRS else "")
    if wanted is None and len(there) == 1:
        return there[0]
    if wanted is None:
        raise fault(
            path,
            None,
            f"There are {len(there)} language pairs in one file ({shown}).",
            f"Name one of them, as in --pair {there[0]}.",
        )
    if wanted not in there:
        raise fault(path, None, f"There is no language pair {wanted!r}.", f"Name one of {shown}.")
    return wanted
