"""Are enough ratings in? A rule that may be looked at every day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.document import Shown
from analysis.presenting.sentences import NOTHING
from analysis.results.registry import Context, Finding
from analysis.stats.stopping import anytime_differences

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

HEADINGS: Final = {
    "better": "System",
    "worse": "less system",
    "difference": "Difference in z",
    "low": "from",
    "high": "to",
    "decided": "Decided",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """Of two systems, with an interval that holds at every look."""

    better: str
    worse: str
    difference: float
    low: float
    high: float
    decided: bool


@dataclass(frozen=True, slots=True)
class Stopping:
    """``decided``: pairs of systems that no more ratings are needed for."""

    decided: int
    pairs: int
    differences: tuple[Difference, ...]

    @property
    def is_enough(self) -> bool:
        return 0 < self.pairs == self.decided


def compute(material: Material) -> Stopping:
    analysis = material.analysis
    names, order = analysis.ratings.systems, analysis.ranking.order.tolist()
    found = anytime_differences(
        analysis.captions,
        len(names),
        planned_captions=analysis.settings.planned_captions or len(analysis.ratings.items),
        alpha=analysis.settings.alpha,
    )
    differences = tuple(
        Difference(
            names[above],
            names[below],
            float(found.difference[above, below]),
            float(found.low[above, below]),
            float(found.high[above, below]),
            bool(found.better[above, below]),
        )
        for place, above in enumerate(order)
        for below in order[place + 1 :]
    )
    decided = int(found.better[np.ix_(order, order)].sum()) if order else 0
    return Stopping(decided, len(differences), differences)


def show(found: Stopping, context: Context) -> Shown:
    rows = [asdict(difference) for difference in found.differences]
    summary = "Differences with intervals valid at every look"
    return Shown(stopping_sentence(found), rows, HEADINGS, summary)


def stopping_sentence(found: Stopping) -> str:
    if not found.pairs:
        return NOTHING
    verdict = "enough ratings are in" if found.is_enough else "more ratings can still decide some"
    return (
        f"By a rule that allows daily checks, {found.decided} of {found.pairs} pairs of "
        f"systems are decided: {verdict}."
    )


def record(found: Stopping) -> Mapping[str, Any]:
    return {"anytime": found.differences}


FINDINGS: Final = (
    Finding(
        name="stopping",
        title="When to stop",
        question="Can we stop?",
        numbers=Stopping,
        compute=compute,
        show=show,
        record=record,
        place=6,
    ),
)
