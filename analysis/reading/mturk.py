"""Mechanical Turk batch results: one line per assignment, as its requester pages offer them.

Two layouts are known. Of HITs made from our `hits.csv`: `Input.hit` names the HIT and
`Answer.score_0`, `Answer.score_1`, … hold the scores by position (`Answer.fluency_…` too); what
stood at each position is looked up in `hits.csv`. Of the Direct Assessment authors' page: one
answer holds `system_item_TYPE_index__score`, joined by "|".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from analysis.reading.authors import KINDS
from analysis.reading.files import Beginning, RatingsFile, beginning, checked, fault, table
from analysis.stats.flags import Evidence
from daplatform.tables import Kind

NAMES: Final = ("HITId", "AssignmentId", "WorkerId", "WorkTimeInSeconds")
CREDITED: Final = "|"
"""Parts the systems a merged caption counts for, in `hits.csv`."""
_SCORE = re.compile(r"Answer\.score_(\d+)")
_JUDGEMENT = re.compile(
    r"(?P<system>.+)_(?!BAD_REF_)(?P<item>[^_]+)_"
    r"(?P<kind>SYSTEM|REF|BAD_REF|REPEAT)_[^_]*__?(?P<score>[^_]*)"
)
_ZONES: Final = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}


@dataclass(frozen=True, slots=True)
class Answered:
    """One rating of an assignment."""

    line: int
    annotator: str
    hit: str
    seconds: str
    submitted_at: datetime | None
    system: str
    item: str
    kind: str
    position: int
    score: str
    fluency: str | None = None


Assignment = dict[str, str]
Place = tuple[str, str]


def recognises(start: Beginning) -> bool:
    return set(NAMES) <= set(start.cells)


def read(path: Path, start: Beginning, hits: Path | None) -> RatingsFile:
    columns, at = table(path, start.delimiter)
    work = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if any(_SCORE.fullmatch(name) for name in columns):
        if hits is None:
            raise fault(
                path,
                None,
                "What was rated is in hits.csv.",
                "Name that file as well (--hits).",
                Kind.MISSING_FILE,
            )
        found = _ours(path, work, at, _sheet(hits))
    else:
        found = _authors(path, work, at)
    credited = [one for answer in found for one in _credited(answer)]
    ratings = checked(path, _columns(credited), lambda row: credited[row].line, orphans=True)
    rejected = {one["WorkerId"] for one in work if one.get("AssignmentStatus") == "Rejected"}
    return RatingsFile(ratings, "Mechanical Turk batch result", Evidence(rejected=rejected))


def _credited(answer: Answered) -> Iterator[Answered]:
    """A rating of a merged caption counts for each of its systems."""
    return (replace(answer, system=system) for system in answer.system.split(CREDITED))


def _columns(answers: list[Answered]) -> dict[str, list[object]]:
    names = [field.name for field in fields(Answered) if field.name != "line"]
    columns = {name: [getattr(answer, name) for answer in answers] for name in names}
    return {name: cells for name, cells in columns.items() if any(c is not None for c in cells)}


def _ours(
    path: Path, work: list[Assignment], at: list[int], sheet: dict[Place, tuple[str, str, str]]
) -> Iterator[Answered]:
    for line, one in zip(at, work, strict=True):
        frame = _frame(line, one)
        hit = one.get("Input.hit", "")
        for name, score in one.items():
            place = _SCORE.fullmatch(name)
            if place is None or not score.strip():
                continue
            position = place[1]
            if (hit, position) not in sheet:
                raise fault(
                    path,
                    line,
                    f"HIT {hit!r} has no position {position} in hits.csv.",
                    "Name the hits.csv that these HITs were made from.",
                    Kind.MISSING_ROW,
                )
            kind, item, system = sheet[hit, position]
            fluency = one.get(f"Answer.fluency_{position}")
            yield replace(
                frame, hit=hit, system=system, item=item, kind=kind,
                position=int(position), score=score, fluency=fluency,
            )  # fmt: skip


def _authors(path: Path, work: list[Assignment], at: list[int]) -> Iterator[Answered]:
    for line, one in zip(at, work, strict=True):
        frame = _frame(line, one)
        answers = [cell for name, cell in one.items() if name.startswith("Answer.")]
        judgements = [match for cell in answers if (match := _judgements(cell))]
        if not judgements:
            raise fault(path, line, "No answer holds ratings.", "Delete the row.", Kind.MISSING_ROW)
        for position, judgement in enumerate(judgements[0]):
            yield replace(
                frame, system=judgement["system"], item=judgement["item"],
                kind=KINDS[judgement["kind"]], position=position, score=judgement["score"],
            )  # fmt: skip


def _judgements(cell: str) -> list[re.Match[str]]:
    """The judgements an answer holds; none, when it is something else (a comment)."""
    matches = [_JUDGEMENT.fullmatch(part.strip(" '\"")) for part in cell.split("|") if part.strip()]
    found = [match for match in matches if match]
    return found if len(found) == len(matches) else []


def _frame(line: int, one: Assignment) -> Answered:
    """What all ratings of an assignment share."""
    return Answered(
        line=line, annotator=one["WorkerId"], hit=one["HITId"], seconds=one["WorkTimeInSeconds"],
        submitted_at=_moment(one.get("SubmitTime", "")), system="", item="", kind="",
        position=0, score="",
    )  # fmt: skip


def _moment(text: str) -> datetime | None:
    """
    >>> _moment("Tue Mar 01 12:34:56 PST 2016").isoformat()
    '2016-03-01T20:34:56+00:00'
    """
    words = text.split()
    if len(words) != 6 or words[4] not in _ZONES:
        return None
    try:
        local = datetime.strptime(" ".join(words[1:4] + words[5:]), "%b %d %H:%M:%S %Y")  # noqa: DTZ007 - the zone is the fifth word
    except ValueError:
        return None
    return (local - timedelta(hours=_ZONES[words[4]])).replace(tzinfo=UTC)


def _sheet(hits: Path) -> dict[Place, tuple[str, str, str]]:
    """Kind, video and system of each position of each HIT."""
    columns, _ = table(hits, beginning(hits).delimiter)
    missing = [
        name for name in ("hit", "position", "kind", "video", "system") if name not in columns
    ]
    if missing:
        raise fault(
            hits,
            1,
            f"There is no column {missing[0]!r}.",
            "Name the hits.csv as the platform wrote it.",
            Kind.MISSING_COLUMN,
        )
    places = zip(columns["hit"], columns["position"], strict=True)
    return dict(
        zip(
            places,
            zip(columns["kind"], columns["video"], columns["system"], strict=True),
            strict=True,
        )
    )
