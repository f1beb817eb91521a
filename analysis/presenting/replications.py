"""Two collections of the same systems side by side, as a picture and as rows. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.presenting.charts import Chart, Row, plain_spec, quantity

SHOWN: Final = ("range_low", "range_high", "z", "raw")


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
