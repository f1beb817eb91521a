"""What an annotation protocol is made of: questions on scales, and how captions are put together.

Pure values. Texts for annotators are marked for translation here and translated where they are
shown (`templates/annotations/questions/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["interval", "ordinal"]


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues, as Django's function of that name does, without Django."""
    return text


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
        return isinstance(value, int) and self.low <= value <= self.high

    def __len__(self) -> int:
        return self.high - self.low + 1

    @property
    def is_ordinal(self) -> bool:
        return self.level == "ordinal"


@dataclass(frozen=True, slots=True)
class Slider:
    """A line to be touched anywhere between its two ends."""

    name: str
    text: str
    scale: Scale
    ends: tuple[str, str]
    kind: str = field(default="slider", init=False)
    template: str = field(default="annotations/questions/slider.html", init=False)


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
    template: str = field(default="annotations/questions/likert.html", init=False)

    @property
    def scale(self) -> Scale:
        return Scale(1, len(self.labels), "ordinal")

    @property
    def choices(self) -> tuple[tuple[int, str], ...]:
        return tuple(enumerate(self.labels, start=1))


Question = Slider | Likert


@dataclass(frozen=True)
class HitDefaults:
    """How the protocol's authors cut their HITs; a campaign may decide otherwise."""

    size: int
    pairs: int
    repeats: int
    assignments: int


@dataclass(frozen=True)
class AnnotationProtocol:
    """What a page asks, and of what.

    Parameters
    ----------
    name : in campaign.toml, on the command line and in links; also of its template
    title, summary : for organisers
    questions : in the order they are asked; the answer to the first, ``score``, ranks systems
    hits : the sizes a campaign begins with
    fluency : a further question that a campaign may switch on
    whole_video : whether a page shows all captions of a video, or one caption
    """

    name: str
    title: str
    summary: str
    questions: tuple[Question, ...]
    hits: HitDefaults
    fluency: Question | None = None
    whole_video: bool = False

    def __post_init__(self) -> None:
        if self.questions[0].name != "score":
            raise ValueError("the first question must be called score: its answer ranks systems")

    @property
    def template(self) -> str:
        return f"annotations/protocols/{self.name}.html"

    @property
    def scale(self) -> Scale:
        """Of the answer that ranks systems."""
        return self.questions[0].scale

    def misplaced(self, answers: Mapping[str, int]) -> Question | None:
        """The first question whose answer is not on its scale, or is missing."""
        wrong = (each for each in self.questions if answers.get(each.name) not in each.scale)
        return next(wrong, None)
