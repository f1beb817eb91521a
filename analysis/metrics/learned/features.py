"""What a learned metric looks at: text metrics, lengths, and embeddings of caption and references.

The same function serves training and scoring, so that a metric sees new captions as it saw those it
learned from. Metric settings are their defaults, whatever a run is started with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Rows, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.embedding import Texts
from analysis.metrics.encoding.sentence_model import SENTENCE, SentenceModel
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings

Matrix = NDArray[np.float32]

METRICS: Final = (
    "bleu1", "bleu2", "bleu3", "bleu4", "rougel", "cider", "cider_plain", "meteor", "sts",
    "sts_max", "bertscore_p", "bertscore_r", "bertscore_f", "bertscore_improved", "chrf",
    "sentbleu",
)  # fmt: skip
"""Every text metric that needs nothing but the sentence model and files that are installed."""
LENGTHS: Final = ("words", "reference_words", "log_length_ratio", "distinct_share")
SPREAD: Final = ("nearest", "farthest", "spread", "agreement")
TOKENS: Final = ("worst_word", "weak_words", "worst_told", "weak_told")
NUMBERS: Final = (*METRICS, *LENGTHS, *TOKENS, *SPREAD)
WEAKEST: Final = 3
"""Tokens whose mean is told beside the worst of them: one may be a word cut in two."""
SHARPNESS: Final = 10.0
"""Of the attention over references: e^2 times the weight for a cosine that is higher by .2."""
VERSION: Final = 2
"""Raised whenever the same captions give other features: models trained before are then refused."""


@dataclass(frozen=True, eq=False)
class Features:
    """A row per caption: its ``NUMBERS``, its embedding, and that of its references together.

    Parameters
    ----------
    reference : the direction of the mean of the references
    attended : the same where each reference counts by its likeness to the caption, as in attention
        with the caption as the query
    """

    numbers: Values
    caption: Matrix
    reference: Matrix
    attended: Matrix

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: Rows) -> Features:
        return Features(
            self.numbers[rows], self.caption[rows], self.reference[rows], self.attended[rows]
        )

    @property
    def metrics(self) -> dict[str, Values]:
        return {name: self.numbers[:, at] for at, name in enumerate(METRICS)}


def joined(parts: Sequence[Features]) -> Features:
    return Features(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.caption for part in parts]),
        np.concatenate([part.reference for part in parts]),
        np.concatenate([part.attended for part in parts]),
    )


def features(
    batch: Batch,
    context: ScoringContext,
    own: SentenceModel | None = None,
    counted: Values | None = None,
) -> Features:
    """Features of captions whose texts are embedded already.

    Parameters
    ----------
    own : the model that embeds caption and references, where it is another than that of the metrics
    counted : what `counted_of` gave earlier

    Raises
    ------
    MetricUnavailable
        When one of the metrics cannot be computed here.
    """
    vectors = _Vectors(own or context.resource(SENTENCE.name))
    caption = np.stack([vectors(text) for text in batch.captions])
    reference, attended, spread = references_of(batch, caption, vectors)
    numbers = counted_of(batch, context) if counted is None else counted
    return Features(np.column_stack([numbers, spread]), caption, reference, attended)


def counted_of(batch: Batch, context: ScoringContext) -> Values:
    """The numbers that do not depend on the model of the embeddings: most of the work.

    A metric that is not defined for a caption says 0."""
    found = score(batch, METRICS, Settings(), context)
    lacking = [fault for fault in found.faults if not fault.video]
    if lacking:
        raise MetricUnavailable(f"a learned metric looks at other metrics: {lacking[0]}")
    metrics = np.column_stack([found.values[name] for name in METRICS])
    counted = np.column_stack([metrics, _lengths(batch), _tokens(batch, context)])
    return np.asarray(np.nan_to_num(counted, nan=0.0))


class _Vectors:
    """The sentence's own vector of a text, from the store."""

    def __init__(self, model: SentenceModel) -> None:
        self._texts = model.texts()

    def __call__(self, text: str) -> Matrix:
        return np.asarray(self._texts[text].vectors[-1], dtype=np.float32)


def references_of(
    batch: Batch, caption: Matrix, vector: Callable[[str], Matrix]
) -> tuple[Matrix, Matrix, Values]:
    """The references of each caption as one vector, in both ways, and how near it is to each."""
    mean, attended = np.empty_like(caption), np.empty_like(caption)
    spread = np.empty((len(batch), len(SPREAD)))
    for video, rows in batch.rows_by_video.items():
        told = np.stack([vector(text) for text in batch.references[video]])
        middle = told.mean(axis=0)
        length = float(np.linalg.norm(middle))
        mean[rows] = middle / max(length, 1e-12)
        cosines = caption[rows] @ told.T
        attended[rows] = _attend(cosines, told)
        spread[rows, 0], spread[rows, 1] = cosines.max(axis=1), cosines.min(axis=1)
        spread[rows, 2], spread[rows, 3] = cosines.std(axis=1), length
    return mean, attended, spread


def _attend(cosines: Matrix, told: Matrix) -> Matrix:
    """
    >>> _attend(np.array([[1.0, -1.0]]), np.eye(2)).round().tolist()
    [[1.0, 0.0]]
    """
    weights = np.exp(SHARPNESS * (cosines - cosines.max(axis=1, keepdims=True)))
    found = weights @ told
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def _tokens(batch: Batch, context: ScoringContext) -> Values:
    """Words that nothing on the other side is like: what a mean over all words hides."""
    texts = context.resource(SENTENCE.name).texts()
    found = np.empty((len(batch), len(TOKENS)))
    for video, rows in batch.rows_by_video.items():
        told = [_words_of(texts, text) for text in batch.references[video]]
        for row in rows.tolist():
            own = _words_of(texts, batch.captions[row])
            likeness = [own @ other.T for other in told]
            best = np.max([each.max(axis=1) for each in likeness], axis=0)
            ends = [_weakest(each.max(axis=0)) for each in likeness]
            found[row] = (*_weakest(best), *np.mean(ends, axis=0))
    return found


def _words_of(texts: Texts, text: str) -> Matrix:
    """Vectors of tokens, without those at both ends and the sentence's own."""
    vectors = np.asarray(texts[text].vectors, dtype=np.float32)
    return vectors[1:-2] if len(vectors) > 3 else vectors[-1:]


def _weakest(likeness: Values) -> tuple[float, float]:
    """
    >>> _weakest(np.array([0.9, 0.1, 0.2, 0.3]))
    (0.1, 0.2)
    """
    least = np.sort(likeness)[:WEAKEST]
    return round(float(least[0]), 6), round(float(least.mean()), 6)


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
