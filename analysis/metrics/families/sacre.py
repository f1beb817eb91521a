"""chrF and sentence-BLEU as sacrebleu computes them, on captions as they were written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.metrics.batch import Batch, Values
from analysis.metrics.context import ScoringContext
from analysis.metrics.registry import Family, Need, metric_libraries
from analysis.metrics.settings import Settings


def _sentence_scores(metric: Any, batch: Batch) -> Values:
    return np.array(
        [
            metric.sentence_score(caption, list(batch.references[video])).score
            for caption, video in zip(batch.captions, batch.videos, strict=True)
        ]
    )


def _chrf(batch: Batch, settings: Settings, context: ScoringContext) -> Mapping[str, Values]:
    with metric_libraries():
        from sacrebleu.metrics.chrf import CHRF
    return {"chrf": _sentence_scores(CHRF(), batch)}


def _sentence_bleu(
    batch: Batch, settings: Settings, context: ScoringContext
) -> Mapping[str, Values]:
    with metric_libraries():
        from sacrebleu.metrics.bleu import BLEU
    # Orders longer than the caption are left out, as sacrebleu asks for single sentences.
    return {"sentbleu": _sentence_scores(BLEU(effective_order=True), batch)}


FAMILIES = (
    Family(
        metrics={"chrf": "F of character n-grams up to 6, β = 2; 0 to 100"},
        paper="Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
        needs=frozenset({Need.REFERENCES}),
        settings=(),
        score=_chrf,
    ),
    Family(
        metrics={"sentbleu": "sacrebleu's sentence BLEU, exponential smoothing; 0 to 100"},
        paper="Post 2018, A call for clarity in reporting BLEU scores",
        needs=frozenset({Need.REFERENCES}),
        settings=(),
        score=_sentence_bleu,
    ),
)
