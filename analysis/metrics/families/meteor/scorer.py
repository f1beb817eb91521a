"""METEOR of many captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from analysis.metrics.batch import Values
from analysis.metrics.families.meteor.counts import count
from analysis.metrics.families.meteor.files import find_files
from analysis.metrics.families.meteor.formula import meteor_scores
from analysis.metrics.families.meteor.lexicon import Lexicon
from analysis.metrics.families.meteor.texts import read_texts
from analysis.metrics.registry import MetricUnavailable

_AT_ONCE = 4096  # captions whose words are compared together: memory is bounded


class Meteor:
    """METEOR 1.5, English, with its words, stems, synonyms and paraphrases loaded."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    @classmethod
    def open(cls, folder: Path) -> Meteor:
        """The folder keeps the table of paraphrases, which is made where there is none."""
        files = find_files()
        try:
            return cls(Lexicon.open(files, folder))
        except OSError as error:
            raise MetricUnavailable(
                f"METEOR's table of paraphrases cannot be kept in {folder}: {error}"
            ) from error

    def score(self, captions: Sequence[str], references: Sequence[Sequence[str]]) -> Values:
        """METEOR of every caption: the best over the references of the same place."""
        if not all(references):
            raise ValueError("references must hold at least one text for every caption")
        parts = [slice(n, n + _AT_ONCE) for n in range(0, len(captions), _AT_ONCE)]
        values = [self._part(captions[part], references[part]) for part in parts]
        return np.concatenate([np.empty(0), *values])

    def _part(self, captions: Sequence[str], references: Sequence[Sequence[str]]) -> Values:
        pairs = [
            (caption, text)
            for caption, texts in zip(captions, references, strict=True)
            for text in texts
        ]
        known, relations = read_texts([text for pair in pairs for text in pair], self._lexicon)
        scores = meteor_scores([count(known[one], known[other], relations) for one, other in pairs])
        starts = np.cumsum([0, *map(len, references[:-1])])
        best: Values = np.maximum.reduceat(scores, starts)
        return best
