"""Fewer references, and other people's: how much does a metric hang on them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analysis.meta.captions import CaptionSet
from analysis.meta.robustness.findings import Finding, Progress, correlate, summarise, untold
from analysis.meta.scores import ScoreTable
from analysis.meta.scoring import Scorer

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = "references"
SETS = "reference set"
MOST_SUBSETS = 10

Scored = list[list[ScoreTable]]
"""Tables for one reference, for two and so on: one for each set of sources of that size."""


def check_reference_numbers(
    captions: CaptionSet,
    human: pd.Series[float],
    scorer: Scorer,
    rng: np.random.Generator,
    progress: Progress = untold,
) -> list[Finding]:
    """References 1 … M: every subset of the sources, or a sample of ten."""
    scored = score_subsets(captions, scorer, rng, progress)
    return reference_findings(scored, human, scorer.columns)


def score_subsets(
    captions: CaptionSet, scorer: Scorer, rng: np.random.Generator, progress: Progress = untold
) -> Scored:
    total, done = subsets_scored(len(captions.sources)), 0
    scored: Scored = []
    for size in range(1, len(captions.sources) + 1):
        scored.append([])
        for subset in subsets(captions.sources, size, rng):
            progress(NUMBERS, done, total)
            scored[-1].append(scorer.captions(captions, subset)[0])
            done += 1
    return scored


def reference_findings(
    scored: Scored, human: pd.Series[float], metrics: Sequence[str]
) -> list[Finding]:
    findings = []
    for size, tables in enumerate(scored, start=1):
        found = [correlate(human, table) for table in tables]
        findings += summarise(NUMBERS, f"{size} of {len(scored)}", metrics, found)
    return findings


def subsets_scored(sources: int, most: int = MOST_SUBSETS) -> int:
    """How often captions are scored for it.

    >>> subsets_scored(1), subsets_scored(3), subsets_scored(10)
    (1, 7, 91)
    """
    return sum(min(math.comb(sources, size), most) for size in range(1, sources + 1))


def check_reference_sets(
    captions: CaptionSet, human: pd.Series[float], scorer: Scorer
) -> list[Finding]:
    """Each source of references by itself."""
    return [
        finding
        for source in captions.sources
        for finding in summarise(
            SETS,
            source,
            scorer.columns,
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
