"""Charts of the organiser's pages as Vega-Lite specifications, each with its table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hits.planning import Plan

POWER_WANTED = 0.8
TABLE_ROWS = 8
ONE_ROW: dict[str, Any] = {"values": [{}]}  # a mark is drawn once per row, whatever the row holds
DASHES = [[1, 0], [8, 3], [3, 3], [10, 3, 2, 3], [14, 4]]


def power_chart(plan: Plan) -> dict[str, Any]:
    """Power against HITs, one line per difference between two systems; the plan is marked."""
    points = [
        {"hits": point.hits, "power": point.power, "difference": f"{point.difference:g}"}
        for point in plan.power_curve
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "Power against the number of HITs, one line per difference in z.",
        "width": "container",
        "height": 300,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": [
            _lines() | {"data": {"values": points}},
            _rule("y", POWER_WANTED),
            _rule("x", plan.hits),
            _label(plan.hits),
        ],
    }


def _lines() -> dict[str, Any]:
    order = {"field": "difference", "type": "nominal", "sort": None}
    legend = {
        "title": "Difference in z",
        "orient": "top",
        "symbolType": "stroke",
        "symbolSize": 500,
        "symbolStrokeWidth": 2.5,
        "columns": 3,
    }
    return {
        "mark": {"type": "line", "strokeWidth": 2.5},
        "encoding": {
            "x": {
                "field": "hits",
                "type": "quantitative",
                "title": "HITs rated",
                "axis": {"tickMinStep": 1, "format": ",d", "tickCount": 8, "grid": False},
            },
            "y": {
                "field": "power",
                "type": "quantitative",
                "title": "Probability of detecting the difference",
                "scale": {"domain": [0, 1]},
                "axis": {"format": ".0%", "tickCount": 5},
            },
            "color": order | {"legend": legend},
            # Lines are told apart without colour too.
            "strokeDash": order | {"scale": {"range": DASHES}},
        },
    }


def _rule(axis: str, value: float) -> dict[str, Any]:
    return {
        "mark": {"type": "rule", "strokeDash": [2, 3]},
        "data": ONE_ROW,
        "encoding": {axis: {"datum": value}},
    }


def _label(hits: int) -> dict[str, Any]:
    return {
        "mark": {"type": "text", "align": "left", "dx": 5, "text": "this plan"},
        "data": ONE_ROW,
        "encoding": {"x": {"datum": hits}, "y": {"datum": 0.03}},
    }


@dataclass(frozen=True)
class PowerRow:
    """One line of the table behind the chart."""

    hits: int
    captions_per_system: float
    percent: tuple[float, ...]
    is_plan: bool


def power_table(plan: Plan) -> tuple[tuple[float, ...], list[PowerRow]]:
    """The differences, and for about `TABLE_ROWS` numbers of HITs the chance to find each."""
    differences = tuple(dict.fromkeys(point.difference for point in plan.power_curve))
    found = {(point.hits, point.difference): point.power for point in plan.power_curve}
    captions = {point.hits: point.captions_per_system for point in plan.power_curve}
    counts = sorted(captions)
    step = max(1, len(counts) // TABLE_ROWS)
    shown = sorted({*counts[step - 1 :: step], counts[-1], plan.hits})
    return differences, [
        PowerRow(
            hits,
            captions[hits],
            tuple(100 * found[hits, difference] for difference in differences),
            hits == plan.hits,
        )
        for hits in shown
    ]
