"""Captions changed by a rule, each with the kind of the change and where it is.

Augmentation (vision-language-2022), paraphrases that stay true and errors that do not (FactVC,
Algorithm 1). An error carries its span, so it is a labelled example for whoever looks for errors in
words, and a foil.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from analysis.evaluation.robustness.foils import other_word
from analysis.evaluation.robustness.lexicon import CATEGORIES
from analysis.learning.corpora import NOUN, VERB, Corpus
from analysis.metrics.families.coaha import parser

SHARE: Final = 0.1
"""Of the words that an augmentation changes, one at least; no paper says how many."""
_WORD: Final = re.compile(r"[A-Za-z']+")
_SUBJECTS: Final = ("nsubj", "nsubjpass")
_MARKS: Final = frozenset({"while", "as", "when"})
"""Conjunctions after which a clause is as true as the sentence; after "if" it is not."""
_HELPED: Final = frozenset({"VB", "VBG", "VBN"})
"""Forms of verbs that need an auxiliary to stand in a sentence of their own."""

_SWAPS: Final = (
    "man woman", "men women", "boy girl", "boys girls", "guy lady", "guys ladies", "he she",
    "his her", "him her", "himself herself", "father mother", "son daughter", "man boy",
    "men boys", "woman girl", "women girls", "adult child", "he they", "she they", "their his",
)  # fmt: skip
_SIZES: Final = (
    "big small large little huge tiny",
    "tall short long",
    "old young new",
    "fast slow",
)


def _groups(tables: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in tables)


_PEOPLE: Final = _groups(_SWAPS)
_PERSONS: Final = frozenset(word for group in _PEOPLE for word in group) | {"person", "people"}
_OBJECTS: Final = tuple(group for group in CATEGORIES["noun"] if not _PERSONS & set(group))
_ADJECTIVES: Final = (*CATEGORIES["colour"], *CATEGORIES["number"], *_groups(_SIZES))
_VERBS: Final = CATEGORIES["verb"]


@dataclass(frozen=True)
class Changed:
    """A text, what was done to it, and the characters that are new in it (none, if some went)."""

    text: str
    kind: str
    start: int
    end: int

    @property
    def span(self) -> str:
        return self.text[self.start : self.end]


Change = Callable[[str, Corpus, np.random.Generator], Changed | None]


def _replaced(text: str, start: int, end: int, word: str, kind: str) -> Changed:
    new = word[:1].upper() + word[1:] if text[start : start + 1].isupper() else word
    return Changed(text[:start] + new + text[end:], kind, start, start + len(new))


def _pick(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _swap_within(groups: Sequence[Sequence[str]], kind: str) -> Change:
    """One word for another of its group."""

    def change(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
        places = [
            (match, group)
            for match in _WORD.finditer(text)
            for group in groups
            if match[0].lower() in group
        ]
        if not places:
            return None
        match, group = places[int(rng.integers(len(places)))]
        word = other_word(match[0].lower(), group, rng)
        return _replaced(text, match.start(), match.end(), word, kind)

    return change


def _swap_in_corpus(part: str, kind: str, groups: Sequence[Sequence[str]]) -> Change:
    """One word for another that the corpus has in the same form; without any, of a known group."""
    known = _swap_within(groups, kind)

    def change(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
        places = [
            (match, others)
            for match in _WORD.finditer(text)
            if match[0].lower() not in _PERSONS
            and (others := [w for w in corpus.others(match[0], part) if w not in _PERSONS])
        ]
        if not places:
            return known(text, corpus, rng)
        match, others = places[int(rng.integers(len(places)))]
        return _replaced(text, match.start(), match.end(), _pick(others, rng), kind)

    return change


def _delete_action(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
    known = {word for group in _VERBS for word in group}
    known |= {word for word, (part, _) in corpus.forms.items() if part == VERB}
    places = [match for match in _WORD.finditer(text) if match[0].lower() in known]
    if not places:
        return None
    match = places[int(rng.integers(len(places)))]
    left, right = text[: match.start()].rstrip(), text[match.end() :]
    return Changed(left + right, "action", len(left), len(left))


def _verbs(corpus: Corpus) -> Sequence[str]:
    """The common verbs of the corpus; without any, those that are known."""
    known = {word for group in _VERBS for word in group}
    return corpus.verbs() or [word for word in corpus.words if word in known] or sorted(known)


def _insert_action(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
    bare, stop = (text[:-1], ".") if text.endswith(".") else (text, "")
    added = f"and {_pick(_verbs(corpus), rng)}"
    return Changed(f"{bare} {added}{stop}", "action", len(bare) + 1, len(bare) + 1 + len(added))


def _insert_unknown(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
    places = [match.start() for match in _WORD.finditer(text)]
    if not places:
        return None
    at = places[int(rng.integers(len(places)))]
    return Changed(f"{text[:at]}UNK {text[at:]}", "poor generation", at, at + len("UNK"))


def _repeat_phrase(text: str, corpus: Corpus, rng: np.random.Generator) -> Changed | None:
    words = list(_WORD.finditer(text))
    if len(words) < 2:
        return None
    first = int(rng.integers(len(words) - 1))
    last = min(first + 1 + int(rng.integers(2)), len(words) - 1)
    end = words[last].end()
    phrase = text[words[first].start() : end]
    return Changed(
        f"{text[:end]} {phrase}{text[end:]}", "poor generation", end + 1, end + 1 + len(phrase)
    )


NEGATIVE: Final[Mapping[str, Sequence[Change]]] = {
    "person": (_swap_within(_PEOPLE, "person"),),
    "action": (_swap_in_corpus(VERB, "action", _VERBS), _delete_action, _insert_action),
    "object": (_swap_in_corpus(NOUN, "object", _OBJECTS),),
    "adjective": (_swap_within(_ADJECTIVES, "adjective"),),
    "poor generation": (_insert_unknown, _repeat_phrase),
}
"""Errors by kind (factvc-2023 Table 2); of a kind's several ways one is drawn."""


def make_wrong(
    text: str, kind: str, rng: np.random.Generator, corpus: Corpus | None = None
) -> Changed | None:
    """The text with one error of the kind; None where it has no word for it.

    >>> changed = make_wrong("A man rides a horse.", "person", np.random.default_rng(1))
    >>> changed.text[changed.start : changed.end] in {"woman", "boy"}
    True
    """
    ways = NEGATIVE[kind]
    for at in rng.permutation(len(ways)).tolist():
        found: Changed | None = ways[at](text, corpus or Corpus(), rng)
        if found is not None and found.text != text:
            return found
    return None


def simplify(text: str) -> list[str]:
    """The clauses of a sentence as sentences of their own, by its dependency parse: true if the
    sentence is. Of coordinated verbs the second takes the subject of the first, a relative clause
    the noun it belongs to.

    >>> simplify("A man opens the door and walks into the room.")
    ['A man opens the door.', 'A man walks into the room.']
    """
    document = parser()(text.strip())
    roots = [token for token in document if token.dep_ == "ROOT"]
    if len(roots) != 1 or not _is_verb(roots[0]) or any(t.lower_ == "or" for t in document):
        return []
    verbs = [token for token in document if token == roots[0] or _begins_clause(token)]
    said = [_clause(verb, verbs) for verb in verbs]
    return [one for one in said if one] if len(verbs) > 1 and all(said) else []


def _is_verb(token: Any) -> bool:
    return bool(token.tag_.startswith("VB"))


def _subject(verb: Any) -> Any | None:
    return next((token for token in verb.lefts if token.dep_ in _SUBJECTS), None)


def _begins_clause(token: Any) -> bool:
    """Whether the token is the verb of a clause that can stand alone."""
    if not _is_verb(token):
        return False
    subject = _subject(token)
    if token.dep_ == "conj":
        return _is_verb(token.head) and _shares_subject(token) is not None
    if token.dep_ == "relcl":
        return subject is not None and subject.lower_ in ("who", "which", "that")
    marked = any(child.dep_ == "mark" and child.lower_ in _MARKS for child in token.lefts)
    return token.dep_ == "advcl" and subject is not None and marked


def _shares_subject(verb: Any) -> Any | None:
    """Its own subject, that of the verb it is coordinated with, or the noun of a relative one."""
    subject = _subject(verb)
    if subject is None and verb.dep_ == "conj":
        return _shares_subject(verb.head)
    return verb.head if subject is not None and verb.dep_ == "relcl" else subject


def _clause(verb: Any, verbs: Sequence[Any]) -> str:
    """A sentence of one verb; empty where subject and verb do not go together."""
    subject = _shares_subject(verb)
    if subject is None or (verb.tag_ == "VBZ" and subject.tag_ in ("NNS", "NNPS")):
        return ""
    own = _own(verb, verbs)
    helpers = [] if _stands(verb) else [t for t in verb.head.lefts if t.dep_.startswith("aux")]
    if not _stands(verb) and not helpers:
        return ""
    first = [] if subject in own else _own(subject, verbs)
    return _sentence([*first, *helpers, *own])


def _stands(verb: Any) -> bool:
    """Whether its form needs no auxiliary, or has one."""
    return verb.tag_ not in _HELPED or any(t.dep_.startswith("aux") for t in verb.lefts)


def _own(head: Any, verbs: Sequence[Any]) -> list[Any]:
    """The words under a verb or a noun without those of other clauses, and without what joins."""
    inside = [verb for verb in verbs if verb != head and head.is_ancestor(verb)]
    left_out = {token.i for verb in inside for token in verb.subtree}
    joined = [verb.i for verb in inside if verb.head == head and verb.dep_ == "conj"]
    left_out |= {t.i for t in head.children if t.dep_ == "cc" and any(t.i < at for at in joined)}
    left_out |= {t.i for t in head.lefts if t.dep_ == "mark" or t.tag_ in ("WP", "WDT")}
    if head.dep_ == "conj":
        left_out |= {t.i for t in head.lefts if t.lower_ == "then"}
    return [token for token in head.subtree if token.i not in left_out]


def _sentence(words: Sequence[Any]) -> str:
    """Words as they were spaced, without the commas that parted clauses."""
    said = ""
    for at, token in enumerate(words):
        last = at + 1 == len(words) or words[at + 1].i != token.i + 1
        mark = token.is_punct and token.text != "-"
        said += " " if mark else token.text + (" " if last else token.whitespace_)
    plain = " ".join(said.split())
    return f"{plain[:1].upper()}{plain[1:]}." if plain else ""


def stay_true(text: str, paraphrases: Mapping[str, Sequence[str]]) -> list[Changed]:
    """Paraphrases out of a table, such as back-translations, and the text simplified."""
    told = [Changed(said, "paraphrase", 0, len(said)) for said in paraphrases.get(text, ())]
    return told + [Changed(said, "simplification", 0, len(said)) for said in simplify(text)]


def augment(text: str, corpus: Corpus, rng: np.random.Generator, count: int = 10) -> list[Changed]:
    """New texts near the old one: a tenth of the words, one at least, changed in one way each."""
    return [_augmented(text, _pick(AUGMENTATIONS, rng), corpus, rng) for _ in range(count)]


AUGMENTATIONS: Final = ("substitution", "removal", "insertion", "swap", "synonym")


def _augmented(text: str, kind: str, corpus: Corpus, rng: np.random.Generator) -> Changed:
    words = text.split()
    for _ in range(max(round(SHARE * len(words)), 1)):
        words = _edit(words, kind, corpus, rng)
    said = " ".join(words)
    return Changed(said, kind, 0, len(said))


def _edit(words: list[str], kind: str, corpus: Corpus, rng: np.random.Generator) -> list[str]:
    at = int(rng.integers(max(len(words), 1)))
    common = corpus.words or ("a",)
    if kind == "removal" and len(words) > 1:
        return words[:at] + words[at + 1 :]
    if kind == "swap" and len(words) > 1:
        other = (at + 1 + int(rng.integers(len(words) - 1))) % len(words)
        low, high = sorted((at, other))
        return [*words[:low], words[high], *words[low + 1 : high], words[low], *words[high + 1 :]]
    if kind == "insertion":
        return [*words[:at], _pick(common, rng), *words[at:]]
    if kind == "synonym":
        known = [row for row, word in enumerate(words) if corpus.synonyms.get(word.lower())]
        if not known:  # another change then: a text that stays as it was teaches nothing new
            return _edit(words, "insertion", corpus, rng)
        at = known[int(rng.integers(len(known)))]
        return [*words[:at], _pick(corpus.synonyms[words[at].lower()], rng), *words[at + 1 :]]
    others = [word for word in common if word not in words[at : at + 1]] or ["a"]
    return [*words[:at], _pick(others, rng), *words[at + 1 :]]


@dataclass(frozen=True)
class Triple:
    """A video with a text that is true of it and the same with an error (FactVC's Algorithm 1)."""

    video: str
    true: str
    false: Changed


def make_triples(
    told: Mapping[str, Sequence[str]],
    rng: np.random.Generator,
    *,
    paraphrases: Mapping[str, Sequence[str]] | None = None,
    most: int | None = None,
    concepts: Mapping[str, str] | None = None,
) -> list[Triple]:
    """Every true text and each that stays true, with an error of every kind it has words for.

    Parameters
    ----------
    concepts : the super-category of nouns; those the platform knows by itself without it
    """
    corpus = Corpus.tagged([text for texts in told.values() for text in texts], concepts)
    triples = []
    for video, texts in told.items():
        for text in texts:
            kept = [text, *(one.text for one in stay_true(text, paraphrases or {}))]
            for true in kept:
                wrong = (make_wrong(true, kind, rng, corpus) for kind in NEGATIVE)
                triples += [Triple(video, true, false) for false in wrong if false is not None]
    if most is not None and len(triples) > most:
        triples = [triples[row] for row in sorted(rng.permutation(len(triples))[:most].tolist())]
    return triples
