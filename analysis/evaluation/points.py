"""Captions by what people and metrics say of them: written once, then drawn metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.presenting.charts import Row, Spec, plain_spec, quantity
from analysis.presenting.exports import Table

if TYPE_CHECKING:
    import pyarrow as pa

POINTS: Final = "points.arrow"
MOST_POINTS: Final = 1_500
"""Of a picture; every odd caption is among them."""
USUAL, ODD = "fits", "odd caption"


def points_listing(evaluation: Evaluation, videos: Mapping[str, int]) -> Table:
    """A row for each caption with scores on both sides; ``videos`` are the ids by name.

    ``used:z`` says whether it counts; ``distance:z:cider`` is Cook's distance where that makes it
    odd, and NaN elsewhere.
    """
    joined = evaluation.joined
    texts = [""] * len(joined) if joined.texts is None else joined.texts.tolist()
    columns: dict[str, NDArray[Any]] = {
        "video": np.array([videos[name] for name in joined.videos], dtype=np.int64),
        "item": np.array(joined.videos, dtype=object),
        "system": np.array(joined.systems, dtype=object),
        "text": np.array(texts, dtype=object),
    }
    for metric in map(str, joined.metrics.columns):
        columns[f"metric:{metric}"] = joined.metrics[metric].to_numpy()
    for part in evaluation.parts:
        columns[f"people:{part.human}"] = joined.human[part.human].to_numpy()
        columns[f"used:{part.human}"] = part.used
        columns |= _distances(part)
    return columns


def _distances(part: AgainstHuman) -> dict[str, NDArray[np.float64]]:
    found = part.filters[0].outliers
    columns = {}
    for at, metric in enumerate(part.metrics):
        distances = np.full(len(part.used), np.nan)
        distances[part.used] = np.where(found.removed[:, at], found.distance[:, at], np.nan)
        columns[f"distance:{part.human}:{metric}"] = distances
    return columns


def points_of(points: pa.Table, human: str, metric: str) -> pa.Table:
    """The captions that count, with ``people``, ``metric`` and ``distance``; the oddest first."""
    import pyarrow as pa

    renamed = {
        "video": "video",
        "item": "item",
        "system": "system",
        "text": "text",
        f"people:{human}": "people",
        f"metric:{metric}": "metric",
        f"distance:{human}:{metric}": "distance",
    }
    kept = points.filter(points[f"used:{human}"])
    shown = pa.table({name: kept[column] for column, name in renamed.items()})
    return shown.take(np.argsort(-shown["distance"].to_numpy(), kind="stable"))  # NaN comes last


def odd_captions(shown: pa.Table) -> pa.Table:
    """Those that the filter removes, of the captions `points_of` gives."""
    return shown.slice(0, int(np.count_nonzero(~np.isnan(shown["distance"].to_numpy()))))


def scatter_spec(rows: Sequence[Row], *, human: str, metric: str) -> Spec:
    """People against a metric; odd captions are large squares, and a mark with an ``href`` leads
    there."""
    fit = {"field": "fit", "type": "nominal", "scale": {"domain": [USUAL, ODD]}}
    legend = {"legend": {"orient": "top", "title": None}}
    spec = plain_spec(f"Each caption by {metric} and by people; outliers are squares.", 360)
    shape = {"domain": [USUAL, ODD], "range": ["circle", "square"]}
    spec |= {
        "data": {"values": list(rows)},
        "mark": {"type": "point", "opacity": 0.8, "strokeWidth": 1.8},
        "encoding": {
            "x": quantity("metric", metric) | {"scale": {"zero": False}, "axis": {"tickCount": 6}},
            "y": quantity("people", f"People, {human}") | {"scale": {"zero": False}},
            "color": fit | legend,
            "shape": fit | {"scale": shape} | legend,
            "size": {
                "condition": {"test": {"field": "fit", "equal": ODD}, "value": 90},
                "value": 22,
            },
        },
    }
    if any("href" in row for row in rows):
        spec["mark"]["cursor"] = "pointer"
        spec["encoding"]["href"] = {"field": "href", "type": "nominal"}
    return spec


def marks_of(shown: pa.Table, address: Callable[[int, str], str]) -> list[Row]:
    """Every odd caption and, evenly, as many of the others as a picture can hold."""
    odd = odd_captions(shown).num_rows
    others = np.arange(odd, shown.num_rows)
    step = max(1, math.ceil(len(others) / MOST_POINTS))
    rows = shown.take(np.concatenate([others[::step], np.arange(odd)])).to_pylist()
    return [
        {
            "metric": row["metric"],
            "people": row["people"],
            "fit": USUAL if math.isnan(row["distance"]) else ODD,
            "href": address(row["video"], row["system"]),
        }
        for row in rows
    ]
