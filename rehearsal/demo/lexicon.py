"""Every word and phrase the demo's captions are made of, and what it tells a reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from rehearsal.demo.kinds import FAMILIES, KINDS
from rehearsal.demo.phrases import LIGHT_WORDS, OPENERS, SAYINGS, VAGUE_PLACES, WEATHER_WORDS
from rehearsal.demo.places import PLACES
from rehearsal.demo.wording import NUMBERS, gerund, plural, present

NEUTRAL_VERBS = ("come", "go", "keep", "leave", "stay", "get", "be")
FILLERS = (
    *(
        "in",
        "on",
        "at",
        "of",
        "to",
        "from",
        "near",
        "next",
        "not",
        "far",
        "with",
        "wearing",
        "there",
    ),
    *("up", "down", "out", "into", "back", "along", "around", "across", "away", "again", "halfway"),
    *(
        "above",
        "over",
        "under",
        "middle",
        "view",
        "each",
        "other",
        "broad",
        "pouring",
        "deep",
        "bottom",
    ),
)
LINKS = ("while", "and", "as")
HEADINGS = {
    "right": ("from left to right", "to the right", "towards the right", "from the left"),
    "left": ("from right to left", "to the left", "towards the left", "from the right"),
}
LIGHT_NOUNS = {
    "day": ("sunny day", "daylight", "day"),
    "sunset": ("sunset", "evening light", "evening", "sun goes down", "sun"),
    "night": ("night", "dark"),
}
WEATHER_NOUNS = {"rain": ("rain",), "snow": ("falling snow", "snow falling")}


@dataclass(frozen=True)
class Mark:
    """What a word or phrase says: its role in the sentence and its meaning."""

    role: str
    value: str = ""
    number: int | None = None


Entry = tuple[str, Mark]


@cache
def lexicon() -> dict[tuple[str, ...], Mark]:
    """Phrases as tuples of words; where two entries share a phrase, the later one stands."""
    entries = [*_structure(), *_things(), *_settings(), *_doings()]
    return {tuple(phrase.split()): mark for phrase, mark in entries}


@cache
def _longest() -> int:
    """Words in the longest phrase."""
    return max(map(len, lexicon()))


def marks(text: str) -> list[Mark]:
    """A text as the longest phrases known, in order; what is not known is marked as such."""
    return [mark for mark, _ in placed(text)]


def placed(text: str) -> list[tuple[Mark, tuple[int, int]]]:
    """The same with where each stands: its first character, and the one after its last."""
    found = list(re.finditer(r"[a-z]+", text.lower()))
    words = [word[0] for word in found]
    known = lexicon()
    told, at = [], 0
    while at < len(words):
        sizes = range(min(_longest(), len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in known), 0)
        mark = known[tuple(words[at : at + size])] if size else Mark("unknown", words[at])
        last = at + max(1, size)
        told.append((mark, (found[at].start(), found[last - 1].end())))
        at = last
    return told


def _structure() -> Iterator[Entry]:
    for word in (*FILLERS, "up and down", "in the middle", *OPENERS):
        yield word, Mark("filler")
    for word in LINKS:
        yield word, Mark("link")
    for count, word in NUMBERS.items():
        yield word, Mark("number", number=count)
    for word, number in (("an", 1), ("one", 1), ("the", None), ("some", None)):
        yield word, Mark("number", number=number)


def _things() -> Iterator[Entry]:
    for colour in {colour for kind in KINDS.values() for colour in kind.colours}:
        yield colour, Mark("colour", colour)
    for name, kind in KINDS.items():
        yield from _noun("kind", name, kind.nouns)
        yield from _noun("garment", name, kind.garments)
    for name, nouns in FAMILIES.items():
        yield from _noun("kind", name, nouns)
    yield "something", Mark("something")
    for landmark in {landmark for place in PLACES.values() for landmark in place.landmarks}:
        yield landmark, Mark("landmark", landmark)


def _noun(role: str, value: str, nouns: Iterable[str]) -> Iterator[Entry]:
    for noun in nouns:
        yield plural(noun), Mark(role, value)
        yield noun, Mark(role, value)


def _settings() -> Iterator[Entry]:
    for name, place in PLACES.items():
        yield from ((word, Mark("place", name)) for word in place.words)
    for name, words in VAGUE_PLACES.items():
        yield from ((word, Mark("place", name)) for word in words)
    for role, table in (("light", LIGHT_NOUNS), ("light", LIGHT_WORDS)):
        for name, words in table.items():
            yield from ((word, Mark(role, name)) for word in words)
    for table in (WEATHER_NOUNS, WEATHER_WORDS):
        for name, words in table.items():
            yield from ((word, Mark("weather", name)) for word in words)
    for heading, words in HEADINGS.items():
        yield from ((word, Mark("heading", heading)) for word in words)


def _doings() -> Iterator[Entry]:
    for verb in ("move", *(verb for kind in KINDS.values() for verb in kind.verbs)):
        yield from ((form, Mark("go", verb)) for form in _forms(verb))
    for verb in NEUTRAL_VERBS:
        yield from ((form, Mark("verb")) for form in _forms(verb))
    for motion, sayings in SAYINGS.items():
        for verb in sayings.verbs:
            yield from ((form, Mark("motion", motion)) for form in _forms(verb))
        yield from ((cue, Mark("cue", motion)) for cue in sayings.cues)
    yield from ((f"{form} around", Mark("motion", "turn")) for form in _forms("turn"))


def _forms(verb: str) -> tuple[str, str, str]:
    return present(verb, many=True), present(verb, many=False), gerund(verb)
