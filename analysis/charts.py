"""Charts of an analysis: Vega-Lite specifications for the pages, each with the rows it shows.

Colours and type come from the page's theme, and nothing is told apart by colour alone. The report
draws the same rows without scripts (`analysis.figures`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.exports import threshold_rows
from analysis.pipeline import Analysis
from analysis.stats.quality import FAILED, INSUFFICIENT, PASSED
from analysis.stats.ratings import DEGRADED, HIGHEST_SCORE, REFERENCE
from analysis.stats.sensitivity import ThresholdSensitivity

Row = dict[str, Any]
Spec = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
STATUSES: Final = (PASSED, FAILED, INSUFFICIENT)
STEP: Final = 30  # pixels a system takes
BIN_WIDTH: Final = 5
CONTROLS: Final = "control captions"
DAMAGED: Final = "degraded captions"
BELOW: Final = "Below the dashed line degraded captions were rated lower, as they should."


@dataclass(frozen=True, slots=True)
class Chart:
    """A specification and, for the table beside it, its rows and the headings of their columns."""

    title: str
    spec: Spec
    headings: dict[str, str]
    rows: list[Row]


def ranking_chart(analysis: Analysis) -> Chart:
    """Systems best first, each with the interval of its score; dashed lines part the clusters."""
    rows = ranking_rows(analysis)
    systems = [row["system"] for row in rows]
    last = [above["system"] for above, below in pairwise(rows) if above["ranks"] != below["ranks"]]
    y = {"field": "system", "type": "nominal", "sort": systems, "title": None}
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": 240}
    interval = {
        "mark": {"type": "rule", "strokeWidth": 2.5},
        "encoding": {"x": quantity("z_low", "Mean z score"), "x2": {"field": "z_high"}},
    }
    score = {
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
        "encoding": {"x": quantity("z", "Mean z score")},
    }
    boundary = {
        "data": {"values": [{"system": system} for system in last]},
        "mark": {"type": "rule", "strokeDash": [2, 3]},
        "encoding": {"y": y | {"bandPosition": 1}},
    }
    spec = plain_spec("Scores of systems with their intervals, best first.", STEP * len(rows))
    spec |= {"data": {"values": rows}, "encoding": {"y": y | {"axis": plain}}}
    return Chart("Ranking", spec | {"layer": [boundary, interval, score]}, RANKING_HEADINGS, rows)


def annotators_chart(analysis: Analysis) -> Chart:
    """Each annotator's mean of degraded captions against that of their originals."""
    rows = annotator_rows(analysis)
    status = {"field": "status", "type": "nominal", "scale": {"domain": list(STATUSES)}}
    legend = {"legend": {"orient": "top", "title": None}}
    scale = {"scale": {"domain": [0, HIGHEST_SCORE]}}
    originals, damaged = "Mean score of original captions", "Mean score of their degraded versions"
    points = {
        "data": {"values": rows},
        "mark": {"type": "point", "size": 45, "opacity": 0.8, "strokeWidth": 1.8},
        "encoding": {
            "x": quantity("original", originals) | scale,
            "y": quantity("degraded", damaged) | scale,
            "color": status | legend,
            "shape": status | legend,
        },
    }
    spec = plain_spec(BELOW, 360)
    layers = [diagonal(originals, damaged), points]
    return Chart("Annotators", spec | {"layer": layers}, ANNOTATOR_HEADINGS, rows)


def diagonal(x_title: str, y_title: str) -> Spec:
    """The line of equal scores."""
    return {
        "data": {"values": [{"low": 0, "high": HIGHEST_SCORE}]},
        "mark": {"type": "rule", "strokeDash": [3, 3]},
        "encoding": {
            "x": quantity("low", x_title),
            "x2": {"field": "high"},
            "y": quantity("low", y_title),
            "y2": {"field": "high"},
        },
    }


def distributions_chart(analysis: Analysis) -> Chart:
    """Raw scores of each system, and of control and degraded captions."""
    return spread_chart("Scores", distribution_rows(analysis))


def spread_chart(title: str, rows: list[Row]) -> Chart:
    """How often each score was given: a row of bars for each group."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    tallest = max((row["share"] for row in rows), default=1)
    bars = [
        {
            "left": row["from"],
            "right": row["from"] + BIN_WIDTH,
            "floor": groups.index(row["group"]),
            "top": groups.index(row["group"]) - 0.85 * row["share"] / tallest,
        }
        for row in rows
    ]
    names = {
        "values": list(range(len(groups))),
        "labelExpr": f"{json.dumps(groups)}[datum.value]",  # JSON is an expression, safely quoted
        "labelLimit": 240,
        "ticks": False,
        "domain": False,
    }
    y = quantity("floor", None) | {"axis": names}
    y["scale"] = {"reverse": True, "domain": [-1, len(groups) - 0.9], "nice": False}
    x = quantity("left", "Raw score") | {"scale": {"domain": [0, HIGHEST_SCORE]}}
    spec = plain_spec("How often each score was given.", 44 * len(groups) + 30)
    spec |= {"data": {"values": bars}, "mark": {"type": "bar", "binSpacing": 0.5}}
    spec["encoding"] = {"x": x, "x2": {"field": "right"}, "y": y, "y2": {"field": "top"}}
    return Chart(title, spec, DISTRIBUTION_HEADINGS, rows)


def sensitivity_chart(sensitivity: ThresholdSensitivity) -> Chart:
    """Agreement with everybody's ranking by threshold, beside the band of random drops."""
    rows = threshold_rows(sensitivity)
    levels = sensitivity.thresholds.tolist()
    x = quantity("threshold", "Annotators kept: quality-control p below")
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"values": levels, "format": "~g", "grid": False}
    title = "Kendall's τ with everybody's ranking"
    low = quantity("low", title) | {"scale": {"zero": False}}
    band = {
        "mark": {"type": "area", "opacity": 0.18},
        "encoding": {"y": low, "y2": {"field": "high"}},
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 60, "filled": True}},
        "encoding": {"y": quantity("tau", title)},
    }
    spec = plain_spec("The band holds 95 % of random drops of as many annotators.", 280)
    spec |= {"data": {"values": rows}, "encoding": {"x": x}, "layer": [band, line]}
    return Chart("Quality threshold", spec, SENSITIVITY_HEADINGS, rows)


def ranking_rows(analysis: Analysis) -> list[Row]:
    systems, ranking, intervals = analysis.systems, analysis.ranking, analysis.intervals
    return [
        {
            "system": analysis.ratings.systems[code],
            "ranks": _span(ranking.rank_low[code], ranking.rank_high[code]),
            "z": _plain(systems.z[code]),
            "z_low": _plain(intervals.z_low[code]),
            "z_high": _plain(intervals.z_high[code]),
            "raw": _plain(systems.raw[code]),
            "wins": int(ranking.wins[code]),
            "captions": int(systems.captions[code]),
            "ratings": int(systems.ratings[code]),
        }
        for code in ranking.order.tolist()
    ]


def significance_rows(analysis: Analysis, adjusted: str = "p") -> list[Row]:
    """Every ordered pair; wins go by the p that ``adjusted`` names: p, p_holm or p_bh."""
    ranking, alpha = analysis.ranking, analysis.settings.alpha
    deciding = getattr(ranking, adjusted)
    names, order = analysis.ratings.systems, ranking.order.tolist()
    return [
        {
            "better": names[row],
            "worse": names[column],
            "p": _plain(ranking.p[row, column]),
            "p_holm": _plain(ranking.p_holm[row, column]),
            "p_bh": _plain(ranking.p_bh[row, column]),
            "win": bool(deciding[row, column] < alpha),
            "shown": short_p(deciding[row, column]),
        }
        for row in order
        for column in order
        if row != column
    ]


def annotator_rows(analysis: Analysis) -> list[Row]:
    """Every annotator; without a mean, and thus a mark, where nothing degraded was rated."""
    quality = analysis.quality
    return [
        {
            "annotator": analysis.ratings.annotators[code],
            "original": _plain(quality.original_mean[code]),
            "degraded": _plain(quality.degraded_mean[code]),
            "pairs": int(quality.pairs.n[code]),
            "p": _plain(quality.pairs.p[code]),
            "status": quality.status[code],
            "flags": ", ".join(analysis.flags[code]),
        }
        for code in range(len(quality.status))
    ]


def distribution_rows(analysis: Analysis) -> list[Row]:
    """Share of ratings in each bin, of annotators in use; 100 belongs to the last bin."""
    ratings = analysis.ratings
    used = analysis.used[ratings.annotator]
    groups = {
        ratings.systems[code]: ratings.scores_a_caption & (ratings.system == code)
        for code in analysis.ranking.order.tolist()
    }
    groups |= {CONTROLS: ratings.kind == REFERENCE, DAMAGED: ratings.kind == DEGRADED}
    return spread_rows({group: ratings.score[mask & used] for group, mask in groups.items()})


def spread_rows(groups: Mapping[str, NDArray[np.int16]]) -> list[Row]:
    """Share of each group's scores in each bin; nothing of a group without any."""
    rows: list[Row] = []
    for group, scores in groups.items():
        bins = np.minimum(scores // BIN_WIDTH, HIGHEST_SCORE // BIN_WIDTH - 1)
        counts = np.bincount(bins, minlength=HIGHEST_SCORE // BIN_WIDTH).tolist()
        rows += [
            {
                "group": group,
                "from": place * BIN_WIDTH,
                "count": count,
                "share": count / len(scores),
            }
            for place, count in enumerate(counts)
            if len(scores)
        ]
    return rows


RANKING_HEADINGS: Final = {
    "ranks": "Rank",
    "system": "System",
    "z": "z",
    "z_low": "from",
    "z_high": "to",
    "raw": "Raw",
    "wins": "Wins",
    "captions": "Captions",
    "ratings": "Ratings",
}
SIGNIFICANCE_HEADINGS: Final = {
    "better": "Better",
    "worse": "Worse",
    "p": "p",
    "p_holm": "p (Holm)",
    "p_bh": "p (Benjamini–Hochberg)",
}
ANNOTATOR_HEADINGS: Final = {
    "annotator": "Annotator",
    "status": "Quality control",
    "p": "p",
    "pairs": "Pairs",
    "original": "Originals",
    "degraded": "Degraded",
    "flags": "Flags",
}
DISTRIBUTION_HEADINGS: Final = {
    "group": "Of",
    "from": "Scores from",
    "count": "Ratings",
    "share": "Share",
}
SENSITIVITY_HEADINGS: Final = {
    "threshold": "p below",
    "kept": "Annotators kept",
    "tau": "τ with everybody",
    "low": "by chance from",
    "high": "to",
}


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


def _ranked(analysis: Analysis) -> list[str]:
    return [analysis.ratings.systems[code] for code in analysis.ranking.order]


def _span(low: float, high: float) -> str:
    """
    >>> _span(1.0, 1.0), _span(2.0, 4.0)
    ('1', '2–4')
    """
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def short_p(p: float) -> str:
    """A p value that fits into a cell.

    >>> short_p(0.0312), short_p(0.0004), short_p(1.0)
    ('.031', '<.001', '>.999')
    """
    if np.isnan(p):
        return "–"
    return "<.001" if p < 0.001 else ">.999" if p > 0.999 else f"{p:.3f}".removeprefix("0")


def _plain(value: float) -> float | None:
    """JSON has no NaN."""
    return None if np.isnan(value) else float(value)
