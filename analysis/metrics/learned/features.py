"""What a learned metric looks at: text metrics, lengths, and embeddings of caption and references.

The same function serves training and scoring, so that a metric sees new captions as it saw those it
learned from. Metric settings are their defaults, whatever a run is started with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Rows, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings

Matrix = NDArray[np.float32]

METRICS: Final = (
    "bleu1", "bleu2", "bleu3", "bleu4", "rougel", "cider", "meteor", "sts", "sts_max",
    "bertscore_p", "bertscore_r", "bertscore_f",
)  # fmt: skip
LENGTHS: Final = ("words", "reference_words", "log_length_ratio", "distinct_share")
SPREAD: Final = ("nearest", "farthest", "spread", "agreement")
NUMBERS: Final = (*METRICS, *LENGTHS, *SPREAD)
VERSION: Final = 1
"""Raised whenever the same captions give other features: models trained before are then refused."""


@dataclass(frozen=True, eq=False)
class Features:
    """A row per caption: its ``NUMBERS``, its embedding, and that of its references together."""

    numbers: Values
    caption: Matrix
    reference: Matrix

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Rows) -> Features:
        return Features(self.numbers[rows], self.caption[rows], self.reference[rows])

    @property
    def metrics(self) -> dict[str, Values]:
        return {name: self.numbers[:, at] for at, name in enumerate(METRICS)}


def joined(parts: Sequence[Features]) -> Features:
    return Features(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.caption for part in parts]),
        np.concatenate([part.reference for part in parts]),
    )


def features(batch: Batch, context: ScoringContext, own: SentenceModel | None = None) -> Features:
    """Features of captions whose texts are embedded already.

    Parameters
    ----------
    own : the model that embeds caption and references, where it is another than that of the metrics

    Raises
    ------
    MetricUnavailable
        When one of the metrics cannot be computed here.
    """
    found = score(batch, METRICS, Settings(), context)
    lacking = [fault for fault in found.faults if not fault.video]
    if lacking:
        raise MetricUnavailable(f"a learned metric looks at other metrics: {lacking[0]}")
    vectors = _Vectors(own or context.resource(SENTENCE.name))
    caption = np.stack([vectors(text) for text in batch.captions])
    reference, spread = _references(batch, caption, vectors)
    metrics = np.column_stack([found.values[name] for name in METRICS])
    return Features(np.column_stack([metrics, _lengths(batch), spread]), caption, reference)


class _Vectors:
    """The sentence's own vector of a text, from the store."""

    def __init__(self, model: SentenceModel) -> None:
        self._texts = model.texts()

    def __call__(self, text: str) -> Matrix:
        return np.asarray(self._texts[text].vectors[-1], dtype=np.float32)


def _references(batch: Batch, caption: Matrix, vectors: _Vectors) -> tuple[Matrix, Values]:
    """The direction of the mean of the references, and how near the caption is to each."""
    mean, spread = np.empty_like(caption), np.empty((len(batch), len(SPREAD)))
    for video, rows in batch.rows_by_video.items():
        told = np.stack([vectors(text) for text in batch.references[video]])
        middle = told.mean(axis=0)
        length = float(np.linalg.norm(middle))
        mean[rows] = middle / max(length, 1e-12)
        cosines = caption[rows] @ told.T
        spread[rows, 0], spread[rows, 1] = cosines.max(axis=1), cosines.min(axis=1)
        spread[rows, 2], spread[rows, 3] = cosines.std(axis=1), length
    return mean, spread


def _lengths(batch: Batch) -> Values:
    theirs = {
        video: float(np.mean([len(text.split()) for text in batch.references[video]]))
        for video in dict.fromkeys(batch.videos)
    }
    rows = []
    for text, video in zip(batch.captions, batch.videos, strict=True):
        words = text.lower().split()
        own, other = len(words), theirs[video]
        rows.append(
            (own, other, np.log((own + 1) / (other + 1)), len(set(words)) / max(len(words), 1))
        )
    return np.array(rows, dtype=np.float64).reshape(len(batch), len(LENGTHS))
