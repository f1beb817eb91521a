"""Would a second crowd find the same?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.presenting.charts import Row
from analysis.presenting.document import Shown
from analysis.presenting.sentences import number
from analysis.results.registry import Context, Finding
from analysis.stats.replication import SelfReplication, self_replication

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

HEADINGS: Final = {
    "form": "Between halves",
    "estimate": "Mean",
    "low": "95 % of splits from",
    "high": "to",
    "reliability": "Whole crowd",
}


@dataclass(frozen=True, slots=True)
class Replication:
    z: SelfReplication
    raw: SelfReplication


def compute(material: Material) -> Replication:
    analysis, (raw, z) = material.analysis, material.answers
    found = [
        self_replication(
            analysis.ratings,
            values,
            analysis.used,
            rng=material.generator(2),
            splits=material.splits,
        )
        for values in (z, raw.astype(float))
    ]
    return Replication(*found)


def show(found: Replication, context: Context) -> Shown:
    return Shown(replication_sentence(found), replication_rows(found), HEADINGS)


def replication_sentence(found: Replication) -> str:
    r = found.z.pearson
    if math.isnan(r.mean):
        return (
            "Replication can only be assessed with at least three systems, rated by at least two "
            "annotators whose ratings count."
        )
    return (
        f"In {found.z.splits:,} random splits of the annotators into two crowds, the two sets of "
        f"system scores correlate at r = {number(r.mean, 3)} on average (95 % of them between "
        f"{number(r.low, 3)} and {number(r.high, 3)}). A second crowd of the same size should "
        f"agree at r = {number(r.reliability, 3)}."
    )


def replication_rows(found: Replication) -> list[Row]:
    forms = {
        "Pearson's r, z scores": found.z.pearson,
        "Pearson's r, raw scores": found.raw.pearson,
        "Spearman's ρ, z scores": found.z.spearman,
        "Spearman's ρ, raw scores": found.raw.spearman,
    }
    return [
        {
            "form": form,
            "estimate": result.mean,
            "low": result.low,
            "high": result.high,
            "reliability": result.reliability,
        }
        for form, result in forms.items()
    ]


def record(found: Replication) -> Mapping[str, Any]:
    return {"replication_z": found.z, "replication_raw": found.raw}


FINDINGS: Final = (
    Finding(
        name="replication",
        title="Replication",
        question="Would a second data collection agree?",
        numbers=Replication,
        compute=compute,
        show=show,
        record=record,
        place=3,
    ),
)
