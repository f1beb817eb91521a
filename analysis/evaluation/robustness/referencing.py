"""Fewer references, and other people's: how much does a metric hang on them?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.robustness.findings import Finding, Progress, correlate, summarise, untold
from analysis.evaluation.scores import ScoreTable
from analysis.evaluation.scoring import Scorer

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = "references"
FIRST = "first references"
SETS = "reference set"
MOST_SUBSETS = 10


@dataclass(frozen=True, eq=False)
class Scored:
    """Captions scored with one reference, with two and so on.

    Parameters
    ----------
    metrics : those that look at references
    subsets : of each size, a table for each set of sources
    first : of each size, the table of the sources that come first, as published code takes them
    """

    metrics: Sequence[str]
    subsets: list[list[ScoreTable]]
    first: list[ScoreTable]


def check_reference_numbers(
    captions: CaptionSet,
    human: pd.Series[float],
    scorer: Scorer,
    rng: np.random.Generator,
    progress: Progress = untold,
) -> list[Finding]:
    """References 0 … M: every subset of the sources or a sample of ten, and the first of them.
    Metrics that need no reference stand beside them at every number."""
    free = scorer.without_references()
    findings = []
    if free.metrics:
        table = free.captions(captions, ())[0]
        findings += unreferenced_findings(table, human, free.columns, len(captions.sources))
    scored = score_subsets(captions, scorer.with_references(), rng, progress)
    return findings + reference_findings(scored, human)


def score_subsets(
    captions: CaptionSet, scorer: Scorer, rng: np.random.Generator, progress: Progress = untold
) -> Scored:
    sources = captions.sources
    total, done = subsets_scored(len(sources)), 0
    scored = Scored(scorer.columns, [], [])
    for size in range(1, len(sources) + 1):
        tables: dict[tuple[str, ...], ScoreTable] = {}
        drawn = subsets(sources, size, rng)
        for subset in dict.fromkeys([*drawn, tuple(sources[:size])]):
            progress(NUMBERS, done, total)
            tables[subset] = scorer.captions(captions, subset)[0]
            done += 1
        scored.subsets.append([tables[subset] for subset in drawn])
        scored.first.append(tables[tuple(sources[:size])])
    return scored


def reference_findings(scored: Scored, human: pd.Series[float]) -> list[Finding]:
    most = len(scored.subsets)
    findings = []
    for check, sizes in ((NUMBERS, scored.subsets), (FIRST, [[one] for one in scored.first])):
        for size, tables in enumerate(sizes, start=1):
            found = [correlate(human, table) for table in tables]
            findings += summarise(check, f"{size} of {most}", scored.metrics, found)
    return findings


def unreferenced_findings(
    table: ScoreTable, human: pd.Series[float], metrics: Sequence[str], most: int
) -> list[Finding]:
    """Metrics that need no reference are the same whatever the number, 0 included."""
    found = [correlate(human, table.only(metrics))]
    return [
        finding
        for size in range(most + 1)
        for finding in summarise(NUMBERS, f"{size} of {most}", metrics, found)
    ]


def subsets_scored(sources: int, most: int = MOST_SUBSETS) -> int:
    """How often captions are scored for it, at most: the first of many sets may be drawn, too.

    >>> subsets_scored(1), subsets_scored(3), subsets_scored(10)
    (1, 7, 98)
    """
    sets = (math.comb(sources, size) for size in range(1, sources + 1))
    return sum(count if count <= most else most + 1 for count in sets)


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
