"""Tables as files, in every format of `analysis.presenting.formats`. Pure.

To add a format, add a file there: pages offer it, commands take it, workers write it.
"""

from __future__ import annotations

import importlib
import io
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Final

import analysis.presenting.formats
from analysis.presenting.charts import Row
from analysis.presenting.exports import Table, records

PRINTED_ROWS: Final = 500
"""Rows of a table on paper. Whoever needs more reads it with a program."""


@dataclass(frozen=True)
class Download:
    """Rows for a file. Nothing is read before ``pieces`` is called; each call begins anew."""

    title: str
    rows: int
    """How many there are, or at least not more."""
    pieces: Callable[[], Iterator[Table]]
    signature: str = ""
    sentences: tuple[str, ...] = ()
    """What the page says above the list."""


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Parameters
    ----------
    name : how names of such files end
    label : what pages call it
    media_type : what the answer to a request says it is
    write : all rows, piece by piece; the same rows give the same bytes
    place : the lower, the earlier pages offer it
    is_printed : for people to read: it holds the first rows, and tables of results are not offered
    """

    name: str
    label: str
    media_type: str
    write: Callable[[IO[bytes], Download], None]
    place: int = 100
    is_printed: bool = False


@cache
def formats() -> dict[str, Format]:
    """Every format by name, in the order pages offer them."""
    package, found = analysis.presenting.formats, []
    for module in pkgutil.iter_modules(package.__path__):
        found += importlib.import_module(f"{package.__name__}.{module.name}").FORMATS
    return {each.name: each for each in sorted(found, key=lambda each: each.place)}


def table_formats() -> dict[str, Format]:
    """Those that programs read, with every row."""
    return {name: each for name, each in formats().items() if not each.is_printed}


def one_piece(title: str, table: Table, **more: Any) -> Download:
    """Of rows that are there already."""
    rows = len(next(iter(table.values()), ()))
    return Download(title, rows, lambda: iter([table]), **more)


def write_download(stream: IO[bytes], download: Download, format: str) -> None:
    formats()[format].write(stream, download)


def table_file(table: Table, format: str, signature: str = "") -> bytes:
    """A table of a few rows at once."""
    stream = io.BytesIO()
    write_download(stream, one_piece("", table, signature=signature), format)
    return stream.getvalue()


def printed(download: Download) -> tuple[list[Row], dict[str, str], list[str]]:
    """The first rows, their headings, and what is to be said about them."""
    names, rows = _first_rows(download)
    notes = [*download.sentences, download.signature]
    if download.rows > len(rows):
        notes.append(f"The first {len(rows):,} rows; files for programs have all of them.")
    return rows, {name: heading(name) for name in names}, [note for note in notes if note]


def _first_rows(download: Download) -> tuple[Sequence[str], list[Row]]:
    rows: list[Row] = []
    names: Sequence[str] = ()
    for piece in download.pieces():
        names = list(piece)
        rows += records({name: column[:PRINTED_ROWS] for name, column in piece.items()})
        if len(rows) >= PRINTED_ROWS:
            break
    return names, rows[:PRINTED_ROWS]


def heading(name: str) -> str:
    """
    >>> heading("repeat_distance"), heading("z"), heading("z_first")
    ('Repeat distance', 'z', 'z first')
    """
    words = name.replace("_", " ")
    return words if len(words.split(" ")[0]) < 3 else words[:1].upper() + words[1:]
