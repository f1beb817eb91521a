"""All that METEOR knows of English, loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from analysis.metrics.families.meteor.files import Files
from analysis.metrics.families.meteor.table import Table, open_table
from analysis.metrics.registry import metric_libraries

_ALPHA: Final = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALNUM: Final = "0-9" + _ALPHA
_DOT: Final = "\uffff"  # stands for a dot among several while single dots are looked at
_STEPS: Final = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (rf"([^{_ALNUM}\s.'`,\-‘’])", r" \1 "),
        (r"\.(?=\.)|(?<=\.)\.", _DOT),
        (rf"({_DOT}+)", r" \1 "),
        (r"([^0-9]),([^0-9])", r"\1 , \2"),
        (r"([0-9]),([^0-9])", r"\1 , \2"),
        (r"([^0-9]),([0-9])", r"\1 , \2"),
        (r"[`‘’]", "'"),
        (r"[“”]|''", ' " '),
        (r"–|--", "-"),
        (rf"([{_ALNUM}.])-([{_ALNUM}])", r"\1 \2"),
        (rf"([^{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (rf"([^{_ALPHA}0-9])'([{_ALPHA}])", r"\1 ' \2"),
        (rf"([{_ALPHA}])'([^{_ALPHA}])", r"\1 ' \2"),
        (rf"([{_ALPHA}])'([{_ALPHA}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    ]
]
_SPECIAL: Final = re.compile(f"[^{_ALNUM} ]")  # without one no step changes anything
_LETTER: Final = re.compile(f"[{_ALPHA}]")
_ONLY_BEFORE_NUMBERS: Final = "#NUMERIC_ONLY#"
# How WordNet takes endings off: nouns, verbs, then adjectives (morphy(7WN), detachment rules).
_ENDINGS: Final = [
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
    ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
]  # fmt: skip


@dataclass(frozen=True)
class Lexicon:
    """Word lists, synonyms, paraphrases and the stemmer."""

    abbreviations: Abbreviations
    function_words: frozenset[str]
    synonyms: Synonyms
    table: Table

    @classmethod
    def open(cls, files: Files, folder: Path) -> Lexicon:
        """METEOR's own lists; the table of paraphrases is kept in the folder."""
        return cls(
            Abbreviations.of(files.lines("nonbreaking/english.prefixes")),
            frozenset(files.lines("function/english.words")),
            Synonyms(
                files.lines("synonym/english.synsets"), files.lines("synonym/english.exceptions")
            ),
            open_table(files, folder),
        )

    def words(self, text: str) -> list[str]:
        return normalise(text, self.abbreviations)

    def stem(self, word: str) -> str:
        stem: str = self._stemmer.stemWord(word)
        return stem

    @cached_property
    def _stemmer(self) -> Any:
        with metric_libraries():
            import snowballstemmer
        return snowballstemmer.stemmer("english")


class Abbreviations(NamedTuple):
    """Words that keep the dot after them: always, or before a number."""

    always: frozenset[str]
    before_numbers: frozenset[str]

    @classmethod
    def of(cls, lines: Iterable[str]) -> Abbreviations:
        """As METEOR's list has them."""
        entries = [line.split() for line in lines if line.strip() and not line.startswith("#")]
        numeric = {first for first, *rest in entries if rest[:1] == [_ONLY_BEFORE_NUMBERS]}
        return cls(frozenset(entry[0] for entry in entries) - numeric, frozenset(numeric))

    def keep_dot(self, word: str, following: str) -> bool:
        """Whether a dot after the word belongs to it."""
        is_number = "0" <= following[:1] <= "9"
        return word in self.always or (is_number and word in self.before_numbers)


def normalise(text: str, abbreviations: Abbreviations) -> list[str]:
    """The words of a text.

    >>> " ".join(normalise("Mr. Hill's well-known dog... barks.", Abbreviations.of(["Mr"])))
    "mr. hill 's well known dog ... barks ."
    """
    if not _SPECIAL.search(text):
        return text.lower().split()
    text = f" {text} "
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    words = text.split()
    spread = " ".join(_dots_apart(words, abbreviations)) if "." in text else " ".join(words)
    return spread.replace(_DOT, ".").lower().split()


def _dots_apart(words: list[str], abbreviations: Abbreviations) -> Iterator[str]:
    """Words whose dot ends a sentence, and not an abbreviation, have it apart."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        bare = word[:-1]
        if not bare or not word.endswith("."):
            yield word
        elif "." in bare and _LETTER.search(bare):
            yield word.replace(".", "")
        elif "a" <= following[:1] <= "z" or abbreviations.keep_dot(bare, following):
            yield word
        else:
            yield f"{bare} ."


class Synonyms:
    """The sets of each word, from two lists whose lines go in pairs."""

    def __init__(self, synsets: Sequence[str], exceptions: Sequence[str]) -> None:
        self._sets = dict(zip(synsets[::2], synsets[1::2], strict=True))
        self._bases: dict[str, list[str]] = {}
        for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
            for form in forms.split():
                self._bases.setdefault(form, []).append(base)

    def sets(self, word: str) -> frozenset[str]:
        """The numbers of the sets that the word or its base forms are in."""
        forms = [word, *self._bases.get(word, self._regular(word))]
        return frozenset(number for form in forms for number in self._sets.get(form, "").split())

    def words(self, word: str) -> tuple[str, ...]:
        """Other words of the sets that the word itself is in, in alphabetical order; no phrases.

        >>> Synonyms(["cat", "1 2", "kitty", "2", "big_cat", "1", "dog", "3"], []).words("cat")
        ('kitty',)
        """
        own = self._sets.get(word, "").split()
        others = {other for one in own for other in self._members[one]} - {word}
        return tuple(sorted(other for other in others if "_" not in other))

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word, numbers in self._sets.items():
            for number in numbers.split():
                found.setdefault(number, []).append(word)
        return found

    def _regular(self, word: str) -> list[str]:
        """The base form by the rules: the first that WordNet has."""
        if len(word) <= 2 or word.endswith("ss"):
            return []
        bases = (word.removesuffix(end) + base for end, base in _ENDINGS if word.endswith(end))
        return [base for base in bases if base in self._sets][:1]
