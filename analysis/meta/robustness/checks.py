"""Which checks there are, and all of those that were asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from analysis.meta.captions import CaptionSet
from analysis.meta.joining import Joined
from analysis.meta.robustness.drifting import check_quality_drift
from analysis.meta.robustness.findings import Finding
from analysis.meta.robustness.foils import check_foils, make_foils, read_foils
from analysis.meta.robustness.referencing import check_reference_numbers, check_reference_sets
from analysis.meta.robustness.shuffling import check_word_order
from analysis.meta.scoring import Scorer

CHECKS: Final = ("drift", "shuffle", "references", "sets", "foils")


@dataclass(frozen=True, slots=True, eq=False)
class Robustness:
    """What was found, for one column of human scores, and what could not be checked."""

    human: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def check_robustness(
    joined: Joined,
    human: str,
    *,
    checks: Collection[str],
    captions: CaptionSet | None = None,
    scorer: Scorer | None = None,
    foils: Path | None = None,
    seed: int = 7,
) -> Robustness:
    """Run the checks named; those that compute metrics again need captions and a scorer."""
    unknown = sorted(set(checks) - set(CHECKS))
    if unknown:
        raise ValueError(f"checks: there is no {unknown[0]!r}, only {', '.join(CHECKS)}")
    findings: list[Finding] = []
    notes: list[str] = []
    if "drift" in checks:
        rng = np.random.default_rng([seed, 11])
        findings += check_quality_drift(joined.human[human], joined.metrics, rng)
    if captions is None or scorer is None:
        if set(checks) - {"drift"}:
            notes.append(
                "metrics can be computed again only where captions and references are given"
            )
        return Robustness(human, tuple(findings), tuple(notes))
    rated = _rated(captions, joined)
    scores = joined.human[human].dropna()
    if "shuffle" in checks:
        plain, _ = scorer.captions(rated)
        rng = np.random.default_rng([seed, 12])
        findings += check_word_order(rated, scores, scorer, plain, rng)
    referring = scorer.with_references()
    if "references" in checks and referring.metrics:
        rng = np.random.default_rng([seed, 13])
        findings += check_reference_numbers(rated, scores, referring, rng)
    if "sets" in checks and referring.metrics and len(captions.sources) > 1:
        findings += check_reference_sets(rated, scores, referring)
    if "foils" in checks:
        try:
            findings += _foils(captions, scorer, foils, np.random.default_rng([seed, 14]))
        except ValueError as error:
            notes.append(str(error))
    return Robustness(human, tuple(findings), tuple(notes))


def _rated(captions: CaptionSet, joined: Joined) -> CaptionSet:
    """Captions people scored; references of every video stay, for rare words are counted there."""
    there = set(zip(joined.videos, joined.systems, strict=True))
    keys = zip(captions.videos, captions.systems, strict=True)
    return captions.take([row for row, key in enumerate(keys) if key in there])


def _foils(
    captions: CaptionSet, scorer: Scorer, path: Path | None, rng: np.random.Generator
) -> list[Finding]:
    if path is not None:
        return check_foils(read_foils(path), captions.references, scorer)
    pairs, rest = make_foils(captions, rng)
    return check_foils(pairs, rest.references, scorer)
