"""What a simulated annotator answers, in the words of the campaign's protocol."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

import numpy as np

from hits.protocols import AnnotationProtocol, Question, Scale
from hits.protocols.direct_assessment import SCALE
from hits.protocols.expected import as_expected
from hits.protocols.segments import Span, segments
from hits.protocols.values import Marks, Slider, Text
from rehearsal.demo import HUMANS, caption, scene_named, wrong_phrases
from rehearsal.people.personas import INATTENTION, Persona, Response, respond

WHO: Final = ("a boy", "a tall woman", "an old man", "a brown dog", "a small child", "a cyclist")
WHAT: Final = ("runs past", "stands beside", "looks at", "waits near", "dances around")
WHERE: Final = ("a parked bus", "a wooden table", "a red boat", "a garden fence", "a tall tree")
OVERLOOKED: Final = 0.1
"""How many of the wrong phrases somebody who looks does not see."""
EVERYWHERE: Final = "A man is talking."


@dataclass(frozen=True)
class Subject:
    """What a simulated annotator knows of an item: how good it truly is, how long, of what."""

    position: int
    page: int
    quality: float
    fluency: float
    seconds: float
    video: str
    text: str
    is_drawn: bool
    damage: Span | None = None  # where words of another caption stand
    told: Mapping[str, Any] = field(default_factory=dict)  # what an attention check says to answer


def response_to(
    protocol: AnnotationProtocol, persona: Persona, subject: Subject, rng: np.random.Generator
) -> Response:
    """How they look at it, and the number they have in mind where one is asked for."""
    scale = SCALE if protocol.writes else protocol.scale
    return respond(persona, subject.quality, seconds=subject.seconds, rng=rng, scale=scale)


def answers_to(
    protocol: AnnotationProtocol,
    persona: Persona,
    subject: Subject,
    response: Response,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The part of a post that answers the protocol's questions."""
    if protocol.writes:
        return {"answers": {"caption": written(persona, subject, rng)}}
    answers = _answers_about(protocol, persona, subject, response, rng)
    if persona.habit != "honest":
        return answers
    told = as_expected(protocol, subject.told, subject.text)
    return answers | (told if protocol.asks_numbers else {"answers": answers["answers"] | told})


def _answers_about(
    protocol: AnnotationProtocol,
    persona: Persona,
    subject: Subject,
    response: Response,
    rng: np.random.Generator,
) -> dict[str, Any]:
    if not protocol.asks_numbers:
        found = {
            question.name: _answer(question, protocol, persona, subject, response, rng)
            for question in protocol.questions
        }
        if persona.habit == "honest" and protocol.marks:
            is_marked = any(found[question.name] for question in protocol.marks)
            found["score"] = _in_keeping(protocol.scale, response.score, is_marked)
        return {"answers": found}
    asks_fluency = any(question.name == "fluency" for question in protocol.questions)
    fluent = respond(persona, subject.fluency, seconds=0.0, rng=rng) if asks_fluency else None
    return {"score": response.score, "fluency": fluent.score if fluent else None}


def _in_keeping(scale: Scale, score: int, is_marked: bool) -> int:
    """Whoever marks something does not say that all is right; a highest level says just that.

    >>> levels = Scale(1, 5, "ordinal")
    >>> _in_keeping(levels, 5, True), _in_keeping(levels, 3, True), _in_keeping(levels, 3, False)
    (4, 3, 5)
    """
    if is_marked:
        return min(score, scale.high - 1)
    return scale.high if scale.is_ordinal else score


def _answer(
    question: Question,
    protocol: AnnotationProtocol,
    persona: Persona,
    subject: Subject,
    response: Response,
    rng: np.random.Generator,
) -> object:
    if question.name == "score":
        return response.score
    if isinstance(question, Marks):
        is_right = persona.habit != "honest" and response.score == protocol.scale.high
        wrong = [] if is_right else marked(persona, subject, rng)
        kinds = question.labels
        at = int((1 - subject.quality) * (len(kinds) - 1)) if len(kinds) > 1 else 0
        return [[start, end, kinds[at]] for start, end, _ in wrong]
    if isinstance(question, Text):
        return {"text": "", "ticks": []}
    quality = subject.fluency if question.name == "fluency" else subject.quality
    given = respond(persona, quality, seconds=0.0, rng=rng, scale=question.scale).score
    step = question.step if isinstance(question, Slider) else 1
    return given - (given - question.scale.low) % step


def marked(persona: Persona, subject: Subject, rng: np.random.Generator) -> list[list[Any]]:
    """What somebody calls wrong: nothing, if they answer the same of everything.

    Of a scene that we drew the honest and, now and then, the careless know what is wrong, and
    overlook some of it. Elsewhere it is a run of words, the longer the worse the caption is; the
    honest all find the same. Where words were damaged, these are what they find.
    """
    if persona.habit == "constant":
        return []
    looks = persona.habit == "honest" or (
        persona.habit == "careless" and rng.random() >= INATTENTION
    )
    if subject.is_drawn and looks:
        return _seen(subject, rng)
    words = segments(subject.text, "word")
    if persona.habit == "honest":
        rng = np.random.default_rng(zlib.crc32(subject.text.encode()))
        if subject.damage is not None:
            return _marks([word for word in words if _touches(word, subject.damage)])
    length = max(1, round(len(words) * (1 - subject.quality) / 2))
    first = int(rng.integers(max(1, len(words) - length + 1)))
    return _marks(words[first : first + length])


def _seen(subject: Subject, rng: np.random.Generator) -> list[list[Any]]:
    """The words of every wrong phrase that is not overlooked; neighbours are one mark."""
    noticed = [phrase for phrase in _wrong(subject) if rng.random() >= OVERLOOKED]
    words = segments(subject.text, "word")
    runs = groupby(words, key=lambda word: any(_touches(word, phrase) for phrase in noticed))
    return [mark for is_wrong, run in runs if is_wrong for mark in _marks(list(run))]


def _wrong(subject: Subject) -> list[Span]:
    """What does not fit the scene. Words of another caption make no sense where they stand, even
    those that would be right elsewhere."""
    phrases = wrong_phrases(scene_named(subject.video), subject.text)
    if subject.damage is None:
        return phrases
    damage = subject.damage
    return [damage, *(phrase for phrase in phrases if not _touches(phrase, damage))]


def _touches(word: Span, span: Span) -> bool:
    return span[0] < word[1] and word[0] < span[1]


def _marks(run: Sequence[Span]) -> list[list[Any]]:
    return [[run[0][0], run[-1][1], "wrong"]] if run else []


def written(persona: Persona, subject: Subject, rng: np.random.Generator) -> dict[str, Any]:
    """A sentence about the video and its ticks.

    The honest say what is there, the careless leave the place out, the random tell of some other
    video, and the constant write the same of all.
    """
    if persona.habit == "constant":
        return {"text": EVERYWHERE, "ticks": ["who", "what"]}
    if subject.is_drawn and persona.habit == "honest":
        told = caption(scene_named(subject.video), HUMANS[int(rng.integers(len(HUMANS)))]).text
        return {"text": told, "ticks": ["who", "what", "where"]}
    seed = rng.integers(2**32) if persona.habit == "random" else zlib.crc32(subject.video.encode())
    scene = np.random.default_rng(seed)
    who, what, where = (str(scene.choice(part)) for part in (WHO, WHAT, WHERE))
    if persona.habit == "careless":
        return {"text": f"{who.capitalize()} is there.", "ticks": ["who"]}
    adverb = str(rng.choice(("slowly", "quickly", "calmly", "twice", "again")))
    return {"text": f"{who.capitalize()} {adverb} {what} {where}.", "ticks": ["who", "what"]}
