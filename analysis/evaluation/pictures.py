"""Pictures of metrics against people, for page, report and files: each with its table. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.evaluation import tables
from analysis.evaluation.findings.systems import systems_spec
from analysis.evaluation.levels import LevelResult
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.reference_curve import COEFFICIENTS, best_metrics, curve_rows, curve_specs
from analysis.evaluation.robustness.checks import Robustness
from analysis.metrics.registry import Need, embedding_models, families
from analysis.metrics.scoring import metric_of
from analysis.presenting.charts import (
    LABEL_LIMIT,
    STEP,
    Row,
    Spec,
    cells_spec,
    plain_spec,
    quantity,
    short_p,
    without_nan,
)

WORDS, TEXTS, VIDEOS, LEARNED, OTHERS = (
    "words", "embedded texts", "the video", "learned from people", "from a file",
)  # fmt: skip
KINDS: Final = (WORDS, TEXTS, VIDEOS, LEARNED, OTHERS)
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross")
STRONGEST: Final = 4
"""p = 0.0001 and below have the darkest cell."""
MOST_COMPARED: Final = 15
"""Metrics in a picture of every two of them; all are in the table."""
LEVELS: Final = {"caption": "captions", "system": "systems"}


@dataclass(frozen=True)
class Picture:
    """A chart; ``name`` is that of its file, ``table`` of the file with the numbers behind it."""

    name: str
    table: str
    spec: Spec
    caption: str


def pictures(part: AgainstHuman, evaluation: Evaluation) -> dict[str, Picture]:
    """Every picture there is of one column of human scores, by what it shows."""
    human, settings = slug(part.human), evaluation.settings
    found: dict[str, Picture] = {}
    for level in (part.caption, part.system):
        over = LEVELS[level.level]
        if (spec := correlations_spec(part, level)) is not None:
            caption = correlations_caption(part, level, settings.confidence)
            name = f"correlations-{human}-{over}"
            found[f"correlations-{over}"] = Picture(name, "correlations", spec, caption)
        if rows := tables.comparison_rows(part, level):
            name = f"williams-{human}-{over}"
            caption = williams_caption(rows, over, settings.alpha)
            spec = williams_spec(_among_best(rows), settings.alpha)
            found[f"williams-{over}"] = Picture(name, "williams", spec, caption)
    if (spec := systems_spec(part)) is not None:
        caption = f"Every system by people ({part.human}, upwards) and by the metric (to the right)"
        found["systems"] = Picture(f"systems-{human}", "systems", spec, caption)
    return found


def reference_pictures(checked: Robustness) -> list[Picture]:
    """What more references do to each coefficient; none where there is nothing to draw."""
    rows = curve_rows(checked.findings)
    if len({row["references"] for row in rows}) < 2 or not best_metrics(rows):
        return []
    human = checked.human
    return [
        Picture(
            f"references-{slug(human)}-{name}",
            "robustness",
            spec,
            f"{COEFFICIENTS[name]} with people ({human}) by number of references, mean over sets "
            "of that many; dashed are metrics that need none",
        )
        for name, spec in curve_specs(rows, human).items()
    ]


def slug(name: str) -> str:
    """A name that can be part of a file's, whatever somebody called a column.

    >>> slug("z, all people")
    'z-all-people'
    """
    return re.sub(r"\W+", "-", name)


def kind_of(metric: str) -> str:
    """What a metric looks at, or was learned from.

    >>> kind_of("cider"), kind_of("emscore@ViT-B-16 (idf:none)"), kind_of("mine")
    ('words', 'the video', 'from a file')
    """
    home = {name: family for family in families() for name in family.metrics}
    family = home.get(metric_of(metric).partition(" (")[0])
    if family is None:
        return OTHERS
    if family.mixes or family.trained is not None:
        return LEARNED
    if Need.VIDEO in family.needs:
        return VIDEOS
    return TEXTS if embedding_models() & family.needs else WORDS


def correlations_spec(part: AgainstHuman, level: LevelResult) -> Spec | None:
    """r of every metric with its interval, the best first; none where none is defined.

    Rows that cannot be told apart from the best are shaded, the dashed line is the ceiling.
    """
    rows = [row for row in tables.level_rows(part, level) if not math.isnan(row["pearson"])]
    if not rows:
        return None
    leading = _leading(part, level)
    marks = [
        without_nan(
            {
                "name": row["metric"],
                "value": row["pearson"],
                "low": row["pearson_low"],
                "high": row["pearson_high"],
                "kind": kind_of(row["metric"]),
                "leads": row["metric"] in leading,
            }
        )
        for row in rows
    ]
    names = [mark["name"] for mark in marks]
    plain = {"grid": False, "domain": False, "ticks": False, "labelLimit": LABEL_LIMIT}
    y = {"field": "name", "type": "nominal", "sort": names, "title": None, "axis": plain}
    x = {"scale": {"zero": False}, "axis": {"tickCount": 6}}
    axis = f"r over {LEVELS[level.level]}"  # fits a phone; the caption says more
    step = STEP if len(rows) <= 12 else 22
    spec = plain_spec("r of every metric with people, best first.", step * len(rows))
    spec |= {"data": {"values": marks}, "encoding": {"y": y}}
    spec["layer"] = [
        {
            "transform": [{"filter": {"field": "leads", "equal": True}}],
            "mark": {"type": "rect", "style": "shade"},
        },
        *ceiling_marks(part, level),
        {
            "mark": {"type": "rule", "strokeWidth": 2.5},
            "encoding": {
                "x": quantity("low", axis) | x,
                "x2": {"field": "high"},
                "color": _kinds(marks),
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {
                "x": quantity("value", axis) | x,
                "color": _kinds(marks),
                "shape": _kinds(marks) | {"scale": _scale(marks, SHAPES)},
            },
        },
    ]
    return spec


def _leading(part: AgainstHuman, level: LevelResult) -> set[str]:
    """The best metric and those it does not beat; none where nothing could be compared."""
    found = level.comparisons.clusters if level.comparisons else None
    if found is None or not len(found.order):
        return set()
    beaten = found.beats[found.order[0]]
    return {part.metrics[at] for at in found.order if not beaten[at]}


def _kinds(marks: Sequence[Row]) -> Spec:
    legend = {"orient": "top", "title": None, "columns": 1, "symbolOpacity": 1}
    return {"field": "kind", "type": "nominal", "legend": legend, "scale": _scale(marks)}


def _scale(marks: Sequence[Row], shapes: Sequence[str] = ()) -> Spec:
    present = [kind for kind in KINDS if any(mark["kind"] == kind for mark in marks)]
    ranges = {"range": [shapes[KINDS.index(kind)] for kind in present]} if shapes else {}
    return {"domain": present} | ranges


def ceiling_marks(part: AgainstHuman, level: LevelResult) -> list[Spec]:
    """The most a metric could reach; of captions only, for the reliability is that of captions."""
    found = part.reliability
    if found is None or level.level != "caption" or math.isnan(found.ceiling):
        return []
    data = {"data": {"values": [{"most": found.ceiling}]}}
    axis = f"r over {LEVELS[level.level]}"  # fits a phone; the caption says more
    place = {"x": quantity("most", axis), "y": None}
    rule = {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5}
    words = {"type": "text", "align": "right", "dx": -5, "y": -8}
    return [
        data | {"mark": rule, "encoding": place},
        data | {"mark": words, "encoding": place | {"text": {"value": "most possible"}}},
    ]


def correlations_caption(part: AgainstHuman, level: LevelResult, confidence: float) -> str:
    percent = f"{100 * confidence:g} %"
    said = f"Pearson’s r with {part.human} and its {percent} interval (bootstrap over videos)."
    if level.comparisons is not None:
        said += " Shaded: not significantly different from the best (Williams, Holm)."
    if ceiling_marks(part, level):
        said += " Dashed: what a perfect metric would reach."
    return said


def _among_best(rows: Sequence[Row]) -> list[Row]:
    """The pairs of the metrics that come first: more names than that cannot be read."""
    best = set(list(dict.fromkeys(row["better"] for row in rows))[:MOST_COMPARED])
    return [row for row in rows if {row["better"], row["worse"]} <= best]


def williams_spec(rows: Sequence[Row], alpha: float) -> Spec:
    """The smaller p, the darker the cell; from alpha up it is empty."""
    names = list(dict.fromkeys(row["better"] for row in rows))
    cells = [
        {
            "row": row["better"],
            "column": row["worse"],
            "strength": _strength(row["p_holm"], alpha),
            "shown": short_p(row["p_holm"]),
        }
        for row in rows
    ]
    description = "p that the row’s metric correlates more with people than the column’s."
    return cells_spec(cells, names, names, description, angle=-45)


def _strength(p: float, alpha: float) -> float:
    """
    >>> _strength(0.2, 0.05), _strength(0.01, 0.05), _strength(0.0, 0.05)
    (0.0, 0.5, 1.0)
    """
    if math.isnan(p) or p >= alpha:
        return 0.0
    return min(-math.log10(max(p, 10.0**-STRONGEST)) / STRONGEST, 1.0)


def williams_caption(rows: Sequence[Row], over: str, alpha: float) -> str:
    metrics = len({row["better"] for row in rows})
    whose = f" of the {MOST_COMPARED} best of {metrics:,} metrics" * (metrics > MOST_COMPARED)
    said = f"p{whose}, by Williams’ one-sided test over {rows[0]['n']:,} {over}, adjusted by Holm"
    if not any(row["p_holm"] < alpha for row in _among_best(rows)):
        return f"{said}. No cell is filled: no p value is below {alpha:g}."
    return (
        f"{said}. A filled cell, p < {alpha:g}: the row’s metric correlates more with people than "
        "the column’s; darker cells are more certain."
    )
