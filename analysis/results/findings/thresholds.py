"""Does the quality threshold matter?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.charts import Row, Spec, plain_spec, quantity
from analysis.presenting.document import Shown
from analysis.presenting.sentences import listed
from analysis.results.registry import Context, Finding
from analysis.stats.sensitivity import THRESHOLDS, threshold_sensitivity

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

HEADINGS: Final = {
    "threshold": "p below",
    "kept": "Annotators kept",
    "tau": "τ with everybody",
    "low": "by chance from",
    "high": "to",
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """Agreement of the ranking with everybody's, beside the band of random drops."""

    threshold: float
    kept: int
    tau: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Thresholds:
    rows: tuple[Threshold, ...]

    @property
    def is_defined(self) -> bool:
        return any(not math.isnan(row.tau) for row in self.rows)


def compute(material: Material) -> Thresholds | None:
    analysis = material.analysis
    p = analysis.quality.deciding_p
    if np.isnan(p).all():
        return None
    found = threshold_sensitivity(
        analysis.ratings,
        material.answers[1],
        p,
        rng=material.generator(3),
        thresholds=sorted({*THRESHOLDS, analysis.settings.quality_alpha}),
        draws=material.draws,
    )
    columns = (found.thresholds, found.kept, found.tau, found.tau_low, found.tau_high)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return Thresholds(tuple(Threshold(*row) for row in rows))


def show(found: Thresholds | None, context: Context) -> Shown:
    said = thresholds_sentence(found)
    if found is None or not found.is_defined:
        return Shown(said)
    rows = threshold_rows(found)
    return Shown(
        said,
        rows,
        HEADINGS,
        summary="The thresholds",
        spec=thresholds_spec([row for row in rows if _is_drawn(row)]),
        caption="Agreement of the ranking at each threshold with the ranking by everybody. The "
        "band holds 95 % of random drops of as many annotators.",
    )


def thresholds_sentence(found: Thresholds | None) -> str:
    if found is None:
        return "Without degraded captions there is no quality threshold to vary."
    if not found.is_defined:
        return "No threshold leaves annotators who rated two systems."
    outside = [f"{row.threshold:g}" for row in found.rows if row.tau < row.low]
    unknown = [f"{row.threshold:g}" for row in found.rows if math.isnan(row.low - row.tau)]
    few = f" At p < {listed(unknown)} too few annotators are left to judge." if unknown else ""
    if not outside:
        return (
            f"The quality threshold does not matter much: none{' of the others' if few else ''} "
            f"changes the ranking more than dropping as many annotators at random does.{few}"
        )
    return (
        f"At p < {listed(outside)} the ranking differs from everybody's more than it would if as "
        "many annotators had been dropped at random: those who fail rate systems differently."
        f"{few}"
    )


def threshold_rows(found: Thresholds) -> list[Row]:
    return [asdict(row) for row in found.rows]


def _is_drawn(row: Row) -> bool:
    return not any(math.isnan(row[name]) for name in ("tau", "low", "high"))


def thresholds_spec(rows: Sequence[Row]) -> Spec:
    """Agreement with everybody's ranking by threshold, beside the band of random drops."""
    x = quantity("threshold", "Annotators kept: quality-control p below")
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"values": [row["threshold"] for row in rows], "format": "~g", "grid": False}
    title = "Kendall's τ with everybody's ranking"
    lowest = min((row[name] for row in rows for name in ("tau", "low")), default=0.0)
    # Rankings that all agree would have an axis from 1 to 1.
    low = quantity("low", title) | {"scale": {"domain": [min(lowest, 0.5), 1]}}
    band = {
        "mark": {"type": "area", "opacity": 0.18},
        "encoding": {"y": low, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 60, "filled": True}},
        "encoding": {"y": quantity("tau", title)},
    }
    spec = plain_spec("The band holds 95 % of random drops of as many annotators.", 280)
    return spec | {"data": {"values": rows}, "encoding": {"x": x}, "layer": [band, line]}


def record(found: Thresholds | None) -> Mapping[str, Any]:
    return {"thresholds": found.rows if found else []}


FINDINGS: Final = (
    Finding(
        name="thresholds",
        title="Quality threshold",
        question="Does the quality threshold matter?",
        numbers=Thresholds,
        compute=compute,
        show=show,
        record=record,
        place=4,
    ),
)
