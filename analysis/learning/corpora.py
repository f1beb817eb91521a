"""What words are taken from where something is put into a caption, or in the place of something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from analysis.learning.distractors import lexicon_concepts
from analysis.metrics.families.coaha import parser
from analysis.metrics.families.meteor.files import find_files
from analysis.metrics.families.meteor.lexicon import Synonyms

COMMON: Final = 200
"""Words of a corpus that are common enough to be inserted."""
FEWEST: Final = 2
"""Times a word must be said in the same form to take the place of another."""
NOUN, VERB = "NOUN", "VERB"
_WORD: Final = re.compile(r"[A-Za-z']+")


@dataclass(frozen=True)
class Corpus:
    """What words are taken from where something is put in.

    Parameters
    ----------
    words : the common ones, most common first
    synonyms : by word; from WordNet or a table
    forms : of nouns and verbs, the part of speech and the Penn tag that says their inflection,
        most common words first
    concepts : the super-category of nouns
    """

    words: tuple[str, ...] = ()
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    forms: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    concepts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, texts: Iterable[str], synonyms: Mapping[str, Sequence[str]] | None = None
    ) -> Corpus:
        counts = Counter(word.lower() for text in texts for word in _WORD.findall(text))
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(tuple(ordered[:COMMON]), synonyms or {})

    @classmethod
    def with_synonyms(cls, texts: Sequence[str]) -> Corpus:
        """With the synonyms of WordNet that METEOR brings."""
        files = find_files()
        known = Synonyms(
            files.lines("synonym/english.synsets"), files.lines("synonym/english.exceptions")
        )
        words = {word.lower() for text in texts for word in text.split()}
        words -= set(files.lines("function/english.words"))  # "a" is no adenine
        return cls.of(texts, {word: said for word in words if (said := known.words(word))})

    @classmethod
    def tagged(
        cls,
        texts: Sequence[str],
        concepts: Mapping[str, str] | None = None,
        fewest: int = FEWEST,
    ) -> Corpus:
        """With the forms of its nouns and verbs, each as it is used most."""
        counts = Counter(
            (token.lower_, (token.pos_, token.tag_))
            for document in parser().pipe(texts)
            for token in document
            if token.pos_ in (NOUN, VERB) and token.is_alpha
        )
        forms: dict[str, tuple[str, str]] = {}
        for (word, form), count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
            if count >= fewest:
                forms.setdefault(word, form)
        known = lexicon_concepts() if concepts is None else concepts
        return cls(cls.of(texts).words, {}, forms, known)

    def verbs(self) -> list[str]:
        """In the form that the corpus has most of, so that they go with its subjects."""
        tags = Counter(tag for part, tag in self.forms.values() if part == VERB)
        usual = min(tags, key=lambda tag: (-tags[tag], tag), default="")
        return [word for word, form in self.forms.items() if form == (VERB, usual)]

    def others(self, word: str, part: str) -> list[str]:
        """Words of the same part of speech and inflection, nouns behind the same article; of the
        same super-category where there are any.

        >>> corpus = Corpus(forms=dict.fromkeys(["dog", "cat", "car"], (NOUN, "NN")),
        ...                 concepts={"dog": "animal", "cat": "animal"})
        >>> corpus.others("Dog", NOUN), corpus.others("car", NOUN), corpus.others("dog", VERB)
        (['cat'], ['dog', 'cat'], [])
        """
        own = word.lower()
        form = self.forms.get(own)
        if form is None or form[0] != part:
            return []
        same = [
            other
            for other, of in self.forms.items()
            if of == form and other != own and (part == VERB or _article(other) == _article(own))
        ]
        category = self.concepts.get(own)
        return [
            other for other in same if category and self.concepts.get(other) == category
        ] or same


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"
