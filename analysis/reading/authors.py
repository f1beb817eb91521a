"""The Direct Assessment authors' score files (github.com/ygraham/direct-assessment).

One judgement a line, separated by tabs or, as R writes tables, by spaces, with quotes or without,
or by both in one file: `HITId WorkerId src trg item hit sys_id rid type sid score time`, of which
older files lack `hit`. Types are SYSTEM, REF, BAD_REF and REPEAT; `time` is the work time of the
whole HIT. Files named `…-stnd…` hold z scores where others hold points; files named `…-good-…`
hold annotators who passed by all their pairs, of which those of other languages are elsewhere.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from analysis.reading.files import (
    Beginning,
    RatingsFile,
    checked,
    fault,
    last_of_each,
    lines,
    pair_of,
    wrong_width,
)

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
STANDARDISED: Final = (
    "the scores are already z scores: raw scores, the means and deviations of annotators and the "
    "mixed model cannot be computed from them"
)
FILTERED: Final = (
    "a file called “good” holds annotators who passed, with some of their pairs only: "
    "--keep-all-annotators ranks as its authors did"
)
_CELL = re.compile(r'"([^"]*)"|(\S+)')


def recognises(start: Beginning) -> bool:
    return set(COLUMNS.values()) - {"time"} <= set(_split(start.line))


def read(path: Path, start: Beginning, pair: str | None = None) -> RatingsFile:
    header = _split(start.line)
    judgements = _of_pair(path, header, list(_judgements(path, start, header)), pair)
    _refuse_several_questions(path, header, judgements)
    keys = [tuple(_picked(header, cells)[:5]) for _, cells in judgements]
    kept = [judgements[place] for place in last_of_each(keys)]
    columns = zip(*(_picked(header, cells) for _, cells in kept), strict=True)
    named = dict(zip(COLUMNS, columns, strict=True)) if kept else dict.fromkeys(COLUMNS, ())
    named["kind"] = tuple(KINDS.get(kind, kind) for kind in named["kind"])
    standardised = _are_z(named["score"])
    ratings = checked(
        path, named, lambda row: kept[row][0], orphans=True, standardised=standardised
    )
    again = len(judgements) - len(kept)
    notes = (f"{again:,} ratings were replaced by later ones and are left out",) if again else ()
    notes = (*notes, STANDARDISED) if standardised else notes
    notes = (*notes, FILTERED) if "good" in re.split(r"[^a-z]+", path.stem.lower()) else notes
    return RatingsFile(ratings, "Direct Assessment authors' scores", notes=notes)


def _judgements(path: Path, start: Beginning, header: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each judgement."""
    width = len(header)
    for number, line in enumerate(lines(path), start=1):
        if number <= start.number or not line.strip():
            continue
        cells = next(csv.reader([line.rstrip("\r\n")], delimiter="\t"))
        if len(cells) not in (width, width + 1):
            cells = [quoted or plain for quoted, plain in _CELL.findall(line)]
        if len(cells) not in (width, width + 1):
            raise wrong_width(path, number, len(cells), width)
        yield number, cells[len(cells) - width :]  # without R's row names


def _are_z(scores: Sequence[str]) -> bool:
    """Whether most scores are neither whole nor half points: z scores hardly ever are."""
    odd = sum(_is_odd(score) for score in scores)
    return 2 * odd > len(scores)


def _is_odd(score: str) -> bool:
    try:
        value = float(score)
    except ValueError:
        return False
    return value < 0 or 2 * value != round(2 * value)


def _picked(header: list[str], cells: list[str]) -> list[str]:
    """The cells we want, in our order; a file without times has none."""
    return [cells[header.index(name)] if name in header else "" for name in COLUMNS.values()]


def _split(line: str) -> list[str]:
    """Names of the header without R's quotes and Mechanical Turk's prefix."""
    cells = line.split("\t") if "\t" in line else line.split()
    return [cell.strip().strip('"').removeprefix("Input.") for cell in cells]


def _of_pair(
    path: Path, header: list[str], judgements: list[tuple[int, list[str]]], pair: str | None
) -> list[tuple[int, list[str]]]:
    """Judgements of one language pair: sentence numbers mean something only within it."""
    if not judgements or not {"src", "trg"} <= set(header):
        return judgements
    source, target = header.index("src"), header.index("trg")
    pairs = [f"{cells[source]}-{cells[target]}" for _, cells in judgements]
    wanted = pair_of(path, pairs, pair)
    return [one for one, spoken in zip(judgements, pairs, strict=True) if spoken == wanted]


def _refuse_several_questions(
    path: Path, header: list[str], judgements: list[tuple[int, list[str]]]
) -> None:
    place = header.index("item") if "item" in header else None
    asked = {cells[place] for _, cells in judgements} if place is not None else set()
    if len(asked) > 1:
        raise fault(
            path, None, f"It holds {len(asked)} questions ({', '.join(sorted(asked)[:5])}).",
            "Split it by question.",
        )  # fmt: skip
