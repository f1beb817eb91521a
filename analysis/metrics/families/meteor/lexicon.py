"""All that METEOR knows of English, loaded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from analysis.metrics.families.meteor.files import Files
from analysis.metrics.families.meteor.normalise import Abbreviations, normalise
from analysis.metrics.families.meteor.synonyms import Synonyms
from analysis.metrics.families.meteor.table import Table, open_table
from analysis.metrics.registry import metric_libraries


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
