"""Texts as the aligner looks at them, and which of their words and phrases may be matched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, permutations

import numpy as np

from analysis.metrics.families.meteor.lexicon import Lexicon
from analysis.metrics.families.meteor.table import Phrases
from analysis.metrics.families.meteor.table_building import Numbers

_BETWEEN = ""  # a word that is in no phrase
Phrase = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Text:
    """A text.

    Parameters
    ----------
    words : its words, in order
    places : where each word is
    phrases : begin, end and number of each phrase with a paraphrase in some text, in order
    spans : begin and end of the phrases that are such a paraphrase, by their number
    function : a bit for each word that is a function word
    """

    words: Sequence[str]
    places: Mapping[str, Sequence[int]]
    phrases: Sequence[Phrase]
    spans: Mapping[int, Sequence[tuple[int, int]]]
    function: int


@dataclass(frozen=True)
class Relations:
    """What may be matched: words of one stem, synonyms, phrases with the rank of paraphrases."""

    stems: Mapping[str, set[str]]
    synonyms: Mapping[str, set[str]]
    paraphrases: Mapping[int, Mapping[int, int]]


def read_texts(texts: Iterable[str], lexicon: Lexicon) -> tuple[dict[str, Text], Relations]:
    """Every text once, and what is related in any two of them."""
    words = {text: lexicon.words(text) for text in dict.fromkeys(texts)}
    vocabulary = list(dict.fromkeys(chain.from_iterable(words.values())))
    found = lexicon.table.phrases([w for own in words.values() for w in (*own, _BETWEEN)])
    paraphrases = lexicon.table.paraphrases(found.nodes)
    relations = Relations(
        _related(vocabulary, lambda word: [lexicon.stem(word)]),
        _related(vocabulary, lexicon.synonyms.sets),
        paraphrases,
    )
    starts = np.cumsum([0, *(len(own) + 1 for own in words.values())])
    phrases = _cut(found, paraphrases, starts)
    matched = _cut(found, set(chain.from_iterable(paraphrases.values())), starts)
    each = zip(words.items(), phrases, matched, strict=True)
    return {
        text: _text(own, some, others, lexicon.function_words) for (text, own), some, others in each
    }, relations


def _related(words: Sequence[str], keys: Callable[[str], Iterable[str]]) -> dict[str, set[str]]:
    """Of each word the others that have a key in common with it."""
    groups: dict[str, list[str]] = defaultdict(list)
    for word in words:
        for key in keys(word):
            groups[key].append(word)
    related: dict[str, set[str]] = defaultdict(set)
    for one, other in chain.from_iterable(permutations(group, 2) for group in groups.values()):
        related[one].add(other)
    return related


def _cut(found: Phrases, wanted: Iterable[int], starts: Numbers) -> list[list[Phrase]]:
    """The wanted phrases of each text, with places counted from the text's own start."""
    keep = np.isin(found.nodes, np.fromiter(wanted, dtype=np.int64))
    places, lengths, nodes = (column[keep] for column in found)
    begins = places - starts[np.searchsorted(starts, places, side="right") - 1]
    columns = begins, begins + lengths, nodes
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    return [rows[first:last] for first, last in pairwise(np.searchsorted(places, starts).tolist())]


def _text(
    words: Sequence[str],
    phrases: Sequence[Phrase],
    matched: Sequence[Phrase],
    function_words: frozenset[str],
) -> Text:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    spans: dict[int, list[tuple[int, int]]] = {}
    for begin, end, node in matched:
        spans.setdefault(node, []).append((begin, end))
    function = sum(1 << place for place, word in enumerate(words) if word in function_words)
    return Text(words, places, phrases, spans, function)
