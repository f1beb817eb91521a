"""Turns a spreadsheet on standard input into CSV on standard output, under limits.

Run as a script by `sheets.write_csv`, in a process of its own that a hostile file may take down. It
imports nothing of the project. What there is to say goes to standard error, as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import re
import resource
import sys
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from typing import Any

import python_calamine as calamine

# A row must stay a line, so that lines are numbered as the sheet is. The reader of the CSV takes
# a carriage return inside quotes for the line break it was.
_BREAKS = re.compile("\r\n|[\n\x0b\x0c\x85\u2028\u2029]")
_LARGEST_EXACT = 2**53


def convert(workbook: calamine.CalamineWorkbook, out: io.TextIOBase) -> list[str]:
    """Write the first visible sheet; the names of the other ones that hold something."""
    names = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.visible == calamine.SheetVisibleEnum.Visible
        and sheet.typ == calamine.SheetTypeEnum.WorkSheet
    ]
    if not names:
        raise ValueError("it has no sheet")
    sheet = workbook.get_sheet_by_name(names[0])
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows(_table(sheet))
    return [name for name in names[1:] if workbook.get_sheet_by_name(name).height]


def _table(sheet: calamine.CalamineSheet) -> Iterator[list[str]]:
    """The rows, each as wide as the first: empty cells to the right of the table do not count."""
    width = 0
    for row in sheet.iter_rows():
        cells = _without_end([_text(cell) for cell in row])
        width = width or len(cells)
        yield cells + [""] * (width - len(cells)) if cells else []


def _without_end(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _text(cell: Any) -> str:
    """A cell as a person would type it; numbers that are whole have no point."""
    if isinstance(cell, str):
        return _BREAKS.sub("\r", cell)
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _LARGEST_EXACT:
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, (datetime, date, time)) else str(cell)


def _limit(seconds: int, memory: int, size: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def main(limits: Iterable[str]) -> None:
    _limit(*map(int, limits))
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace", newline="")
    answer: dict[str, Any] = {}
    try:
        workbook = calamine.CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        answer["others"] = convert(workbook, out)
        out.flush()
    except (calamine.CalamineError, ValueError) as error:
        answer["problem"] = str(error)[:200]
    sys.stderr.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1:])
