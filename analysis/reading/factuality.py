"""Factuality annotations as the authors of factvc-2023 published them.

`{video: {system: {"paragraph_score": 1–5, "sentences": ["… [wrong words] …"]}}}`: one paragraph of
each system for each video, judged as a whole and sentence by sentence, wrong words in brackets.
`"is_marked": true` says that most people marked something, where the words do not tell: that
something is missing, or each of them other words.

And every person's answers, as the platform writes them: a table with the columns of `LONG`, a row
for each paragraph, sentence and word (1 is wrong), numbered from 0; and a row `missing` where
something is marked as left out. A paragraph's score is on the scale of its protocol.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analysis.reading.files import Beginning, beginning, fault, lines, plain, table
from daplatform.tables import Columns, Faults, FirstFault, Kind, TableError, read_table
from daplatform.tables.formulas import as_written
from hits.protocols import Scale
from hits.protocols.factuality import FACTUALITY

SCALE: Final = FACTUALITY.scale
SUFFIX: Final = ".json"
LONG: Final = ("annotator", "video", "system", "level", "sentence", "word", "value")
_MARK = re.compile(r"\[([^\[\]]*)\]")
_INDEX = re.compile(r"\d{1,6}", re.ASCII)
_PARTS: Final = {
    "paragraph": [False, False],
    "sentence": [True, False],
    "word": [True, True],
    "missing": [False, False],
}


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
    is_marked: bool = False
    """Whether most people marked something, be it that something is missing."""


@dataclass(frozen=True, slots=True)
class Votes:
    """One person's answers about one paragraph, without its words."""

    annotator: str
    video: str
    system: str
    score: int
    words: list[list[bool]]
    """Which words are marked, by sentence."""
    is_missing: bool = False
    """Whether something is marked as left out."""

    @property
    def is_marked(self) -> bool:
        return self.is_missing or any(map(any, self.words))


def recognises(path: Path, start: Beginning) -> bool:
    """One JSON object over several lines, or the whole file in one: not JSON lines of ratings."""
    line = start.line.strip()
    return path.suffix == SUFFIX and line.startswith("{") and '"annotator"' not in line


def read(path: Path, scale: Scale = SCALE) -> list[Paragraph]:
    """Every paragraph; anything else in the file is a fault that says where it is."""
    try:
        content = json.loads("".join(lines(path)))
    except json.JSONDecodeError as error:
        raise fault(
            path, error.lineno, f"This is not JSON ({error.msg}).", "Write it again.", Kind.JSON
        ) from error
    paragraphs = [
        _paragraph(path, video, system, found, scale)
        for video, systems in _object(path, content, "the file").items()
        for system, found in _object(path, systems, f"video {video!r}").items()
    ]
    if not paragraphs:
        raise fault(path, None, "There are no paragraphs.", "Add some.", Kind.EMPTY_FILE)
    return paragraphs


def recognises_long(start: Beginning) -> bool:
    return not start.is_parquet and set(LONG) <= {name.strip() for name in start.cells}


def read_long(path: Path, scale: Scale = SCALE) -> list[Votes]:
    """Every person's answers; what cannot be right is a fault with its line."""
    with plain(path, FirstFault()) as source:
        columns, lines_of = table(source, beginning(source).delimiter)
    found: list[tuple[tuple[str, str, str], _Answers]] = []
    last: dict[tuple[str, str, str], _Answers] = {}
    for line, *cells in zip(lines_of, *(columns[name] for name in LONG), strict=True):
        name, video, system, level, sentence, word, value = (cell.strip() for cell in cells)
        who = (as_written(name), as_written(video), as_written(system))
        if who not in last or (level == "paragraph" and last[who].has_score):
            last[who] = _Answers(path, line, scale)  # some judge a caption in several HITs
            found.append((who, last[who]))
        last[who].add(line, level, sentence, word, value)
    if not found:
        raise fault(path, None, "There are no answers.", "Add some.", Kind.EMPTY_FILE)
    votes = [answers.votes(*who) for who, answers in found]
    shapes: dict[tuple[str, str], list[int]] = {}
    for each, (_, answers) in zip(votes, found, strict=True):
        shape = [len(words) for words in each.words]
        if shapes.setdefault((each.video, each.system), shape) != shape:
            raise fault(
                path,
                answers.line,
                f"{each.annotator} judged other words of {each.system} for {each.video} than the "
                "people before.",
                "Keep the answers about one wording.",
            )
    return votes


class _Answers:
    """The rows of one person about one paragraph."""

    def __init__(self, path: Path, line: int, scale: Scale) -> None:
        self.path, self.line, self.scale = path, line, scale
        self.values: dict[tuple[str, str, str], int] = {}

    @property
    def has_score(self) -> bool:
        return ("paragraph", "", "") in self.values

    def add(self, line: int, level: str, sentence: str, word: str, value: str) -> None:
        parts = _PARTS.get(level)
        if parts is None:
            raise self._fault(line, f"There is no level {level!r}.", f"one of {', '.join(_PARTS)}")
        given = [bool(_INDEX.fullmatch(part)) for part in (sentence, word)]
        if given != parts or sentence[: not parts[0]] or word[: not parts[1]]:
            wanted = {0: "neither", 1: "a sentence and no word", 2: "both"}[sum(parts)]
            raise self._fault(line, "The sentence or the word is not valid.", wanted)
        scale = self.scale if level == "paragraph" else _YES_OR_NO
        if not _INDEX.fullmatch(value) or int(value) not in scale:
            wanted = f"{scale.low} to {scale.high}" + _of_protocol(scale)
            raise self._fault(line, f"The value {value!r} is not valid.", wanted)
        if (level, sentence, word) in self.values:
            raise self._fault(line, "This answer occurs twice.", "one of them")
        self.values[level, sentence, word] = int(value)

    def votes(self, annotator: str, video: str, system: str) -> Votes:
        score = self.values.get(("paragraph", "", ""))
        if score is None:
            raise self._fault(self.line, "The level of the paragraph is missing.", "a row for it")
        words = [self._words(at) for at in range(self._count("sentence"))]
        if sum(map(len, words)) != self._count("word"):
            raise self._fault(self.line, "A word has no sentence here.", "a row for its sentence")
        is_missing = bool(self.values.get(("missing", "", "")))
        return Votes(annotator, video, system, score, words, is_missing)

    def _count(self, level: str) -> int:
        return sum(known == level for known, _, _ in self.values)

    def _words(self, at: int) -> list[bool]:
        """Of one sentence, which is wrong exactly when something in it is marked."""
        here = {int(word): value for (level, sentence, word), value in self.values.items()
                if (level, sentence) == ("word", str(at))}  # fmt: skip
        is_wrong = self.values.get(("sentence", str(at), ""))
        if is_wrong is None or not here or sorted(here) != [*range(len(here))]:
            message = f"Sentence {at} or one of its words is missing."
            raise self._fault(self.line, message, "numbers from 0 on, without a gap")
        words = [bool(here[number]) for number in range(len(here))]
        if bool(is_wrong) != any(words):
            message = (
                f"Sentence {at} is called {'wrong' if is_wrong else 'right'} against its words."
            )
            raise self._fault(self.line, message, "1 exactly when one of its words has 1")
        return words

    def _fault(self, line: int, message: str, wanted: str) -> TableError:
        return fault(self.path, line, message, f"Write {wanted}.")


_YES_OR_NO: Final = Scale(0, 1)


def _of_protocol(scale: Scale) -> str:
    """Scores of another protocol are the likeliest reason why a score is off the scale.

    >>> _of_protocol(SCALE), _of_protocol(_YES_OR_NO)
    (', or name another --protocol', '')
    """
    return "" if scale is _YES_OR_NO else ", or name another --protocol"


def _paragraph(path: Path, video: str, system: str, found: Any, scale: Scale) -> Paragraph:
    place = f"video {video!r}, system {system!r}"
    content = _object(path, found, place)
    score, sentences = content.get("paragraph_score"), content.get("sentences")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise fault(path, None, f"{place}: paragraph_score is not a number.", "Correct it.")
    if not scale.low <= score <= scale.high:
        raise fault(
            path,
            None,
            f"{place}: paragraph_score {score} is not {scale.low} to {scale.high}.",
            f"Correct it{_of_protocol(scale)}.",
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
    is_marked = content.get("is_marked", any(one.is_wrong for one in judged))
    if not isinstance(is_marked, bool):
        raise fault(path, None, f"{place}: is_marked is not true or false.", "Correct it.")
    return Paragraph(video, system, float(score), judged, is_marked)


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
