"""Systems that are not told apart, and the ratings that would."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.presenting.document import Shown
from analysis.presenting.sentences import NOTHING
from analysis.results.registry import Context, Finding
from analysis.stats.separation import ratings_to_separate

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

HEADINGS: Final = {
    "better": "Better",
    "worse": "Worse",
    "p": "p",
    "factor": "Ratings needed, × now",
    "more_ratings": "More ratings",
}


@dataclass(frozen=True, slots=True)
class Tie:
    """``more_ratings`` are infinite where more would not tell them apart."""

    better: str
    worse: str
    p: float
    factor: float
    more_ratings: float


@dataclass(frozen=True, slots=True)
class Ties:
    ties: tuple[Tie, ...]
    systems: int


def compute(material: Material) -> Ties:
    analysis = material.analysis
    names = analysis.ratings.systems
    found = ratings_to_separate(
        analysis.ranking.p,
        analysis.ranking.order,
        analysis.systems.ratings,
        alpha=analysis.settings.alpha,
    )
    ties = (
        Tie(names[pair.better], names[pair.worse], pair.p, pair.factor, pair.more_ratings)
        for pair in found
    )
    return Ties(tuple(ties), len(analysis.ranking.order))


def show(found: Ties, context: Context) -> Shown:
    rows = [asdict(tie) for tie in found.ties]
    return Shown(separation_sentence(found), rows, HEADINGS, summary="Every tie")


def separation_sentence(found: Ties) -> str:
    if found.systems < 2:
        return NOTHING
    if not found.ties:
        return "Every pair of systems is separated."
    possible = [tie for tie in found.ties if math.isfinite(tie.more_ratings)]
    tied = f"{len(found.ties)} pairs of systems are not separated."
    if len(found.ties) == 1:
        tied = "One pair of systems is not separated."
    if not possible:
        return f"{tied} They show no difference that more ratings would reveal."
    near = min(possible, key=lambda tie: tie.more_ratings)
    return (
        f"{tied} The nearest, {near.better} over {near.worse}, would need about "
        f"{_rounded(near.more_ratings)} more ratings if the observed difference is the true one."
    )


def _rounded(count: float) -> str:
    """Two digits: more would claim to know the future.

    >>> _rounded(1782.0), _rounded(37.0)
    ('1,800', '37')
    """
    digits = max(0, len(str(int(count))) - 2)
    return f"{round(int(count), -digits):,}"


def record(found: Ties) -> Mapping[str, Any]:
    return {"ties": found.ties}


FINDINGS: Final = (
    Finding(
        name="separation",
        title="Ties",
        question="What would separate the ties?",
        numbers=Ties,
        compute=compute,
        show=show,
        record=record,
        place=5,
    ),
)
