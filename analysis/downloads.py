"""What pages list, as files: for programs every row, for people and papers the first ones. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from analysis.charts import Row
from analysis.document import listing_document
from analysis.exports import WRITERS, Table, records
from analysis.latex import listing_table

PRINTED_ROWS: Final = 500
"""Rows of a table on paper. Whoever needs more reads it with a program."""
MEDIA_TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "tex": "application/x-tex; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
"""By format, every one of them."""


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


def one_piece(title: str, table: Table, **more: Any) -> Download:
    """Of rows that are there already."""
    rows = len(next(iter(table.values()), ()))
    return Download(title, rows, lambda: iter([table]), **more)


def write_download(stream: IO[bytes], download: Download, format: str) -> None:
    """Write the file. The same rows give the same bytes."""
    if format in WRITERS:
        WRITERS[format](stream, download.pieces(), download.signature)
    else:
        stream.write(_printed(download, format).encode())


def _printed(download: Download, format: str) -> str:
    names, rows = _first_rows(download)
    headings = {name: heading(name) for name in names}
    notes = [*download.sentences, download.signature]
    if download.rows > len(rows):
        notes.append(f"The first {len(rows):,} rows; files for programs have all of them.")
    shown = [note for note in notes if note]
    if format == "tex":
        return listing_table(rows, headings, [download.title, *shown])
    return listing_document(download.title, rows, headings, shown)


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
