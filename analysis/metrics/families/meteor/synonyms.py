"""WordNet as METEOR has it: words are synonyms when they, or their base forms, share a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# How WordNet takes endings off: nouns, verbs, then adjectives (morphy(7WN), detachment rules).
_ENDINGS: Final = [
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"),
    ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
    ("ing", "e"), ("ing", ""),
    ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
]  # fmt: skip


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

    def _regular(self, word: str) -> list[str]:
        """The base form by the rules: the first that WordNet has."""
        if len(word) <= 2 or word.endswith("ss"):
            return []
        bases = (word.removesuffix(end) + base for end, base in _ENDINGS if word.endswith(end))
        return [base for base in bases if base in self._sets][:1]
