"""ROUGE-L of single captions, as the caption community computes it (pycocoevalcap)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Family, Need, metric_libraries
from analysis.metrics.settings import Settings

_BETA_SQUARED = 1.2**2


def rouge_l(caption: str, references: Sequence[str]) -> float:
    """F of the longest common subsequence (Lin 2004, equation 4) with β = 1.2.

    Precision and recall are each the best over the references, not of one and the same reference:
    that is what the reference implementation does.  Both texts are words separated by blanks.

    >>> round(rouge_l("a b c", ["a c", "x"]), 3)
    0.83
    """
    words, in_common = caption.split(" "), _common_subsequence()
    common = [
        (in_common(words, reference_words), len(reference_words))
        for reference_words in (reference.split(" ") for reference in references)
    ]
    precision = max(length for length, _ in common) / len(words)
    recall = max(length / size for length, size in common)
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + _BETA_SQUARED) * precision * recall / (recall + _BETA_SQUARED * precision)


@cache
def _common_subsequence() -> Callable[[Sequence[str], Sequence[str]], int]:
    """The length of the longest common subsequence."""
    with metric_libraries():
        from rapidfuzz.distance import LCSseq
    similarity: Callable[[Sequence[str], Sequence[str]], int] = LCSseq.similarity
    return similarity


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    words = context.words(batch, settings.tokenize)
    references = words.references_by_video
    values = [
        rouge_l(caption, references[video])
        for caption, video in zip(words.captions, batch.videos, strict=True)
    ]
    return {"rougel": np.array(values)}


FAMILIES = (
    Family(
        metrics={"rougel": "longest common subsequence with the references, β = 1.2"},
        paper="Lin 2004, ROUGE: a package for automatic evaluation of summaries",
        needs=frozenset({Need.REFERENCES}),
        settings=("tokenize",),
        score=_score,
    ),
)
