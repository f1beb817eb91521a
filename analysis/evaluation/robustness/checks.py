"""Which checks there are, and those that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.evaluation.captions import CaptionSet
from analysis.evaluation.joining import Joined
from analysis.evaluation.robustness.drifting import check_quality_drift
from analysis.evaluation.robustness.findings import Finding, Progress, untold
from analysis.evaluation.robustness.foils import check_foils, make_foils, read_foils
from analysis.evaluation.robustness.referencing import (
    NUMBERS,
    check_reference_numbers,
    check_reference_sets,
    reference_findings,
    score_subsets,
    unreferenced_findings,
)
from analysis.evaluation.robustness.shuffling import check_word_order
from analysis.evaluation.scores import ScoreTable
from analysis.evaluation.scoring import Scorer

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Robustness:
    """What was found, for one column of human scores, and what could not be checked."""

    human: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What metrics are computed again from. References of every video stay, rated or not, because
    rare words are counted in them."""

    captions: CaptionSet
    scorer: Scorer
    foils: Path | None = None

    def rated(self, joined: Joined) -> CaptionSet:
        there = set(joined.human.index)
        keys = zip(self.captions.videos, self.captions.systems, strict=True)
        return self.captions.take([row for row, key in enumerate(keys) if key in there])


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What a check starts from."""

    material: Material
    rated: CaptionSet
    human: pd.Series[float]
    rng: np.random.Generator
    progress: Progress

    @property
    def scorer(self) -> Scorer:
        return self.material.scorer


def _shuffle(asked: _Asked) -> list[Finding]:
    plain, _ = asked.scorer.captions(asked.rated)
    return check_word_order(
        asked.rated, asked.human, asked.scorer, plain, asked.rng, asked.progress
    )


def _references(asked: _Asked) -> list[Finding]:
    return check_reference_numbers(
        asked.rated, asked.human, asked.scorer, asked.rng, asked.progress
    )


def _sets(asked: _Asked) -> list[Finding]:
    rated = asked.rated
    if len(rated.sources) < 2:
        raise ValueError("there is only one set of references, so it cannot be swapped")
    return check_reference_sets(rated, asked.human, asked.scorer.with_references())


def _foils(asked: _Asked) -> list[Finding]:
    rated, foils = asked.rated, asked.material.foils
    if foils is not None:
        pairs, references = read_foils(foils), rated.references
    else:
        pairs, references = make_foils(rated.references, asked.rng)
    return check_foils(pairs, references, rated, asked.scorer)


Check = Callable[[_Asked], list[Finding]]
RECOMPUTED: Final[Mapping[str, Check]] = {
    "shuffle": _shuffle,
    NUMBERS: _references,
    "sets": _sets,
    "foils": _foils,
}
DRIFT: Final = "drift"
CHECKS: Final = (DRIFT, *RECOMPUTED)


def check_robustness(
    joined: Joined,
    human: str,
    checks: Collection[str],
    material: Material | None = None,
    *,
    seed: int = 7,
    progress: Progress = untold,
) -> Robustness:
    """Run the checks named; what cannot be checked is said."""
    unknown = sorted(set(checks) - set(CHECKS))
    if unknown:
        raise ValueError(f"checks: there is no {unknown[0]!r}, only {', '.join(CHECKS)}")
    findings: list[Finding] = []
    notes: list[str] = []
    scores = joined.human[human].dropna()
    if DRIFT in checks:
        rng = np.random.default_rng([seed, 10])
        findings += check_quality_drift(scores, joined.metrics[joined.human[human].notna()], rng)
    again = [name for name in RECOMPUTED if name in checks]
    if material is None:
        notes += [
            f"{name}: needs captions and references to compute metrics from" for name in again
        ]
        return Robustness(human, tuple(findings), tuple(notes))
    rated = material.rated(joined)
    for name in again:
        progress(name, 0, 1)
        asked = _Asked(material, rated, scores, _rng(seed, name), progress)
        try:
            findings += RECOMPUTED[name](asked)
        except ValueError as error:
            notes.append(f"{name}: {error}")
    return Robustness(human, tuple(findings), tuple(notes))


def check_references(joined: Joined, material: Material, *, seed: int = 7) -> list[Robustness]:
    """The check of fewer references for every column of human scores, as `check_robustness` makes
    it for one; whatever the number of columns, captions are scored once."""
    scorer = material.scorer.with_references()
    scored = score_subsets(material.rated(joined), scorer, _rng(seed, NUMBERS))
    return _of_each(joined, lambda human: reference_findings(scored, human))


def check_unreferenced(joined: Joined, metrics: Sequence[str], references: int) -> list[Robustness]:
    """Metrics that need no reference, as a measure for those that do: from the scores there are."""
    table = ScoreTable(joined.metrics[~joined.metrics.index.duplicated()])
    return _of_each(joined, lambda human: unreferenced_findings(table, human, metrics, references))


def _of_each(
    joined: Joined, found: Callable[[pd.Series[float]], list[Finding]]
) -> list[Robustness]:
    return [
        Robustness(human, tuple(found(joined.human[human].dropna())))
        for human in map(str, joined.human.columns)
    ]


def _rng(seed: int, check: str) -> np.random.Generator:
    """The same draws whatever else is checked."""
    return np.random.default_rng([seed, 11, CHECKS.index(check)])
