"""Appraise's CSV exports (github.com/AppraiseDev/Appraise).

`ExportSystemScoresToCSV` writes no header, though some who publish its files add one: user, system,
segment, type, source and target language, score, start and end in seconds since 1970 and, when
asked, batch and item numbers. Document-level campaigns add, before the start, the document and
whether the whole of it is scored (those lines are passed over). The result dump has a header. Types
are TGT, REF, BAD and CHK (a repeat). A text that several systems wrote joins their names with "+".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from analysis.reading.files import (
    Beginning,
    RatingsFile,
    checked,
    fault,
    last_of_each,
    pair_of,
    rows,
    wrong_width,
)
from daplatform.tables import Kind

KINDS: Final = {"TGT": "system", "REF": "reference", "BAD": "degraded", "CHK": "repeat"}
HEADER: Final = ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score")
"""Of the export, in files to which somebody gave one."""
DUMP: Final = (
    "taskID", "systemID", "username", "segmentID", "score", "startTime", "endTime", "itemType"
)  # fmt: skip
_MARK = re.compile(r"#(bad|dup|ref)\w*$", re.IGNORECASE)
"""Put behind a system's name by newer campaigns, to make its items unique."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of either export."""

    line: int
    annotator: str
    hit: str
    system: str
    item: str
    kind: str
    score: str
    start: str
    end: str
    languages: str


def recognises(start: Beginning) -> bool:
    cells = start.cells
    named = set(DUMP) <= set(cells) or tuple(cells[: len(HEADER)]) == HEADER
    return named or (len(cells) >= 9 and cells[3] in KINDS)


def read(path: Path, start: Beginning, pair: str | None = None) -> RatingsFile:
    found = list(_dump(path) if set(DUMP) <= set(start.cells) else _export(path))
    if not found:
        raise fault(
            path, None, "There are no ratings.", "Export the campaign again.", Kind.EMPTY_FILE
        )
    languages = pair_of(path, (row.languages for row in found), pair)
    found = [row for row in found if row.languages == languages]
    credited = [(row, system) for row in found for system in _systems(row.system)]
    keys = [(row.annotator, row.hit, system, row.item, row.kind) for row, system in credited]
    kept = last_of_each(keys)
    annotators, hits, systems, items, kinds = zip(*(keys[place] for place in kept), strict=True)
    chosen = [credited[place][0] for place in kept]
    columns = {
        "annotator": annotators,
        "hit": hits,
        "system": systems,
        "item": items,
        "kind": [KINDS.get(kind, kind) for kind in kinds],
        "score": [row.score for row in chosen],
        "seconds": [_seconds(path, row) for row in chosen],
        "submitted_at": [_moment(path, row) for row in chosen],
    }
    ratings = checked(path, columns, lambda row: chosen[row].line, orphans=True)
    again = len(keys) - len(kept)
    notes = (f"{again:,} ratings were replaced by later ones and are left out",) if again else ()
    return RatingsFile(ratings, "Appraise export", notes=notes)


def _export(path: Path) -> Iterator[Row]:
    for line, cells in rows(path, ","):
        if tuple(cells[: len(HEADER)]) == HEADER:
            continue
        times = next((place for place in range(7, len(cells)) if _is_time(cells[place])), None)
        if times is None or times + 1 >= len(cells):
            raise fault(
                path,
                line,
                "This line has no start and end time.",
                "Export the campaign again, as Appraise writes it.",
            )
        user, system, segment, kind, source, target, score, *document = cells[:times]
        if document[1:2] == ["True"]:  # a score of the whole document
            continue
        start, end, *batch = cells[times : times + 3]
        item = "/".join([*document[:1], segment])
        hit = batch[0] if batch else "all"
        yield Row(line, user, hit, system, item, kind, score, start, end, f"{source}-{target}")


def _dump(path: Path) -> Iterator[Row]:
    content = rows(path, ",")
    _, header = next(content)
    place = {name: header.index(name) for name in DUMP}
    for line, cells in content:
        if len(cells) != len(header):
            raise wrong_width(path, line, len(cells), len(header))
        task, system, user, segment, score, start, end, kind = (
            cells[column] for column in place.values()
        )
        yield Row(line, user, task, system, segment, kind, score, start, end, "")


def _systems(joined: str) -> list[str]:
    """
    >>> _systems("A+B#bad1")
    ['A', 'B']
    """
    return [_MARK.sub("", name) for name in joined.split("+")]


def _is_time(cell: str) -> bool:
    return re.fullmatch(r"\d{9,}(\.\d+)?", cell) is not None


def _seconds(path: Path, row: Row) -> float:
    try:
        return max(0.0, round(float(row.end) - float(row.start), 3))
    except ValueError as error:
        raise fault(
            path, row.line, "Start and end are not seconds since 1970.", "Export it again."
        ) from error


def _moment(path: Path, row: Row) -> datetime:
    try:
        return datetime.fromtimestamp(float(row.end), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise fault(
            path, row.line, f"The end {row.end!r} is not a time.", "Export it again."
        ) from error
