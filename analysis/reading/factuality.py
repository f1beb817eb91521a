"""Factuality annotations as the authors of factvc-2023 published them.

`{video: {system: {"paragraph_score": 1–5, "sentences": ["… [wrong words] …"]}}}`: one paragraph of
each system for each video, judged as a whole and sentence by sentence, wrong words in brackets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analysis.reading.files import Beginning, fault, lines
from daplatform.tables import Columns, Faults, Kind, read_table

LOWEST, HIGHEST = 1, 5
SUFFIX: Final = ".json"
_MARK = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """How many words it has and how many of them are marked; full stops are no words."""

    words: int
    wrong: int
    is_wrong: bool
    phrases: tuple[str, ...] = ()
    """What is marked, as it stands there."""
    marks: tuple[bool, ...] = ()
    """Whether each word is marked."""
    text: str = ""
    """Without the brackets."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """What people said of one system's paragraph for one video."""

    video: str
    system: str
    score: float
    sentences: tuple[Sentence, ...]


def recognises(path: Path, start: Beginning) -> bool:
    """One JSON object over several lines, or the whole file in one: not JSON lines of ratings."""
    line = start.line.strip()
    return path.suffix == SUFFIX and line.startswith("{") and '"annotator"' not in line


def read(path: Path) -> list[Paragraph]:
    """Every paragraph; anything else in the file is a fault that says where it is."""
    try:
        content = json.loads("".join(lines(path)))
    except json.JSONDecodeError as error:
        raise fault(
            path, error.lineno, f"This is not JSON ({error.msg}).", "Write it again.", Kind.JSON
        ) from error
    paragraphs = [
        _paragraph(path, video, system, found)
        for video, systems in _object(path, content, "the file").items()
        for system, found in _object(path, systems, f"video {video!r}").items()
    ]
    if not paragraphs:
        raise fault(path, None, "There are no paragraphs.", "Add some.", Kind.EMPTY_FILE)
    return paragraphs


def _paragraph(path: Path, video: str, system: str, found: Any) -> Paragraph:
    place = f"video {video!r}, system {system!r}"
    content = _object(path, found, place)
    score, sentences = content.get("paragraph_score"), content.get("sentences")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise fault(path, None, f"{place}: paragraph_score is not a number.", "Correct it.")
    if not LOWEST <= score <= HIGHEST:
        raise fault(
            path,
            None,
            f"{place}: paragraph_score {score} is not {LOWEST} to {HIGHEST}.",
            "Correct it.",
        )
    if not isinstance(sentences, list) or not sentences:
        raise fault(
            path,
            None,
            f"{place}: sentences is not a list with a sentence in it.",
            "List its sentences.",
        )
    judged = tuple(
        _sentence(path, f"{place}, sentence {number}", text)
        for number, text in enumerate(sentences, start=1)
    )
    return Paragraph(video, system, float(score), judged)


def _sentence(path: Path, place: str, text: Any) -> Sentence:
    if not isinstance(text, str):
        raise fault(path, None, f"{place} is not text.", "Put it in quotes.")
    marked = _MARK.findall(text)
    if len(marked) != text.count("[") or len(marked) != text.count("]"):
        raise fault(
            path,
            None,
            f"{place}: a bracket is not closed, or not opened.",
            "Put marked words between [ and ].",
        )
    pieces = _MARK.split(text)  # outside and inside brackets by turns
    marks = tuple(at % 2 == 1 for at, piece in enumerate(pieces) for _ in range(_words(piece)))
    return Sentence(
        len(marks),
        sum(marks),
        bool(marked),
        tuple(" ".join(m.split()) for m in marked),
        marks,
        " ".join(" ".join(pieces).split()),
    )


def read_categories(path: Path) -> dict[str, str]:
    """A file ``phrase,category``: the kind of error that a person sees in each phrase."""
    faults, found = Faults(), dict[str, str]()
    for _, (phrase, category) in read_table(path, Columns(("phrase", "category")), faults):
        found[phrase.casefold()] = category
    faults.refuse()
    return {phrase: category for phrase, category in found.items() if category}


def _words(text: str) -> int:
    """
    >>> _words("add the salt . stir")
    4
    """
    return len(text.replace(".", " ").split())


def _object(path: Path, content: Any, place: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise fault(
            path, None, f"{place} is not an object with names and values.", "Write one.", Kind.JSON
        )
    return content
