"""How well texts match frames or other texts: the similarities all vision-language metrics share.

All vectors have length one, so that a dot product is a cosine.  The captions of one video are
matched together: their tokens lie one below the other, and no padding is ever made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.encoding.embeddings import Vectors as StoredVectors

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Stack:
    """Texts as their token vectors, one text below the other, with a weight for each token."""

    vectors: Vectors
    weights: Floats
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, vectors: Sequence[StoredVectors], weights: Sequence[Floats]) -> Stack:
        sizes = [len(rows) for rows in vectors]
        starts = np.cumsum([0, *sizes[:-1]]).astype(np.intp)
        return cls(np.concatenate(vectors, dtype=np.float32), np.concatenate(weights), starts)

    def split(self, counts: Sequence[int]) -> Iterator[Stack]:
        """A stack of the first texts, one of the next and so on, with so many texts each."""
        bounds = [*self.starts.tolist(), len(self.vectors)]
        first = 0
        for count in counts:
            begin, end = bounds[first], bounds[first + count]
            starts = self.starts[first : first + count] - begin
            yield Stack(self.vectors[begin:end], self.weights[begin:end], starts)
            first += count

    @property
    def sentences(self) -> Vectors:
        """The vector of each text as a whole, which is that of its last token, [EOS]."""
        return self.vectors[self.ends]

    @property
    def ends(self) -> NDArray[np.intp]:
        return np.concatenate([self.starts[1:], [len(self.vectors)]]) - 1


@dataclass(frozen=True)
class Match:
    """How each caption (rows) fits each reference, or the video (columns)."""

    precision: Floats
    recall: Floats
    coarse: Floats

    @property
    def f(self) -> Floats:
        """Harmonic mean of precision and recall; NaN where it is not defined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return 2 * self.precision * self.recall / (self.precision + self.recall)


def video_vector(frames: Vectors) -> Vectors:
    """A video as a whole: the mean of its frames, at length one (EMScore, equation 2).

    Frames are rows; with several videos, each is a matrix of frames and becomes a row.
    """
    mean: Vectors = frames.mean(axis=-2)
    length: Vectors = np.linalg.norm(mean, axis=-1, keepdims=True)
    return mean / length


def similarities(texts: Stack, targets: Vectors) -> Vectors:
    """The cosine of every token (rows) with every frame or other token (columns)."""
    return texts.vectors @ targets.T


def match_video(captions: Stack, frames: Vectors, similarity: Vectors) -> Match:
    """Captions against the frames of the one video they are all of."""
    return match_videos(captions, video_vector(frames)[None], similarity)


def match_videos(captions: Stack, videos: Vectors, similarity: Vectors) -> Match:
    """Captions against the frames of their videos (EMScore, equations 4-6 and 9).

    Precision weighs tokens, recall is the plain mean over frames.

    Parameters
    ----------
    videos : of each caption its video as a whole
    similarity : of each token with every frame of its caption's video
    """
    precision = _weighted_means(captions, similarity.max(axis=1)[:, None])
    recall = np.maximum.reduceat(similarity, captions.starts).mean(axis=1, dtype=np.float64)
    coarse = (captions.sentences * videos).sum(axis=1, dtype=np.float64)
    return Match(precision, recall[:, None], coarse[:, None])


def match_references(captions: Stack, references: Stack) -> Match:
    """Captions against each reference; precision and recall both weigh tokens."""
    similarity = similarities(captions, references.vectors)
    best_in_reference = np.maximum.reduceat(similarity, references.starts, axis=1)
    best_in_caption = np.maximum.reduceat(similarity, captions.starts, axis=0)
    recall = _weighted_means(references, best_in_caption.T).T
    coarse = similarity[np.ix_(captions.ends, references.ends)].astype(np.float64)
    return Match(_weighted_means(captions, best_in_reference), recall, coarse)


def _weighted_means(texts: Stack, values: Vectors) -> Floats:
    """Per text (rows of the result) the mean of its tokens' values; NaN where all weigh nothing."""
    totals = np.add.reduceat(texts.weights, texts.starts)
    sums = np.add.reduceat(texts.weights[:, None] * values, texts.starts)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / totals[:, None]


def best(columns: Floats) -> Floats:
    """The largest value of each row; NaN where there is none."""
    largest: Floats = np.fmax.reduce(columns, axis=1)
    return largest
