"""The Direct Assessment authors' score files (github.com/ygraham/direct-assessment).

One judgement a line, separated by tabs or, as R writes tables, by spaces, with quotes or without:
`HITId WorkerId src trg item hit sys_id rid type sid score time`, of which older files lack `hit`.
Types are SYSTEM, REF, BAD_REF and REPEAT; `time` is the work time of the whole HIT.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analysis.reading.files import Beginning, RatingsFile, checked, fault, last_of_each, rows

COLUMNS: Final = {
    "annotator": "WorkerId",
    "hit": "HITId",
    "system": "sys_id",
    "item": "sid",
    "kind": "type",
    "score": "score",
    "seconds": "time",
}
KINDS: Final = {
    "SYSTEM": "system",
    "REF": "reference",
    "BAD_REF": "degraded",
    "REPEAT": "repeat",
}


def recognises(start: Beginning) -> bool:
    return set(COLUMNS.values()) - {"time"} <= set(_split(start.line))


def read(path: Path, start: Beginning) -> RatingsFile:
    header = _split(start.line)
    judgements = list(_judgements(path, start, header))
    _refuse_several_sets(path, header, [cells for _, cells in judgements])
    keys = [tuple(_picked(header, cells)[:5]) for _, cells in judgements]
    kept = [judgements[place] for place in last_of_each(keys)]
    columns = zip(*(_picked(header, cells) for _, cells in kept), strict=True)
    named = dict(zip(COLUMNS, columns, strict=True)) if kept else dict.fromkeys(COLUMNS, ())
    named["kind"] = tuple(KINDS.get(kind, kind) for kind in named["kind"])
    ratings = checked(path, named, lambda row: kept[row][0], orphans=True)
    again = len(judgements) - len(kept)
    notes = (f"{again:,} ratings were given again later and are left out",) if again else ()
    return RatingsFile(ratings, "Direct Assessment authors' scores", notes=notes)


def _judgements(path: Path, start: Beginning, header: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each judgement."""
    tabs = "\t" in start.line
    content = rows(path, "\t" if tabs else " ")
    next(content)
    for line, cells in content:
        values = cells if tabs else [cell for cell in cells if cell]
        if len(values) == len(header) + 1:  # R's row names
            values = values[1:]
        if len(values) != len(header):
            raise fault(path, line, f"{len(values)} cells where the header has {len(header)}")
        yield line, values


def _picked(header: list[str], cells: list[str]) -> list[str]:
    """The cells we want, in our order; a file without times has none."""
    return [cells[header.index(name)] if name in header else "" for name in COLUMNS.values()]


def _split(line: str) -> list[str]:
    """Names of the header without R's quotes and Mechanical Turk's prefix."""
    cells = line.split("\t") if "\t" in line else line.split()
    return [cell.strip().strip('"').removeprefix("Input.") for cell in cells]


def _refuse_several_sets(path: Path, header: list[str], table: list[list[str]]) -> None:
    """Sentence numbers mean something only within one language pair and question."""
    places = [header.index(name) for name in ("src", "trg", "item") if name in header]
    sets = {tuple(cells[place] for place in places) for cells in table}
    if len(sets) > 1:
        shown = "; ".join(" ".join(names) for names in sorted(sets)[:5])
        raise fault(path, None, f"{len(sets)} sets of items in one file ({shown}): split it first")
