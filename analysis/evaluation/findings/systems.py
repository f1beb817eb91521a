"""Systems by people and by each metric."""

from __future__ import annotations

import math
from typing import Final

from analysis.evaluation import headings, tables
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.registry import EvaluationFinding
from analysis.evaluation.system_tables import system_rows
from analysis.presenting.charts import SCHEMA, Row, Spec, quantity
from analysis.presenting.document import Shown
from analysis.presenting.sentences import number

MOST_PANELS: Final = 9
SIDE: Final = 220  # pixels
EDGE: Final = 0.35
"""Share of a panel's width near its edges."""


def show(part: AgainstHuman, evaluation: Evaluation) -> Shown:
    spec = systems_spec(part)
    if spec is None:
        return Shown()
    return Shown(
        "Every system by people and by the metric, each from its lowest to its highest.",
        system_rows(part.human, part.metrics, part.rows),
        headings.SYSTEMS,
        summary="Systems by people and metrics, scaled to 0–1, with ranks",
        spec=spec,
        caption=f"People ({part.human}) on the vertical axis, the metric on the horizontal; r "
        "with its interval "
        "beside the metric's name.",
    )


def systems_spec(part: AgainstHuman) -> Spec | None:
    """A plot of the systems for each of the best metrics; none where no r is defined."""
    rows = [row for row in tables.level_rows(part, part.system) if not math.isnan(row["pearson"])]
    names = {row["metric"]: _heading(row) for row in rows[:MOST_PANELS]}
    of_systems = system_rows(part.human, part.metrics, part.rows)
    if not names:
        return None
    points = [
        point
        for metric, panel in names.items()
        for point in _points(panel, [row for row in of_systems if row["metric"] == metric])
    ]
    axis = {"axis": {"labels": False, "ticks": False, "grid": False}}
    own = {"scale": {"zero": False, "nice": False, "padding": 14}}
    place = {"x": quantity("x", None) | axis | own, "y": quantity("y", None) | axis | own}
    text = place | {"text": {"field": "system", "type": "nominal"}}
    marks: list[Spec] = [
        {"mark": {"type": "point", "size": 50, "strokeWidth": 1.8}, "encoding": place}
    ]
    marks += [
        {
            "transform": [{"filter": {"field": "side", "equal": side}}],
            "mark": {"type": "text", "align": align, "dx": dx, "limit": 90},
            "encoding": text,
        }
        for side, align, dx in (("right", "left", 7), ("left", "right", -7))
    ]
    order = {"field": "panel", "type": "nominal", "title": None, "sort": list(names.values())}
    return {
        "$schema": SCHEMA,
        "description": "Systems by people and by each metric.",
        "data": {"values": points},
        "facet": order | {"header": {"labelAnchor": "start"}},
        "columns": 3,
        "spec": {"width": SIDE, "height": SIDE, "layer": marks},
        "resolve": {"scale": {"x": "independent", "y": "independent"}},
    }


def _points(panel: str, rows: list[Row]) -> list[Row]:
    """With the side on which the name stands: inwards near an edge, else by turns upwards, so that
    names of neighbours stand apart."""
    means = [row["metric_mean"] for row in rows]
    low, span = min(means), (max(means) - min(means)) or 1
    points = []
    for turn, row in enumerate(sorted(rows, key=lambda row: row["human_mean"])):
        share = (row["metric_mean"] - low) / span
        is_left = share > 1 - EDGE or (share >= EDGE and turn % 2 == 1)
        points.append(
            {
                "panel": panel,
                "system": row["system"][:16],
                "x": row["metric_mean"],
                "y": row["human_mean"],
                "side": "left" if is_left else "right",
            }
        )
    return points


def _heading(row: Row) -> str:
    low, high = (number(row[f"pearson_{end}"]) for end in ("low", "high"))
    return f"{row['metric']}: {number(row['pearson'])} [{low}, {high}]"


FINDINGS: Final = (EvaluationFinding("systems", "Systems by people and metrics", show, place=0),)
