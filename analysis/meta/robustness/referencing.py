"""Fewer references, and other people's: how much does a metric hang on them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analysis.meta.captions import CaptionSet
from analysis.meta.robustness.findings import Finding, correlate, summarise
from analysis.meta.scoring import Scorer

if TYPE_CHECKING:
    import pandas as pd

MOST_SUBSETS = 10


def check_reference_numbers(
    captions: CaptionSet, human: pd.Series[float], scorer: Scorer, rng: np.random.Generator
) -> list[Finding]:
    """References 1 … M: every subset of the sources, or a sample of ten."""
    findings = []
    count = len(captions.sources)
    for size in range(1, count + 1):
        found = [
            correlate(human, scorer.captions(captions, subset)[0])
            for subset in subsets(captions.sources, size, rng)
        ]
        findings += summarise("references", f"{size} of {count}", scorer.metrics, found)
    return findings


def check_reference_sets(
    captions: CaptionSet, human: pd.Series[float], scorer: Scorer
) -> list[Finding]:
    """Each source of references by itself."""
    return [
        finding
        for source in captions.sources
        for finding in summarise(
            "reference set",
            source,
            scorer.metrics,
            [correlate(human, scorer.captions(captions, {source})[0])],
        )
    ]


def subsets(
    names: Sequence[str], size: int, rng: np.random.Generator, most: int = MOST_SUBSETS
) -> list[tuple[str, ...]]:
    """All subsets of that size, or as many different ones drawn at random.

    >>> subsets(["a", "b", "c"], 2, np.random.default_rng(0))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    if math.comb(len(names), size) <= most:
        return list(combinations(names, size))
    drawn: dict[tuple[str, ...], None] = {}
    while len(drawn) < most:
        chosen = sorted(rng.choice(len(names), size, replace=False).tolist())
        drawn[tuple(names[at] for at in chosen)] = None
    return list(drawn)
