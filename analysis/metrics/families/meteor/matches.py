"""The matches between a caption and a reference among which METEOR chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from analysis.metrics.families.meteor.texts import Relations, Text

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)
Place = tuple[int, int, int, int, int]


class Match(NamedTuple):
    """Words of the reference from ``begin`` to ``end`` and of the caption from ``place``.

    ``bits`` has a one for each word of the caption and, above those, of the reference.
    """

    begin: int
    end: int
    place: int
    place_end: int
    stage: int
    bits: int


def find_matches(caption: Text, reference: Text, relations: Relations) -> list[list[Match]]:
    """For each word of the reference the matches that begin there, in METEOR's order."""
    width = len(caption.words)
    found: list[list[Match]] = [[] for _ in reference.words]
    for begin, end, place, place_end, stage in _places(caption, reference, relations):
        bits = (1 << place_end) - (1 << place) | (1 << end) - (1 << begin) << width
        found[begin].append(Match(begin, end, place, place_end, stage, bits))
    return found


def _places(caption: Text, reference: Text, relations: Relations) -> Iterator[Place]:
    """Stage by stage; a reference that the caption repeats has equal words only."""
    for begin, word in enumerate(reference.words):
        for place in caption.places.get(word, ()):
            yield begin, begin + 1, place, place + 1, EXACT
    if caption.words != reference.words:
        yield from _words(caption, reference, relations.stems, STEM)
        yield from _words(caption, reference, relations.synonyms, SYNONYM)
        yield from _phrases(caption, reference, relations)


def _words(
    caption: Text, reference: Text, related: Mapping[str, set[str]], stage: int
) -> Iterator[Place]:
    for begin, word in enumerate(reference.words):
        near = related.get(word)
        if near and not near.isdisjoint(caption.places):
            for place in sorted(p for other in near for p in caption.places.get(other, ())):
                yield begin, begin + 1, place, place + 1, stage


def _phrases(caption: Text, reference: Text, relations: Relations) -> Iterator[Place]:
    """Paraphrases go one way in METEOR's table, and are looked for both ways."""
    for begin, end, phrase in reference.phrases:
        for place, place_end in _paraphrases(phrase, caption, relations):
            yield begin, end, place, place_end, PARAPHRASE
    for place, place_end, phrase in caption.phrases:
        for begin, end in _paraphrases(phrase, reference, relations):
            yield begin, end, place, place_end, PARAPHRASE


def _paraphrases(phrase: int, text: Text, relations: Relations) -> list[tuple[int, int]]:
    """Where the text has paraphrases of the phrase, in the order of METEOR's table."""
    near = relations.paraphrases[phrase]
    if near.keys().isdisjoint(text.spans):
        return []
    ranked = sorted(near.keys() & text.spans.keys(), key=near.__getitem__)
    return [span for paraphrase in ranked for span in text.spans[paraphrase]]
