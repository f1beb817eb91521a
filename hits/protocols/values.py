"""What an annotation protocol is made of: questions, and how captions are put together.

Pure values. Texts for annotators are marked for translation here and translated where they are
shown (`templates/annotations/questions/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal
from unicodedata import category

from hits.protocols.segments import Span, words_by_sentence

Level = Literal["interval", "ordinal"]


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues, as Django's function of that name does, without Django."""
    return text


_ENDS_A_LINE: Final = ("Cc", "Cs", "Zl", "Zp")
_TURNS_TEXT: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def is_one_line(text: str) -> bool:
    """Whether it can be read in one line. Joiners belong to Hindi, to Persian and to many emoji.

    >>> is_one_line("क्\u200dष 🤷\u200d♀️"), is_one_line("two\\nlines"), is_one_line(" \u200d")
    (True, False, False)
    """
    if any(category(sign) in _ENDS_A_LINE or sign in _TURNS_TEXT for sign in text):
        return False
    return any(category(sign) not in ("Cf", "Zs") for sign in text)


@dataclass(frozen=True)
class Objection:
    """Why an answer is refused: a sentence marked for translation, and what its braces hold."""

    sentence: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers that answer a question.

    Steps of an interval scale are alike, so many of them are shown in bins and an unlikely run of
    equal ones is worth a look. Levels of an ordinal scale are few, and each is a class of its own.

    >>> 5 in Scale(1, 5, "ordinal"), 0 in Scale(1, 5, "ordinal"), len(Scale(0, 100))
    (True, False, 101)
    """

    low: int
    high: int
    level: Level = "interval"

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high:
            raise ValueError("a scale must rise from low to high, and not begin below 0")

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return self.low <= value <= self.high

    def __len__(self) -> int:
        return self.high - self.low + 1

    @property
    def is_ordinal(self) -> bool:
        return self.level == "ordinal"

    def objection(self, answer: object) -> Objection | None:
        """Why the number is not an answer; nothing if it is one."""
        if answer in self:
            return None
        sentence = gettext_noop("A rating is a whole number from {low} to {high}.")
        return Objection(sentence, {"low": self.low, "high": self.high})


@dataclass(frozen=True, slots=True)
class Slider:
    """A line to be touched anywhere between its two ends.

    ``levels`` are words along the line, evenly from end to end, instead of two ends.

    >>> Slider("score", "Well?", Scale(0, 10), ("", ""), step=5).objection(6, "").sentence
    'Choose this rating in steps of {step}.'
    """

    name: str
    text: str
    scale: Scale
    ends: tuple[str, str]
    step: int = 1
    levels: tuple[str, ...] = ()
    kind: str = field(default="slider", init=False)

    def objection(self, answer: object, text: str) -> Objection | None:
        if (
            isinstance(answer, int)
            and answer in self.scale
            and (answer - self.scale.low) % self.step
        ):
            sentence = gettext_noop("Choose this rating in steps of {step}.")
            return Objection(sentence, {"step": self.step})
        return self.scale.objection(answer)


@dataclass(frozen=True, slots=True)
class Likert:
    """A few levels, counted from 1, each with a label.

    >>> Likert("score", "Does it fit?", ("no", "partly", "yes")).choices
    ((1, 'no'), (2, 'partly'), (3, 'yes'))
    """

    name: str
    text: str
    labels: tuple[str, ...]
    kind: str = field(default="likert", init=False)

    @property
    def scale(self) -> Scale:
        return Scale(1, len(self.labels), "ordinal")

    @property
    def choices(self) -> tuple[tuple[int, str], ...]:
        return tuple(enumerate(self.labels, start=1))

    def objection(self, answer: object, text: str) -> Objection | None:
        return self.scale.objection(answer)


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence to be written. Hints say what to think of, and are ticked by whoever writes.

    The answer is the sentence and the names of the ticked hints.

    >>> asked = Text("caption", "What happens?", (("who", "Who?"),))
    >>> asked.objection({"text": "A dog runs.", "ticks": ["who"]}) is None
    True
    """

    name: str
    text: str
    hints: tuple[tuple[str, str], ...] = ()
    most: int = 500  # characters
    is_optional: bool = False
    kind: str = field(default="text", init=False)

    def objection(self, answer: object, text: str = "") -> Objection | None:
        """Why it is not a sentence with ticks. Whether it is a good one is for people to say."""
        if not isinstance(answer, dict) or answer.keys() != {"text", "ticks"}:
            return Objection(gettext_noop("Write a sentence."))
        written, ticks = answer["text"], answer["ticks"]
        if written == "" and self.is_optional:
            return None if ticks == [] else Objection(gettext_noop("Tick each hint once."))
        if not isinstance(written, str) or not is_one_line(written):
            return Objection(gettext_noop("Write a sentence, in one line."))
        if len(written) > self.most:
            sentence = gettext_noop("The sentence is too long: {most} characters at most.")
            return Objection(sentence, {"most": self.most})
        known = [name for name, _ in self.hints]
        if not isinstance(ticks, list) or [name for name in known if name in ticks] != ticks:
            return Objection(gettext_noop("Tick each hint once."))
        return None


MISSING: Final = "[missing]"
"""Stands after a caption where it can be marked that something is left out."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Words of the caption to be marked, as few as possible.

    The answer is a list of marks in order: first character, the one after the last, label. None is
    an answer, too. A label is a severity, a category and a severity, or `wrong` where there is
    neither to choose.

    >>> Marks("marks", "What?", severities=(("minor", 1), ("major", 5)), categories=("act",)).labels
    ('act/minor', 'act/major')

    >>> Marks("marks", "What is wrong?").objection([[2, 5, "wrong"]], "A dog runs.") is None
    True
    >>> Marks("marks", "What is wrong?").objection([[2, 4, "wrong"]], "A dog runs.").sentence
    'A mark begins and ends with a word of the caption.'
    """

    name: str
    text: str
    severities: tuple[tuple[str, float], ...] = ()
    categories: tuple[str, ...] = ()
    marks_missing: bool = False
    kind: str = field(default="marks", init=False)

    @property
    def labels(self) -> tuple[str, ...]:
        if not self.severities:
            return ("wrong",)
        begins = [f"{category}/" for category in self.categories] or [""]
        return tuple(f"{begin}{name}" for begin in begins for name, _ in self.severities)

    def weight(self, label: str) -> float:
        """What a mark costs; nothing where marks have no severity."""
        return dict(self.severities).get(label.rpartition("/")[2], 0.0)

    @property
    def weights(self) -> dict[str, float]:
        """What each label costs; empty where marks have no severity."""
        return {label: self.weight(label) for label in self.labels} if self.severities else {}

    def sentences(self, text: str) -> tuple[tuple[Span, ...], ...]:
        """The words that can be marked; what is missing stands past the end of the text.

        >>> Marks("marks", "What is wrong?", marks_missing=True).sentences("A dog")
        (((0, 1), (2, 5)), ((6, 15),))
        """
        found = words_by_sentence(text)
        start = len(text) + 1
        return (*found, ((start, start + len(MISSING)),)) if self.marks_missing else found

    def objection(self, answer: object, text: str) -> Objection | None:
        if not isinstance(answer, list) or not all(map(self._is_mark, answer)):
            return Objection(gettext_noop("The marks cannot be read. Reload the page."))
        words = [word for sentence in self.sentences(text) for word in sentence]
        begins, ends = {start for start, _ in words}, {end for _, end in words}
        if not all(start in begins and end in ends and start < end for start, end, _ in answer):
            return Objection(gettext_noop("A mark begins and ends with a word of the caption."))
        if any(first[1] > second[0] for first, second in pairwise(answer)):
            return Objection(gettext_noop("Marks do not overlap."))
        return None

    def _is_mark(self, mark: object) -> bool:
        if not isinstance(mark, list) or [type(part) for part in mark] != [int, int, str]:
            return False
        return mark[2] in self.labels


Question = Slider | Likert | Text | Marks


@dataclass(frozen=True)
class HitDefaults:
    """How the protocol's authors cut their HITs; a campaign may decide otherwise."""

    size: int
    pairs: int
    repeats: int
    assignments: int


@dataclass(frozen=True)
class Advert:
    """What a marketplace shows of the work to people who look for some, until it is edited."""

    title: str = "Rate captions of short videos"
    description: str = "Watch short videos and rate captions of them."
    keywords: str = "video, captions, rating"


@dataclass(frozen=True)
class AnnotationProtocol:
    """What a page asks, and of what.

    Parameters
    ----------
    name : in campaign.toml, on the command line and in links; also of its template
    title, summary : for organisers
    questions : in the order they are asked; the answer to the one called ``score`` ranks systems
    hits : the sizes a campaign begins with
    fluency : a further question that a campaign may switch on
    whole_video : whether a page shows all captions of a video, or one caption
    writes : whether people write the captions themselves, so that none is shown
    same_people : whether the same people should judge all videos, so that their levels compare
    has_own : whether a campaign's own questions are among them
    is_side_by_side : whether captions of a page stand in columns, where there is room
    advert : what a marketplace shows of the work
    """

    name: str
    title: str
    summary: str
    questions: tuple[Question, ...]
    hits: HitDefaults
    fluency: Question | None = None
    whole_video: bool = False
    writes: bool = False
    same_people: bool = False
    has_own: bool = False
    is_side_by_side: bool = False
    advert: Advert = Advert()

    @property
    def template(self) -> str:
        return f"annotations/protocols/{self.name}.html"

    @property
    def scale(self) -> Scale:
        """Of the answer that ranks systems."""
        for question in self.questions:
            if question.name == "score" and isinstance(question, Slider | Likert):
                return question.scale
        raise ValueError(f"the protocol {self.name} ranks no systems")

    @property
    def asks_numbers(self) -> bool:
        """Whether a rating is nothing but numbers that have columns of their own."""
        return all(question.name in ("score", "fluency") for question in self.questions)

    @property
    def marks(self) -> tuple[Marks, ...]:
        """The questions answered by marking words."""
        return tuple(question for question in self.questions if isinstance(question, Marks))

    @property
    def weights(self) -> dict[str, float]:
        """What marks cost, by label; empty where they have no severity, or nothing is marked."""
        return next((question.weights for question in self.marks), {})

    def objection(self, answers: Mapping[str, Any], text: str = "") -> Objection | None:
        """Why these are not the answers about a caption of that text; nothing if they are."""
        if answers.keys() != {question.name for question in self.questions}:
            return Objection(gettext_noop("This page asks other questions. Reload it."))
        found = (question.objection(answers[question.name], text) for question in self.questions)
        return next((each for each in found if each is not None), None)
