"""Comma-separated values, which a spreadsheet opens and does not run."""

from __future__ import annotations

import csv
import io
from typing import IO, Any, Final

from numpy.typing import NDArray

from analysis.presenting.downloads import Download, Format
from analysis.presenting.exports import plain_cells
from daplatform.tables.formulas import defused


def write(stream: IO[bytes], download: Download) -> None:
    """The signature has a file of its own: CSV knows no comments."""
    for number, piece in enumerate(download.pieces()):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if number == 0:
            writer.writerow(defused(name) for name in piece)
        writer.writerows(zip(*(_cells(*column) for column in piece.items()), strict=True))
        stream.write(text.getvalue().encode())


def _cells(name: str, column: NDArray[Any]) -> list[object]:
    if column.dtype == object:
        return [defused(text) for text in column]
    if column.dtype == bool:
        return ["true" if value else "false" for value in column]
    return ["NaN" if value is None else value for value in plain_cells(name, column)]


FORMATS: Final = (Format("csv", "CSV", "text/csv; charset=utf-8", write, place=1),)
