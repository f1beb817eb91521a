"""Why EMScore says what it says: which frame each token matched, and which token each frame.

Everything is read from the store; no model is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.metrics.batch import VideoFile
from analysis.metrics.encoder import Encoder
from analysis.metrics.idf import Idf
from analysis.metrics.matching import Floats, Stack, Vectors, similarities


@dataclass(frozen=True)
class Matched:
    """A token or a frame with its best match on the other side."""

    name: str
    weight: float
    best: int
    similarity: float


@dataclass(frozen=True)
class Explanation:
    """The matches behind fine precision (tokens) and fine recall (frames) of one caption."""

    tokens: list[Matched]
    frames: list[Matched]


def explain(caption: str, video: VideoFile, encoder: Encoder, weights: Idf) -> Explanation:
    """Precision is the weighted mean of the tokens' similarities, recall the frames' mean."""
    text, pictures = encoder.texts[caption], encoder.frames[video]
    weight = weights(text.marks)
    stack = Stack.of([text.vectors], [weight])
    similarity = similarities(stack, np.asarray(pictures.vectors, np.float32))
    return Explanation(
        _matches([encoder.token_text(int(mark)) for mark in text.marks], weight, similarity),
        _matches(
            [f"{mark / 1000:.2f} s" for mark in pictures.marks],
            np.full(len(pictures.marks), 1.0),
            similarity.T,
        ),
    )


def _matches(names: list[str], weights: Floats, similarity: Vectors) -> list[Matched]:
    best = similarity.argmax(axis=1)
    return [
        Matched(name, float(weight), int(place), float(similarity[row, place]))
        for row, (name, weight, place) in enumerate(zip(names, weights, best, strict=True))
    ]
