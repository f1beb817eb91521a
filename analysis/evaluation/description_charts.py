"""Pictures of a description of data."""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.evaluation.description import SET, Tables
from analysis.presenting.charts import (
    STEP,
    Row,
    Spec,
    heat_spec,
    plain_spec,
    quantity,
    without_nan,
)
from analysis.results.describing import ACROSS, EVERYTHING

DRAWN_CURVES: Final = 8
SYSTEM, REFERENCE = "system", "reference"
OF_REFERENCES: Final = "{}_references"
"""Names a second picture of a table, about the sets of references."""


def description_charts(found: Tables) -> dict[str, Spec]:
    """Pictures of the tables, by the name of the table each is about; where there is something.

    Likeness has a picture of the systems and one of the sets of references (Figs 5 and 4).
    """
    drawn = {
        "texts": _words_spec(found["texts"]),
        "similarity": _similarity_spec(found["similarity"], SYSTEM),
        OF_REFERENCES.format("similarity"): _similarity_spec(found["similarity"], REFERENCE),
        "similarity_curves": _curves_spec(found["similarity_curves"], SYSTEM),
        OF_REFERENCES.format("similarity_curves"): _curves_spec(
            found["similarity_curves"], REFERENCE
        ),
        "distribution": _distribution_spec(found["distribution"]),
        "stability": _stability_spec(found["stability"]),
        "people": _seconds_spec(found["people"]),
        "levels": _levels_spec(found["levels"]),
    }
    return {name: spec for name, spec in drawn.items() if spec is not None}


def _words_spec(rows: list[Row]) -> Spec | None:
    shown = [row for row in rows if row["source"] != EVERYTHING]
    if not shown:
        return None
    names = [row["source"] for row in shown]
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": 200}
    spec = plain_spec("Words per caption of each source, on average.", STEP * len(shown))
    spec |= {"data": {"values": list(map(without_nan, shown))}, "mark": {"type": "bar"}}
    spec["encoding"] = {
        "y": {"field": "source", "type": "nominal", "sort": names, "title": None, "axis": plain},
        "x": quantity("words_mean", "Words per caption"),
        "color": {"field": "role", "type": "nominal", "legend": {"orient": "top", "title": None}},
    }
    return spec


def _similarity_spec(rows: list[Row], role: str) -> Spec | None:
    """Every two sources, and each with all others; systems also with every set of references."""
    defined = [row for row in map(without_nan, rows) if row["mean"] is not None]
    shown = [row for row in defined if row["role"] == role]
    across = [row for row in defined if row["role"] == ACROSS and role == SYSTEM]
    if not shown and not across:
        return None
    mean = {(row["first"], row["second"]): row["mean"] for row in shown}
    mean |= {(second, first): value for (first, second), value in mean.items()}
    names = list(dict.fromkeys(one for pair in mean for one in pair if one != EVERYTHING))
    names = names or list(dict.fromkeys(row["first"] for row in across))
    mean |= {(row["first"], row["second"]): row["mean"] for row in across}
    columns = [*names, *([EVERYTHING] if any(EVERYTHING in pair for pair in mean) else [])]
    columns += dict.fromkeys(row["second"] for row in across)
    cells = [(one, [mean.get((one, other), np.nan) for other in columns]) for one in names]
    return heat_spec(cells, columns, "How similar the captions of each pair of sources are.")


def _curves_spec(every: list[Row], role: str) -> Spec | None:
    """Videos from the most to the least alike; of many pairs of sources the first are drawn."""
    rows = [row for row in every if row["role"] == role]
    names = list(dict.fromkeys(f"{row['first']} and {row['second']}" for row in rows))
    drawn = set(names[:DRAWN_CURVES])
    marks = [
        {"pair": pair, "place": row["place"], "similarity": row["similarity"]}
        for row in rows
        if (pair := f"{row['first']} and {row['second']}") in drawn
    ]
    if not marks:
        return None
    step = max(1, len(marks) // 2_000)
    spec = plain_spec("Similarity of two sources, video by video, most similar first.", 260)
    spec |= {"data": {"values": marks[::step]}, "mark": {"type": "line"}}
    series = {"field": "pair", "type": "nominal", "legend": {"orient": "top", "title": None}}
    spec["encoding"] = {
        "x": quantity("place", "Videos, most similar first"),
        "y": quantity("similarity", "Similarity"),
        "color": series | {"legend": {"orient": "top", "title": None, "columns": 2}},
        "strokeDash": series,
    }
    return spec


def _distribution_spec(rows: list[Row]) -> Spec | None:
    shown = [row for row in rows if row["system"] == EVERYTHING]
    if not shown:
        return None
    spec = plain_spec("Distribution of caption scores.", 220)
    spec |= {"data": {"values": shown}, "mark": {"type": "bar", "binSpacing": 0.5}}
    spec["encoding"] = {
        "x": quantity("from", "z score of the caption") | {"bin": "binned"},
        "x2": {"field": "to"},
        "y": quantity("share", "Share of captions") | {"axis": {"format": "%", "tickCount": 5}},
    }
    return spec


def sets_spec(rows: list[Row]) -> Spec | None:
    """Caption scores of several sets over each other (bertha-2022, Fig 2)."""
    shown = [
        {"set": row[SET], "z": (row["from"] + row["to"]) / 2, "share": row["share"]}
        for row in rows
        if row["system"] == EVERYTHING
    ]
    if not shown:
        return None
    series = {"field": "set", "type": "nominal", "legend": {"orient": "top", "title": None}}
    spec = plain_spec("Distribution of the caption scores of each set.", 260)
    spec |= {"data": {"values": shown}, "mark": {"type": "line", "interpolate": "step"}}
    spec["encoding"] = {
        "x": quantity("z", "z score of the caption"),
        "y": quantity("share", "Share of captions") | {"axis": {"format": "%", "tickCount": 5}},
        "color": series,
        "strokeDash": series,
    }
    return spec


def _stability_spec(rows: list[Row]) -> Spec | None:
    if len({row["ratings"] for row in rows}) < 2:  # no curve
        return None
    level = {"field": "level", "type": "nominal", "legend": {"orient": "top", "title": None}}
    x = quantity("ratings", "Ratings of each caption") | {"axis": {"tickMinStep": 1}}
    y = quantity("with_rest", "r with the mean of the rest") | {"scale": {"zero": False}}
    band = {
        "mark": {"type": "area", "opacity": 0.15},
        "encoding": {
            "y": quantity("with_rest_low", y["title"]) | {"scale": {"zero": False}},
            "y2": {"field": "with_rest_high"},
        },
    }
    line = {"mark": {"type": "line", "point": True}, "encoding": {"y": y, "strokeDash": level}}
    spec = plain_spec("How well the mean of a given number of ratings agrees with the rest.", 260)
    spec |= {"data": {"values": list(map(without_nan, rows))}, "layer": [band, line]}
    return spec | {"encoding": {"x": x, "color": level}}


def _levels_spec(rows: list[Row]) -> Spec | None:
    """How many captions of each level every quality-drift set keeps (emscore-2022, Fig 6a)."""
    if not any(row["captions"] for row in rows):
        return None
    level = {"field": "level", "type": "ordinal", "title": "Level"}
    spec = plain_spec("Levels of quality in each quality-drift set.", 240)
    spec |= {"data": {"values": list(map(without_nan, rows))}, "mark": {"type": "bar"}}
    spec["encoding"] = {
        "x": {"field": "drift_set", "type": "ordinal", "title": "Quality-drift set",
              "axis": {"labelAngle": 0}},
        "y": quantity("expected", "Captions"),
        "color": level | {"legend": {"orient": "top"}},
        "order": {"field": "level", "type": "ordinal"},
    }  # fmt: skip
    return spec


def _seconds_spec(rows: list[Row]) -> Spec | None:
    known = [row for row in map(without_nan, rows) if row["seconds_per_caption"] is not None]
    if not known:
        return None
    values = [{"seconds": row["seconds_per_caption"], "passed": row["passed"]} for row in known]
    spec = plain_spec("Seconds per caption of each annotator.", 200)
    spec |= {"data": {"values": values}, "mark": {"type": "bar"}}
    binned = quantity("seconds", "Seconds per caption") | {"bin": {"maxbins": 24}}
    count = {"aggregate": "count", "type": "quantitative", "title": "Annotators"}
    passed = {"field": "passed", "type": "nominal", "legend": {"orient": "top", "title": None}}
    return spec | {"encoding": {"x": binned, "y": count, "color": passed}}
