"""What an answer should be, where that is known: of attention checks and of the tutorial. Pure.

campaign.toml says it for each question it is about:

    [[attention]]
    text = "This is a check: move the scale to the left end."
    expect = { score = [0, 10] }        # or one number, or marks = ["words", "to be marked"]

Questions that are not named may be answered in any way. The tutorial has captions, each of a video
of the campaign, or else of the clip for practice; those of one video that follow each other are one
page where a page shows all captions of a video:

    [[tutorial]]
    video = "clip-01"
    caption = "A dog sleeps on a beach."
    expect = { score = [0, 40] }
    feedback = "The dog runs. Who and where are right, what happens is not."
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hits.protocols.segments import Span, segments
from hits.protocols.values import AnnotationProtocol, Likert, Marks, Slider, is_one_line

_MOST: Final = 5  # attention checks in a HIT
_LESSONS: Final = 10
_LESSON: Final = frozenset({"caption", "expect", "feedback"})
_TEXT: Final = 300
_SHAPE: Final = (
    "expect for each: a number, two numbers, or a list of words to be marked, by question"
)


def missed(
    protocol: AnnotationProtocol, expect: Mapping[str, Any], answers: Mapping[str, Any], text: str
) -> tuple[str, ...]:
    """Questions whose answer about a caption of that text is not what was expected.

    >>> from hits.protocols import protocol_named
    >>> missed(protocol_named("direct"), {"score": [0, 10]}, {"score": 11}, "Move it to the left.")
    ('score',)
    """
    asked = {question.name: question for question in protocol.questions}
    return tuple(
        name
        for name, wanted in expect.items()
        if name not in answers
        or not (
            _marks_fit(answers[name], wanted, text)
            if isinstance(asked[name], Marks)
            else _within(answers[name], wanted)
        )
    )


def as_expected(
    protocol: AnnotationProtocol, expect: Mapping[str, Any], text: str
) -> dict[str, Any]:
    """An answer to each question that is named, as it was expected.

    >>> from hits.protocols import protocol_named
    >>> as_expected(protocol_named("factuality"), {"score": 2, "marks": ["dog"]}, "A dog runs.")
    {'score': 2, 'marks': [[2, 5, 'wrong']]}
    """
    labels = {question.name: question.labels[0] for question in protocol.marks}
    return {
        name: [[start, end, labels[name]] for start, end in sorted(_places(wanted, text))]
        if name in labels
        else _ends(wanted)[0]
        for name, wanted in expect.items()
    }


def _within(answer: object, wanted: Any) -> bool:
    low, high = _ends(wanted)
    return isinstance(answer, int) and low <= answer <= high


def _ends(wanted: Any) -> tuple[int, int]:
    return (wanted[0], wanted[1]) if isinstance(wanted, list) else (wanted, wanted)


def _marks_fit(marks: Sequence[Sequence[Any]], wanted: Sequence[str], text: str) -> bool:
    """Whether something of each place is marked, and nothing beside them."""
    spans = [(start, end) for start, end, *_ in marks]
    places = _places(wanted, text)
    marked = [word for word in segments(text, "word") if any(_meet(word, span) for span in spans)]
    beside = [word for word in marked if not any(_meet(word, place) for place in places)]
    past = [span for span in spans if span[0] >= len(text)]  # “[missing]” is marked
    return not beside and not past and all(any(_meet(w, p) for w in marked) for p in places)


def _places(wanted: Sequence[str], text: str) -> list[Span]:
    """Where the words stand, the first time each."""
    return [(text.index(words), text.index(words) + len(words)) for words in wanted]


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def attention_faults(checks: object) -> Iterator[str]:
    """What should stand there instead of these attention checks."""
    if not isinstance(checks, list) or len(checks) > _MOST:
        yield f"at most {_MOST} tables, each below a line [[attention]]"
        return
    for check in checks:
        if not isinstance(check, dict) or check.keys() != {"text", "expect"}:
            yield "tables with the keys text and expect"
        elif not is_line(check["text"]):
            yield f"a text of up to {_TEXT} characters for each, in one line"
        elif not _is_expectation(check["expect"]):
            yield _SHAPE
    texts = [check.get("text") for check in checks if isinstance(check, dict)]
    if len(texts) > len({str(text) for text in texts}):
        yield "a text of its own for each"


def tutorial_faults(lessons: object) -> Iterator[str]:
    """What should stand there instead of this tutorial."""
    if not isinstance(lessons, list) or len(lessons) > _LESSONS:
        yield f"at most {_LESSONS} tables, each below a line [[tutorial]]"
        return
    for lesson in lessons:
        if not isinstance(lesson, dict) or lesson.keys() - {"video"} != _LESSON:
            yield "tables with the keys caption, expect, feedback and, if you like, video"
        elif not all(is_line(lesson[name]) for name in lesson.keys() - {"expect"}):
            yield f"texts of up to {_TEXT} characters, each in one line"
        elif not _is_expectation(lesson["expect"]):
            yield _SHAPE


def is_line(text: object, most: int = _TEXT) -> bool:
    return isinstance(text, str) and is_one_line(text) and len(text) <= most


def _is_expectation(expect: object) -> bool:
    return isinstance(expect, dict) and expect != {} and all(map(_is_wanted, expect.values()))


def _is_wanted(wanted: object) -> bool:
    if not isinstance(wanted, list):
        return type(wanted) is int
    if [type(each) for each in wanted] == [int, int]:
        return bool(wanted[0] <= wanted[1])
    return all(map(is_line, wanted))


def expectation_clashes(
    protocol: AnnotationProtocol, own: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Expected answers that the protocol, with the campaign's own questions, does not take."""
    for key, text in (("attention", "text"), ("tutorial", "caption")):
        for each in own.get(key, ()):
            if protocol.writes:
                yield key, f"none of it: with {protocol.name} nobody reads a caption"
            elif wanted := _clash(protocol, each["expect"], each[text]):
                yield key, wanted


def _clash(protocol: AnnotationProtocol, expect: Mapping[str, Any], text: str) -> str:
    asked = {question.name: question for question in protocol.questions}
    for name, wanted in expect.items():
        question, is_words = asked.get(name), _is_words(wanted)
        if isinstance(question, Slider | Likert) and not is_words:
            if not all(end in question.scale for end in _ends(wanted)):
                scale = question.scale
                return f"numbers from {scale.low} to {scale.high} for {name}"
        elif isinstance(question, Marks) and is_words:
            if not all(words in text for words in wanted):
                return f"words for {name} as they stand in “{text}”"
        else:
            return f"an answer to a question that is asked, which {name} is not, or not like this"
    return ""


def _is_words(wanted: object) -> bool:
    return isinstance(wanted, list) and all(isinstance(each, str) for each in wanted)
