"""BLEU of single captions, as the caption community computes it (pycocoevalcap, closest length)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.ngrams import Integers, look_up
from analysis.metrics.registry import Family, Need
from analysis.metrics.settings import Settings
from analysis.metrics.words import ORDERS, Ngrams, Words, lengths

# The reference implementation's guards against division by zero; they decide the fourth digit of
# a caption without a common 4-gram, so they belong to the metric.
_TINY, _SMALL = 1e-15, 1e-9


def bleu(words: Words) -> list[Values]:
    """BLEU-1…4 of every caption (Papineni et al. 2002, equation 3, on one sentence).

    The reference length is the one closest to the caption's, the shorter of two.
    """
    length = lengths(words.captions)
    brevity = _brevity(length, _closest_lengths(words, length))
    score, values = np.ones(len(length)), []
    for order, ngrams in enumerate(words.counts, start=1):
        guessed = np.maximum(length - order + 1, 0)
        score = score * (_matches(words, ngrams) + _TINY) / (guessed + _SMALL)
        values.append(score ** (1 / order) * brevity)
    return values


def _brevity(length: Integers, closest: Integers) -> Values:
    ratio = (length + _TINY) / (closest + _SMALL)
    return np.where(ratio < 1, np.exp(1 - 1 / ratio), 1.0)


def _closest_lengths(words: Words, length: Integers) -> Integers:
    """Per caption the reference length least different from its own."""
    by_document: list[list[int]] = [[] for _ in range(words.references.documents)]
    reference_lengths = lengths(words.references.texts).tolist()
    for document, size in zip(words.references.document.tolist(), reference_lengths, strict=True):
        by_document[document].append(size)
    closest = [
        min(by_document[document], key=lambda candidate: (abs(candidate - own), candidate))
        for document, own in zip(words.document.tolist(), length.tolist(), strict=True)
    ]
    return np.array(closest, dtype=np.int64)


def _matches(words: Words, ngrams: Ngrams) -> Values:
    """n-grams of each caption found in its references, clipped at the most any one of them has."""
    ours, theirs = ngrams.captions, ngrams.references
    best_keys, best = _largest(theirs.keys(words.references.document), theirs.count)
    found = np.minimum(ours.count, look_up(ours.keys(words.document), best_keys, best))
    return np.bincount(ours.sentence, found, minlength=len(words.captions)).astype(float)


def _largest(keys: Integers, values: Integers) -> tuple[Integers, Values]:
    """The largest value of each key, keys sorted."""
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if not len(starts):
        return keys, np.zeros(0)
    return keys[starts], np.maximum.reduceat(values, starts).astype(float)


def _score(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    values = bleu(context.words(batch, settings.tokenize))
    return {f"bleu{order}": values[order - 1] for order in range(1, ORDERS + 1)}


FAMILIES = (
    Family(
        metrics={
            f"bleu{order}": f"n-grams up to {order} that a reference has too, short ones penalised"
            for order in range(1, ORDERS + 1)
        },
        paper="Papineni et al. 2002, BLEU: automatic evaluation of machine translation",
        needs=frozenset({Need.REFERENCES}),
        settings=("tokenize",),
        score=_score,
    ),
)
