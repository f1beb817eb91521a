"""marks.csv: words of captions that are marked before anybody has seen them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from daplatform.tables import Columns, Faults, Kind, Where, quoted, read_table
from hits.importing.limits import Limits
from hits.protocols import AnnotationProtocol
from hits.protocols.filling import FilledMark, filling_objection, marked_spans

Place = tuple[str, str]
"""A video and a system."""
Texts = Callable[[Collection[Place]], Mapping[Place, str]]
"""The words of the captions at these places, as far as there are any."""
STEM = "marks"
_COLUMNS = Columns(("video", "system"), optional=("start", "end", "label", "marked"))


@dataclass
class _Caption:
    """What the rows of one caption say: marks, or the caption with brackets."""

    line: int
    marks: list[FilledMark] = field(default_factory=list)
    marked: list[tuple[int, str, str]] = field(default_factory=list)


def read_marks(
    path: Path, asked: AnnotationProtocol, texts: Texts, faults: Faults, limits: Limits
) -> dict[Place, list[FilledMark]]:
    """The marks of every caption that the table names, none where its row has none.

    A row is one mark in characters (`start`, `end`), or in `marked` the caption with brackets
    around what is wrong. A row with neither says that nothing was found.
    """
    found = _rows(path, asked, faults, limits)
    there = texts(found.keys())
    for place, caption in found.items():
        where = Where(path.name, caption.line)
        if place not in there:
            video, system = map(quoted, place)
            message = f"{system} has no caption of {video}."
            faults.error(Kind.VALUE, where, message, "Correct the names, or delete the row.")
            continue
        text = there[place]
        for line, marked, label in caption.marked:
            caption.marks += _in_brackets(marked, label, text, Where(path.name, line), faults)
        caption.marks.sort()
        if objection := filling_objection(asked, caption.marks, text):
            sentence = objection.sentence.format(**objection.values)
            labels = ", ".join(asked.marks[0].labels) if asked.marks else ""
            remedy = f"Words of the caption, with one of these labels: {labels}."
            faults.error(Kind.VALUE, where, sentence, remedy if labels else "Delete the file.")
    return {place: caption.marks for place, caption in found.items()}


def _rows(
    path: Path, asked: AnnotationProtocol, faults: Faults, limits: Limits
) -> dict[Place, _Caption]:
    found: dict[Place, _Caption] = {}
    usual = asked.marks[0].labels[0] if asked.marks else ""
    rows = read_table(path, _COLUMNS, faults, limits)
    for line, (video, system, start, end, label, marked) in rows:
        caption = found.setdefault((video, system), _Caption(line))
        label = label.strip() or usual
        if marked.strip():
            caption.marked.append((line, marked, label))
        elif start.strip() or end.strip():
            caption.marks += _in_characters(start, end, label, Where(path.name, line), faults)
    return found


def _in_characters(
    start: str, end: str, label: str, where: Where, faults: Faults
) -> Sequence[FilledMark]:
    if start.strip().isdecimal() and end.strip().isdecimal():
        return [(int(start), int(end), label)]
    message = f"start and end are {quoted(start)} and {quoted(end)}, which are no characters."
    remedy = "Count from 0: the first character of the mark, and the one after its last."
    faults.error(Kind.VALUE, where, message, remedy)
    return []


def _in_brackets(
    marked: str, label: str, text: str, where: Where, faults: Faults
) -> Sequence[FilledMark]:
    try:
        plain, spans = marked_spans(marked)
    except ValueError as error:
        faults.error(Kind.VALUE, where, f"marked: {error}.", "Write [ before and ] after.")
        return []
    if plain != text:
        message = "marked: without its brackets this is not the caption."
        faults.error(Kind.VALUE, where, message, f"The caption is {quoted(text)}.")
        return []
    return [(start, end, label) for start, end in spans]
