"""The words of a batch, counted once for all metrics that match n-grams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from analysis.metrics.batch import Batch
from analysis.metrics.ngrams import Counts, Integers, count_ngrams
from analysis.metrics.tokenize import ptb_tokenize

ORDERS = 4


def tokenize_all(texts: Sequence[str], how: str) -> list[str]:
    """Each text as words separated by blanks; every different text is tokenised once."""
    if how == "none":
        return [" ".join(text.split()) for text in texts]
    tokens = {text: ptb_tokenize(text) for text in dict.fromkeys(texts)}
    return [tokens[text] for text in texts]


@dataclass(frozen=True)
class Sentences:
    """Tokenised sentences and the document (video) each belongs to, documents numbered from 0."""

    texts: list[str]
    document: Integers
    documents: int

    @classmethod
    def of(cls, documents: Mapping[str, Sequence[str]], how: str) -> Sentences:
        texts = [text for references in documents.values() for text in references]
        sizes = [len(references) for references in documents.values()]
        return cls(
            tokenize_all(texts, how), np.repeat(np.arange(len(sizes)), sizes), len(documents)
        )


@dataclass(frozen=True)
class Words:
    """Captions, references and corpus of a batch, tokenised."""

    batch: Batch
    how: str

    @cached_property
    def captions(self) -> list[str]:
        return tokenize_all(self.batch.captions, self.how)

    @cached_property
    def references(self) -> Sentences:
        return Sentences.of(self.batch.references, self.how)

    @cached_property
    def corpus(self) -> Sentences:
        if self.batch.corpus is self.batch.references:
            return self.references
        return Sentences.of(self.batch.corpus, self.how)

    @cached_property
    def references_by_video(self) -> dict[str, list[str]]:
        remaining = iter(self.references.texts)
        return {
            video: [next(remaining) for _ in references]
            for video, references in self.batch.references.items()
        }

    @cached_property
    def document(self) -> Integers:
        """The document among the references that belongs to each caption's video."""
        number = {video: index for index, video in enumerate(self.batch.references)}
        return np.array([number[video] for video in self.batch.videos], dtype=np.int64)

    @cached_property
    def counts(self) -> list[Ngrams]:
        """The n-grams of order 1…4, numbered in common."""
        parts = [self.captions, self.references.texts]
        if self.corpus is not self.references:
            parts.append(self.corpus.texts)
        ends = np.cumsum([0, *map(len, parts)]).tolist()
        every = count_ngrams([text.split() for part in parts for text in part], ORDERS)
        return [Ngrams(*map(counts.part, ends[:-1], ends[1:])) for counts in every]


class Ngrams(NamedTuple):
    """The n-grams of one order in each part of a batch."""

    captions: Counts
    references: Counts
    own_corpus: Counts | None = None

    @property
    def corpus(self) -> Counts:
        return self.references if self.own_corpus is None else self.own_corpus


def lengths(texts: Sequence[str]) -> Integers:
    return np.array([len(text.split()) for text in texts], dtype=np.int64)
