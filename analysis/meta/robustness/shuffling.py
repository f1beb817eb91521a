"""Words in another order: a metric that does not notice reads a bag of words (bertha-2022)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from analysis.meta.captions import CaptionSet
from analysis.meta.robustness.findings import Finding, correlate, summarise
from analysis.meta.scores import ScoreTable
from analysis.meta.scoring import Scorer

if TYPE_CHECKING:
    import pandas as pd

CHECK = "word order"
TRIES = 20


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
) -> list[Finding]:
    """Correlation with people after shuffling, and how often the caption outscores its shuffle."""
    shuffled = captions.with_texts([shuffle_words(text, rng) for text in captions.texts])
    table, _ = scorer.captions(shuffled)
    changed = np.array([a != b for a, b in zip(captions.texts, shuffled.texts, strict=True)])
    before = plain.frame.loc[table.frame.index, table.names].to_numpy()
    after = table.frame.to_numpy()
    defined = np.isfinite(before) & np.isfinite(after) & changed[:, None]
    wins = np.count_nonzero((before > after) & defined, axis=0)
    pairs = np.maximum(np.count_nonzero(defined, axis=0), 1)
    findings = summarise(CHECK, "words shuffled", table.names, [correlate(human, table)])
    return [
        replace(finding, accuracy=float(won / count))
        for finding, won, count in zip(findings, wins, pairs, strict=True)
    ]
