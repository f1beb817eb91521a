"""What kinds of errors people marked (factvc-2023, Table 2): phrases marked at least twice. Pure.

A category is suggested by parts of speech where a tagger is given, else by a few lists of words; a
person decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.presenting.exports import Table

if TYPE_CHECKING:
    from analysis.results.marked import Judged

CATEGORIES: Final = ("person", "action", "object", "adjective", "poor generation", "other")
_WORD = re.compile(r"[\w<>']+")
_LISTS: Final = {
    "person": """
        baby babies boy boys child children crowd girl girls group guy he her him his kid kids
        lady ladies man men people person she someone somebody their them they woman women""",
    "adjective": """
        big black blonde blue bright brown clean cold dark different dirty dry empty fresh full
        gray green grey happy high hot large light little long low new old one orange pink purple
        red round sad several short small tall three two wet white yellow young""",
    "action": """
        add adds bake bakes boil chop chops cook cooks cut cuts drive drives eat eats fry go goes
        hold holds jump jumps lie lies look looks mix mixes play plays pour pours put puts ride
        rides run runs sit sits sleep sleeps speak speaks spread stand stands stir stirs take takes
        talk talks throw throws turn turns walk walks wash washes""",
    "": """
        a an and at by for from in into is are of on onto or over the then to was were with""",
}
_KINDS: Final = {word: kind for kind, words in _LISTS.items() for word in words.split()}
# Parts of speech that say something; spaCy's names of them.
_CLASSES: Final = {
    "NOUN": "object",
    "PROPN": "object",
    "VERB": "action",
    "ADJ": "adjective",
    "NUM": "adjective",
}
Tagger = Callable[[str], Iterable[tuple[str, str]]]
"""A phrase in, its words with their parts of speech out."""
_UNKNOWN: Final = re.compile(r"^<?unk>?$", re.IGNORECASE)


@dataclass(frozen=True)
class Phrase:
    """Words that were marked, how often, and what kind of error they are."""

    text: str
    marks: int
    suggested: str
    decided: str

    @property
    def category(self) -> str:
        return self.decided or self.suggested


@dataclass(frozen=True)
class CategoryShare:
    """How many of the marks are errors of a kind."""

    category: str
    phrases: int
    marks: int
    share: float


@dataclass(frozen=True)
class Example:
    """A caption in which a phrase was marked, in parts, each with whether it is marked."""

    category: str
    phrase: str
    video: str
    system: str
    pieces: tuple[tuple[str, bool], ...]
    poster: int | None = None
    """The video, where a frame of it is kept."""


def examples(found: Sequence[Phrase], judged: Sequence[Judged], *, most: int = 3) -> list[Example]:
    """Of each category some captions with its most frequent phrases, none of them twice."""
    marked: dict[str, list[Judged]] = {}
    for each in judged:
        for start, end in each.marks:
            marked.setdefault(each.text[start:end].casefold(), []).append(each)
    chosen: list[Example] = []
    for phrase in found:
        seen = {(one.video, one.system) for one in chosen}
        own = sum(one.category == phrase.category for one in chosen)
        rest = (one for one in marked.get(phrase.text, ()) if (one.video, one.system) not in seen)
        if own < most and (first := next(rest, None)):
            pieces = tuple(piece for piece in first.pieces if piece[0])
            chosen.append(Example(phrase.category, phrase.text, first.video, first.system, pieces))
    return sorted(chosen, key=lambda each: each.category)


def phrases(
    marked: Iterable[str],
    decided: Mapping[str, str] | None = None,
    *,
    least: int = 2,
    tagger: Tagger | None = None,
) -> list[Phrase]:
    """What was marked at least so often, whatever its case, the most frequent first.

    ``decided`` are the categories that people gave, by phrase. Pages have no ``tagger``: spaCy
    would read torch into the web server.
    """
    given = decided or {}
    found = [
        Phrase(text, count, suggested_category(text, tagger), given.get(text, ""))
        for text, count in Counter(map(str.casefold, marked)).items()
        if count >= least
    ]
    return sorted(found, key=lambda each: (-each.marks, each.text))


@cache
def installed_tagger() -> Tagger | None:
    """spaCy's, with the model that COAHA reads captions with; nothing on machines without them."""
    from analysis.metrics.families import coaha
    from analysis.metrics.registry import MetricUnavailable

    try:
        parse = coaha.parser()
    except (MetricUnavailable, OSError):  # OSError: spaCy is there, and its model is not
        return None
    return cache(lambda phrase: tuple((word.text, word.pos_) for word in parse(phrase)))


def suggested_category(phrase: str, tagger: Tagger | None = None) -> str:
    """By the first word that says anything. Who is a person, no part of speech tells.

    >>> [suggested_category(each) for each in ("the man", "sits", "on a red", "sofa", "UNK", "of")]
    ['person', 'action', 'adjective', 'object', 'poor generation', 'other']
    >>> suggested_category("very frayed rope", lambda _: [("very", "ADV"), ("frayed", "ADJ")])
    'adjective'
    """
    words = _WORD.findall(phrase.casefold())
    repeats = any(first == second for first, second in pairwise(words))
    if repeats or any(map(_UNKNOWN.match, words)):
        return "poor generation"
    kinds = _tagged(tagger(phrase)) if tagger else _listed(words)
    return next(kinds, "other")


def _tagged(words: Iterable[tuple[str, str]]) -> Iterator[str]:
    for word, part in words:
        if _KINDS.get(word.casefold()) == "person":
            yield "person"
        elif part in _CLASSES:
            yield _CLASSES[part]


def _listed(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        guessed = "action" if re.search(r"..(ing|ed)$", word) else "object"
        if kind := _KINDS.get(word, guessed):
            yield kind


def category_shares(found: Sequence[Phrase]) -> list[CategoryShare]:
    """Of the marks of all phrases, in the order of the categories; those of one's own come last.

    >>> [each.share for each in category_shares([Phrase("sits", 3, "action", ""),
    ...                                          Phrase("sofa", 1, "object", "other")])]
    [0.0, 0.75, 0.0, 0.0, 0.0, 0.25]
    """
    total = sum(each.marks for each in found)
    shares = []
    for category in dict.fromkeys((*CATEGORIES, *(each.category for each in found))):
        own = [each.marks for each in found if each.category == category]
        shares.append(CategoryShare(category, len(own), sum(own), sum(own) / total if total else 0))
    return shares


def phrase_table(found: Sequence[Phrase]) -> Table:
    """A row for each phrase; `decided` says whether a person gave its category."""
    return {
        "phrase": np.array([each.text for each in found], object),
        "marks": np.array([each.marks for each in found], np.int64),
        "category": np.array([each.category for each in found], object),
        "decided": np.array(["yes" if each.decided else "no" for each in found], object),
    }


def shares_table(found: Sequence[CategoryShare]) -> Table:
    return {
        "category": np.array([each.category for each in found], object),
        "phrases": np.array([each.phrases for each in found], np.int64),
        "marks": np.array([each.marks for each in found], np.int64),
        "share": np.array([each.share for each in found], np.float64),
    }
