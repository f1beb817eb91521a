"""What a simulated annotator answers, in the words of the campaign's protocol."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hits.protocols import AnnotationProtocol, Question
from hits.protocols.direct_assessment import SCALE
from hits.protocols.segments import Span, segments
from hits.protocols.values import Marks, Slider, Text
from rehearsal.demo import HUMANS, caption, scene_named
from rehearsal.people.personas import Persona, Response, respond

WHO: Final = ("a boy", "a tall woman", "an old man", "a brown dog", "a small child", "a cyclist")
WHAT: Final = ("runs past", "stands beside", "looks at", "waits near", "dances around")
WHERE: Final = ("a parked bus", "a wooden table", "a red boat", "a garden fence", "a tall tree")
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
    if not protocol.asks_numbers:
        found = {
            question.name: _answer(question, protocol, persona, subject, response, rng)
            for question in protocol.questions
        }
        return {"answers": found}
    asks_fluency = any(question.name == "fluency" for question in protocol.questions)
    fluent = respond(persona, subject.fluency, seconds=0.0, rng=rng) if asks_fluency else None
    return {"score": response.score, "fluency": fluent.score if fluent else None}


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
        wrong = [] if response.score == protocol.scale.high else marked(persona, subject, rng)
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
    """A run of words, the longer the worse the caption is; the honest all find the same.

    Where words were damaged, these are what they find.
    """
    words = segments(subject.text, "word")
    if persona.habit == "honest":
        rng = np.random.default_rng(zlib.crc32(subject.text.encode()))
        if subject.damage is not None:
            first, stop = subject.damage
            found = [word for word in words if first < word[1] and word[0] < stop]
            return [[found[0][0], found[-1][1], "wrong"]] if found else []
    length = max(1, round(len(words) * (1 - subject.quality) / 2))
    first = int(rng.integers(max(1, len(words) - length + 1)))
    run = words[first : first + length]
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
