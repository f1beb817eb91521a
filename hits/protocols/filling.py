"""Marks that stand in a caption before anybody has seen it: confirmed or changed. Pure.

Whoever finds words marked tends to leave them so. Some people therefore get none, and what the
others marked is held against what these did (`analysis.results.filled`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hits.protocols.segments import Span
from hits.protocols.values import AnnotationProtocol, Marks, Objection

FilledMark = tuple[int, int, str]
CONTROL: Final = 0.5  # of people get none, unless the campaign says otherwise
_BRACKETS: Final = re.compile(r"[\[\]]")
_PARTS: Final = 2**64


def is_filled_for(campaign: str, person: str, control: float) -> bool:
    """Whether somebody finds marks filled in: by a hash, so that it is the same in every HIT.

    >>> [is_filled_for("clips", name, 0.5) for name in ("ann", "ben", "cid", "dan")]
    [True, False, True, False]
    >>> is_filled_for("clips", "ann", 1), is_filled_for("clips", "ben", 0)
    (False, True)
    """
    digest = hashlib.sha256(f"{campaign}\n{person}".encode()).digest()
    return int.from_bytes(digest[:8]) >= control * _PARTS


def marked_spans(marked: str) -> tuple[str, list[Span]]:
    """A caption and the places of its words between brackets.

    >>> marked_spans("A [black dog] runs.")
    ('A black dog runs.', [(2, 11)])
    >>> marked_spans("A [black dog runs.")
    Traceback (most recent call last):
    ValueError: the brackets are not in pairs
    """
    signs = [found.group() for found in _BRACKETS.finditer(marked)]
    if signs != ["[", "]"] * (len(signs) // 2):
        raise ValueError("the brackets are not in pairs")
    pieces = _BRACKETS.split(marked)
    ends = [sum(map(len, pieces[: place + 1])) for place in range(len(pieces))]
    return "".join(pieces), list(zip(ends[:-1:2], ends[1::2], strict=True))


def filling_objection(
    asked: AnnotationProtocol, marks: Sequence[FilledMark], text: str
) -> Objection | None:
    """Why these cannot be filled in; nothing if they could be somebody's answer."""
    if not asked.marks:
        return Objection("No words are marked in this campaign.")
    return asked.marks[0].objection([list(mark) for mark in marks], text)


def runs(asked: Marks, text: str, wrong: Sequence[bool], label: str = "") -> list[FilledMark]:
    """Marks of the words that are wrong, neighbours of a sentence together.

    >>> runs(Marks("marks", "What?"), "A black dog runs.", [False, True, True, False])
    [(2, 11, 'wrong')]
    """
    found: list[FilledMark] = []
    said = iter(wrong)
    for words in asked.sentences(text):
        goes_on = False
        for (start, end), is_wrong in zip(words, said, strict=False):
            if is_wrong and goes_on:
                found[-1] = (found[-1][0], end, found[-1][2])
            elif is_wrong:
                found.append((start, end, label or asked.labels[0]))
            goes_on = is_wrong
    return found


def moved(marks: Iterable[Any], damage: Span, longer: int) -> list[FilledMark]:
    """The marks of a caption as they stand in its damaged copy, without those in the damage.

    ``damage`` is where the copy differs, and ``longer`` by how many characters.

    >>> moved([(0, 1, "x"), (4, 9, "x"), (12, 16, "x")], (4, 11), 2)
    [(0, 1, 'x'), (14, 18, 'x')]
    """
    first, stop = damage
    before = [(start, end, label) for start, end, label in marks if end <= first]
    after = [(start + longer, end + longer, label) for start, end, label in marks]
    return before + [mark for mark in after if mark[0] >= stop and mark[0] - longer >= first]
