"""Charts: Vega-Lite specifications, drawn by pages and by the report, each with the rows it shows.

Colours and type come from the theme of whoever draws, and nothing is told apart by colour alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.quality import FAILED, INSUFFICIENT, PASSED
from hits.protocols import Scale
from hits.protocols.direct_assessment import SCALE

Row = dict[str, Any]
Spec = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
STATUSES: Final = (PASSED, FAILED, INSUFFICIENT)
STEP: Final = 30  # pixels a system takes
CELL: Final = 26  # pixels of a row of a matrix
CELL_WIDTH: Final = 48  # pixels of a column with numbers
MOST_NUMBERED: Final = 14  # systems; the cells of more are too narrow for a number
BIN_WIDTH: Final = 5
LABEL_LIMIT: Final = 240  # pixels
LETTER: Final = 7  # pixels of an average one
CONTROLS: Final = "control captions"
DAMAGED: Final = "degraded captions"
BELOW: Final = "Below the dashed line degraded captions were rated lower, as they should be."
SPREAD_HEADINGS: Final = {
    "group": "Of",
    "from": "Scores from",
    "count": "Ratings",
    "share": "Share",
}
LEVEL_HEADINGS: Final = SPREAD_HEADINGS | {"from": "Level"}


@dataclass(frozen=True, slots=True)
class Chart:
    """A specification and, for the table beside it, its rows and the headings of their columns."""

    title: str
    spec: Spec
    headings: dict[str, str]
    rows: list[Row]


def intervals_spec(rows: Sequence[Row], *, description: str, axis: str) -> Spec:
    """Values with their intervals, the best first; dashed lines part the clusters.

    ``rows``: ``name``, ``value``, ``low`` and ``high`` (None without an interval), ``cluster``.
    """
    last = [
        above["name"] for above, below in pairwise(rows) if above["cluster"] != below["cluster"]
    ]
    y = {"field": "name", "type": "nominal", "sort": [row["name"] for row in rows], "title": None}
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": LABEL_LIMIT}
    interval = {
        "mark": {"type": "rule", "strokeWidth": 2.5},
        "encoding": {"x": quantity("low", axis), "x2": {"field": "high"}},
    }
    score = {
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
        "encoding": {"x": quantity("value", axis)},
    }
    boundary = {
        "data": {"values": [{"name": name} for name in last]},
        "mark": {"type": "rule", "strokeDash": [2, 3]},
        "encoding": {"y": y | {"bandPosition": 1}},
    }
    spec = plain_spec(description, STEP * len(rows))
    spec |= {"data": {"values": list(rows)}, "encoding": {"y": y | {"axis": plain}}}
    return spec | {"layer": [boundary, interval, score]}


def matrix_spec(rows: Sequence[Row], description: str) -> Spec:
    """A square of cells with p, filled where ``better`` wins over ``worse``."""
    names = list(dict.fromkeys(row["better"] for row in rows))
    axis = {"title": None, "domain": False, "ticks": False, "grid": False, "labelLimit": 180}
    y = {"field": "better", "type": "nominal", "sort": names, "axis": axis}
    slanted = axis | {"orient": "top", "labelAngle": -45}
    x = {"field": "worse", "type": "nominal", "sort": names, "axis": slanted}
    spec = plain_spec(description, CELL * len(names))
    spec |= {"data": {"values": [_cell(row) for row in rows]}, "encoding": {"x": x, "y": y}}
    return spec | {"layer": [*_cells(False, len(names)), *_cells(True, len(names))]}


def _cells(is_win: bool, systems: int) -> list[Spec]:
    """Colours belong to the theme, by style. Numbers are left out where they would not fit."""
    only = {"transform": [{"filter": {"field": "win", "equal": is_win}}]}
    kind = "win" if is_win else "no-win"
    cells = only | {"mark": {"type": "rect", "style": kind}}
    text = {"text": {"field": "shown", "type": "nominal"}}
    values = only | {"mark": {"type": "text", "style": f"{kind}-value"}, "encoding": text}
    return [cells, values] if systems <= MOST_NUMBERED else [cells]


def _cell(row: Row) -> Row:
    return {name: row[name] for name in ("better", "worse", "win", "shown")}


def means_spec(rows: Sequence[Row]) -> Spec:
    """Bars of every system for each metric, which has an axis of its own: ``metric``, ``system``,
    ``mean`` (direct-assessment-2018, Figs 1 and 2)."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": 120}
    y = {"field": "system", "type": "nominal", "sort": systems, "title": None, "axis": plain}
    panel = {"field": "metric", "type": "nominal", "title": None, "sort": metrics}
    return {
        "$schema": SCHEMA,
        "description": "Mean of every metric by system.",
        "data": {"values": list(rows)},
        "facet": panel | {"header": {"labelAnchor": "start"}},
        "columns": 3,
        "spec": {
            "width": 180,
            "height": 18 * len(systems),
            "mark": {"type": "bar"},
            "encoding": {"y": y, "x": quantity("mean", None) | {"axis": {"tickCount": 3}}},
        },
        "resolve": {"scale": {"x": "independent"}},
    }


def heat_spec(
    rows: Sequence[tuple[str, Sequence[float]]], columns: Sequence[str], description: str
) -> Spec:
    """Numbers from −1 to 1 as cells, the stronger the darker; what is undefined is empty."""
    cells = [
        {"row": name, "column": column, "strength": abs(value), "shown": f"{value:.3f}"}
        for name, values in rows
        for column, value in zip(columns, values, strict=True)
        if not math.isnan(value)
    ]
    return cells_spec(cells, [name for name, _ in rows], columns, description)


def cells_spec(
    cells: Sequence[Row],
    names: Sequence[str],
    columns: Sequence[str],
    description: str,
    *,
    angle: int = 0,
) -> Spec:
    """A heat map of ``row``, ``column``, ``strength`` from 0 to 1 and the text ``shown``.

    Columns keep their width, so that the numbers fit; a narrow screen scrolls.
    """
    axis = {"title": None, "domain": False, "ticks": False, "grid": False, "labelLimit": 180}
    strength = quantity("strength", None) | {"legend": None}
    strength["scale"] = {"domain": [0, 1], "range": [0, 0.45]}
    across = {"field": "column", "type": "nominal", "scale": {"domain": list(columns)}}
    down = {"field": "row", "type": "nominal", "scale": {"domain": list(names)}, "axis": axis}
    fill = {"mark": {"type": "rect"}, "encoding": {"opacity": strength}}
    text = {"mark": {"type": "text"}, "encoding": {"text": {"field": "shown", "type": "nominal"}}}
    is_numbered = len(columns) <= MOST_NUMBERED
    letters = 0 if angle else max(map(len, columns), default=0)
    step = max(LETTER * letters + 10, CELL_WIDTH if is_numbered else CELL)
    spec = plain_spec(description, CELL * len(names)) | {"data": {"values": list(cells)}}
    spec |= {"width": {"step": step}, "autosize": {"type": "pad"}}
    spec["encoding"] = {"x": across | {"axis": axis | {"orient": "top", "labelAngle": angle}}}
    spec["encoding"]["y"] = down
    return spec | {"layer": [fill, text] if is_numbered else [fill]}


def quality_spec(rows: Sequence[Row], scale: Scale = SCALE) -> Spec:
    """Each annotator's mean of degraded captions against that of their originals."""
    status = {"field": "status", "type": "nominal", "scale": {"domain": list(STATUSES)}}
    legend = {"legend": {"orient": "top", "title": None}}
    domain = between(scale)
    originals, damaged = "Mean score of original captions", "Mean score of their degraded versions"
    points = {
        "data": {"values": [without_nan(row) for row in rows]},
        "mark": {"type": "point", "size": 45, "opacity": 0.8, "strokeWidth": 1.8},
        "encoding": {
            "x": quantity("original", originals) | domain,
            "y": quantity("degraded", damaged) | domain,
            "color": status | legend,
            "shape": status | legend,
        },
    }
    return plain_spec(BELOW, 360) | {"layer": [diagonal(originals, damaged, scale), points]}


def between(scale: Scale) -> Spec:
    """An axis as long as the scale."""
    return {"scale": {"domain": [scale.low, scale.high]}}


def diagonal(x_title: str, y_title: str, scale: Scale = SCALE) -> Spec:
    """The line of equal scores."""
    return {
        "data": {"values": [{"low": scale.low, "high": scale.high}]},
        "mark": {"type": "rule", "strokeDash": [3, 3]},
        "encoding": {
            "x": quantity("low", x_title),
            "x2": {"field": "high"},
            "y": quantity("low", y_title),
            "y2": {"field": "high"},
        },
    }


def spread_spec(rows: Sequence[Row], scale: Scale = SCALE) -> Spec:
    """How often each score was given: a row of bars for each group.

    Bars of an interval scale are bins; those of an ordinal one stand over their levels.
    """
    left, right = (-0.4, 0.4) if scale.is_ordinal else (0, BIN_WIDTH)
    groups = list(dict.fromkeys(row["group"] for row in rows))
    tallest = max((row["share"] for row in rows), default=1)
    bars = [
        {
            "left": row["from"] + left,
            "right": row["from"] + right,
            "floor": groups.index(row["group"]),
            "top": groups.index(row["group"]) - 0.85 * row["share"] / tallest,
        }
        for row in rows
    ]
    names = {
        "values": list(range(len(groups))),
        "labelExpr": f"{json.dumps(groups)}[datum.value]",  # JSON is an expression, safely quoted
        "labelLimit": LABEL_LIMIT,
        "labelOverlap": False,
        "minExtent": min(LABEL_LIMIT, LETTER * max(map(len, groups), default=0)),
        "ticks": False,
        "domain": False,
    }
    y = quantity("floor", None) | {"axis": names}
    y["scale"] = {"reverse": True, "domain": [-1, len(groups) - 0.9], "nice": False}
    x = quantity("left", "Raw score") | between(scale)
    if scale.is_ordinal:
        x["scale"] = {"domain": [scale.low - 0.5, scale.high + 0.5], "nice": False}
        x["axis"] = {"values": list(range(scale.low, scale.high + 1)), "format": "d"}
    spec = plain_spec("How often each score was given.", 44 * len(groups) + 30)
    spec |= {"data": {"values": bars}, "mark": {"type": "bar", "binSpacing": 0.5}}
    spec["encoding"] = {"x": x, "x2": {"field": "right"}, "y": y, "y2": {"field": "top"}}
    return spec


def bin_counts(scores: NDArray[np.int16], scale: Scale = SCALE) -> tuple[int, ...]:
    """Ratings in each bin, or at each level; the highest score belongs to the last.

    >>> bin_counts(np.array([0, 4, 5, 100], np.int16))[:2], bin_counts(np.array([100]))[-1]
    ((2, 1), 1)
    >>> bin_counts(np.array([1, 5, 5], np.int16), Scale(1, 5, "ordinal"))
    (1, 0, 0, 0, 2)
    """
    width, bins = _bins(scale)
    places = np.minimum((scores - scale.low) // width, bins - 1).astype(np.int64)
    return tuple(np.bincount(places, minlength=bins).tolist())


def _bins(scale: Scale) -> tuple[int, int]:
    """How wide the bins of a scale are, and how many."""
    if scale.is_ordinal:
        return 1, len(scale)
    return BIN_WIDTH, (scale.high - scale.low) // BIN_WIDTH


def spread_rows(counts: Mapping[str, Sequence[int]], scale: Scale = SCALE) -> list[Row]:
    """Share of each group's scores in each bin; nothing of a group without any."""
    width, _ = _bins(scale)
    return [
        {
            "group": group,
            "from": scale.low + place * width,
            "count": count,
            "share": count / sum(found),
        }
        for group, found in counts.items()
        if any(found)
        for place, count in enumerate(found)
    ]


def line_spec(
    rows: Sequence[Row], x: str, y: str, *, description: str, axes: tuple[str, str]
) -> Spec:
    """One line through its points."""
    spec = plain_spec(description, 220) | {"data": {"values": [without_nan(row) for row in rows]}}
    spec["encoding"] = {
        "x": quantity(x, axes[0]) | {"axis": {"tickMinStep": 1}},
        "y": quantity(y, axes[1]) | {"scale": {"zero": False}},
    }
    point = {"type": "point", "size": 45, "filled": True, "opacity": 1}
    return spec | {"layer": [{"mark": {"type": "line", "strokeWidth": 2}}, {"mark": point}]}


def plain_spec(description: str, height: int) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }


def quantity(field: str, title: str | None) -> Spec:
    return {"field": field, "type": "quantitative", "title": title}


def without_nan(row: Row) -> Row:
    """JSON has no NaN: what is not defined is None."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in row.items()
    }


def short_p(p: float) -> str:
    """A p value that fits into a cell.

    >>> short_p(0.0312), short_p(0.0004), short_p(1.0)
    ('.031', '<.001', '>.999')
    """
    if math.isnan(p):
        return "–"
    return "<.001" if p < 0.001 else ">.999" if p > 0.999 else f"{p:.3f}".removeprefix("0")
