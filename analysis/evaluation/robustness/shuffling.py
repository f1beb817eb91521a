"""Words in another order: a metric that does not notice reads a bag of words (bertha-2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.robustness.findings import Finding, Progress, correlate, summarise, untold
from analysis.evaluation.scores import Floats, ScoreTable
from analysis.evaluation.scoring import Scorer
from analysis.stats.correlation import Correlations

if TYPE_CHECKING:
    import pandas as pd

CHECK = "word order"
TRIES = 20
DRAWS = 20


def shuffle_words(text: str, rng: np.random.Generator) -> str:
    """The same words in another order, where there is one.

    >>> shuffle_words("two words", np.random.default_rng(0))
    'words two'
    """
    words = text.split()
    for _ in range(TRIES):
        order = " ".join(rng.permutation(words).tolist()) if len(words) > 1 else text
        if order != text:
            return order
    return text


def check_word_order(
    captions: CaptionSet,
    human: pd.Series[float],
    scorer: Scorer,
    plain: ScoreTable,
    rng: np.random.Generator,
    progress: Progress = untold,
) -> list[Finding]:
    """Correlation with people after shuffling, and how often the caption outscores its shuffle: the
    means over twenty orders of the words."""
    found: list[Correlations] = []
    shares: list[Floats] = []
    for draw in range(DRAWS):
        progress(CHECK, draw, DRAWS)
        shuffled = captions.with_texts([shuffle_words(text, rng) for text in captions.texts])
        with scorer.passing():
            table, _ = scorer.captions(shuffled)
        found.append(correlate(human, table))
        shares.append(_outscored(plain, table, captions.texts, shuffled.texts))
    accuracy = np.mean(shares, axis=0)
    findings = summarise(CHECK, "words shuffled", scorer.columns, found)
    return [
        replace(finding, accuracy=float(share))
        for finding, share in zip(findings, accuracy, strict=True)
    ]


def _outscored(
    plain: ScoreTable, table: ScoreTable, texts: Sequence[str], shuffled: Sequence[str]
) -> Floats:
    """Of each metric the share of captions above their shuffle; NaN where none can be compared."""
    changed = np.array([a != b for a, b in zip(texts, shuffled, strict=True)])
    before = plain.frame.loc[table.frame.index, table.names].to_numpy()
    after = table.frame.to_numpy()
    defined = np.isfinite(before) & np.isfinite(after) & changed[:, None]
    pairs = np.count_nonzero(defined, axis=0)
    wins = np.count_nonzero((before > after) & defined, axis=0)
    return np.where(pairs > 0, wins / np.maximum(pairs, 1), np.nan)
