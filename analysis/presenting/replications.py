"""Two collections of the same systems side by side: do they find the same? Pure.

Self-replication as in Table 4 of direct-assessment-2018: Pearson's r between the scores that two
separate collections give to the systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.charts import Chart, Row, plain_spec, quantity
from analysis.presenting.sentences import number
from analysis.stats.correlation import correlations

if TYPE_CHECKING:
    import pyarrow as pa

SCORES: Final = {"raw": "raw scores", "z": "z scores"}
SHOWN: Final = ("range_low", "range_high", "z", "raw")


@dataclass(frozen=True)
class Replication:
    """How the scores of the things two collections have in common go together."""

    level: str
    score: str
    n: int
    pearson: float
    spearman: float
    kendall: float


def replications(level: str, rows: Mapping[str, Any]) -> list[Replication]:
    """Correlations of raw and of z scores; ``rows`` holds columns ``raw_first``, ``z_second``, …"""
    found = []
    for score, label in SCORES.items():
        first, second = (
            np.asarray(rows[f"{score}_{side}"], np.float64) for side in ("first", "second")
        )
        r = correlations(first, second[:, None])
        coefficients = (r.pearson, r.spearman, r.kendall_b)
        found.append(
            Replication(level, label, int(r.n[0]), *(float(value[0]) for value in coefficients))
        )
    return found


def shared_systems(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> list[Row]:
    """Systems of the same name in two rankings, in the order of the first."""
    others = {row["system"]: row for row in second}
    return [
        {
            "system": row["system"],
            **{f"{name}_first": row[name] for name in SHOWN},
            **{f"{name}_second": others[row["system"]][name] for name in SHOWN},
        }
        for row in first
        if row["system"] in others and None not in (row["z"], others[row["system"]]["z"])
    ]


def shared_captions(first: pa.Table, second: pa.Table) -> pa.Table:
    """Captions of the same system for the same video in two listings."""
    names = ["system", "item", "raw", "z"]
    return first.select(names).join(
        second.select(names),
        keys=["system", "item"],
        join_type="inner",
        left_suffix="_first",
        right_suffix="_second",
    )


def replication_sentence(found: Sequence[Replication]) -> str:
    """
    >>> replication_sentence([Replication("systems", "z scores", 5, 0.9971, 1.0, 1.0)])
    'The z scores of 5 systems correlate at r = 0.997.'
    """
    z = found[-1]
    if np.isnan(z.pearson):
        return f"With {z.n} {z.level} in common there is nothing to correlate."
    return f"The {z.score} of {z.n:,} {z.level} correlate at r = {number(z.pearson, 3)}."


def replication_chart(rows: Sequence[Row], first: str, second: str) -> Chart:
    """Each system's z in one campaign against its z in the other."""
    x, y = (
        quantity(f"z_{side}", f"z in {name}") | {"scale": {"zero": False}}
        for side, name in (("first", first), ("second", second))
    )
    points = {
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {"x": x, "y": y},
    }
    names = {
        "mark": {"type": "text", "align": "left", "dx": 8, "limit": 120},
        "encoding": {"x": x, "y": y, "text": {"field": "system", "type": "nominal"}},
    }
    spec = plain_spec("System scores in both campaigns.", 340)
    spec |= {"data": {"values": list(rows)}, "layer": [points, names]}
    headings = {
        "system": "System",
        "z_first": f"z in {first}",
        "z_second": f"z in {second}",
        "raw_first": f"Raw in {first}",
        "raw_second": f"Raw in {second}",
    }
    return Chart("System by system", spec, headings, list(rows))


def rows_table(rows: Sequence[Row]) -> dict[str, Any]:
    """The same rows as columns, for `analysis.presenting.exports` to write."""
    names = list(rows[0]) if rows else []
    return {
        name: np.array([row[name] for row in rows], object if name == "system" else np.float64)
        for name in names
    }
