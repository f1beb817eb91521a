"""Count the n-grams of many sentences at once, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Counts:
    """How often each sentence holds each n-gram of one order, sorted by sentence, then n-gram."""

    sentence: Integers
    gram: Integers
    count: Integers
    grams: int

    def part(self, start: int, stop: int) -> Counts:
        """The entries of the sentences start…stop, numbered from 0."""
        low, high = np.searchsorted(self.sentence, [start, stop])
        rows = slice(low, high)
        return Counts(self.sentence[rows] - start, self.gram[rows], self.count[rows], self.grams)

    def keys(self, owner: Integers) -> Integers:
        """One number per entry for (owner of the sentence, n-gram)."""
        return owner[self.sentence] * self.grams + self.gram


def count_ngrams(sentences: Sequence[Sequence[str]], orders: int) -> list[Counts]:
    """The n-grams of order 1…orders of every sentence.

    >>> unigrams, bigrams = count_ngrams([["a", "dog", "a"], ["a"]], orders=2)
    >>> unigrams.count.tolist(), bigrams.sentence.tolist()
    ([2, 1, 1], [0, 0])
    """
    import pandas as pd  # not on top: web processes import this module, and never count

    lengths = np.array([len(words) for words in sentences], dtype=np.int64)
    flat = np.array([word for words in sentences for word in words], dtype=object)
    words, vocabulary = pd.factorize(flat)
    owner = np.repeat(np.arange(len(sentences)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(words))  # words to the end
    gram, counts = words.astype(np.int64), []
    for order in range(1, orders + 1):
        if order > 1:
            gram = gram[:-1] * max(len(vocabulary), 1) + words[order - 1 :]
            gram = pd.factorize(gram)[0].astype(np.int64)
        starts = left[: len(gram)] >= order
        counts.append(_count(owner[: len(gram)][starts], gram[starts]))
    return counts


def _count(sentence: Integers, gram: Integers) -> Counts:
    grams = int(gram.max()) + 1 if len(gram) else 1
    keys, count = np.unique(sentence * grams + gram, return_counts=True)
    return Counts(keys // grams, keys % grams, count, grams)


def look_up(
    keys: Integers, sorted_keys: Integers, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The value of each key, 0 where it is not among the sorted ones."""
    if not len(sorted_keys):
        return np.zeros(len(keys))
    place = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return np.where(sorted_keys[place] == keys, values[place], 0.0)
