"""METEOR's own words: what its option ``-norm`` makes of a text.

The order of the steps matters and is the program's: what one step puts between blanks, the next
ones see there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

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
