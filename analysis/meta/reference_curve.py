"""How much a metric gains from more references: a line for each, and what it says. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from analysis.charts import Row, Spec, plain_spec, quantity
from analysis.meta.robustness.findings import Finding
from analysis.meta.robustness.referencing import NUMBERS, subsets_scored
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import metric_of
from analysis.sentences import number

DRAWN: Final = 5
"""Lines that can be told apart; all metrics are in the table."""
MOST_SCORED: Final = 60_000
"""Captions, counted as often as they are scored: about a minute of one processor."""


def word_metrics(metrics: Sequence[str]) -> list[str]:
    """Those that compare words with references and need nothing else: they are scored again."""
    words = {
        name
        for family, names in families_of([metric_of(name) for name in metrics]).items()
        if family.needs == {Need.REFERENCES}
        for name in names
    }
    return [name for name in metrics if metric_of(name) in words]


def why_no_curve(metrics: Sequence[str], captions: int, references: int) -> str:
    """A sentence where there is nothing to draw; otherwise an empty one."""
    if not metrics:
        return "None of the metrics scored here compares words with references."
    if references < 2:
        there = "There is one reference for each video" if references else "There are no references"
        return f"{there}, so nobody can say what more of them would do."
    if captions * subsets_scored(references) > MOST_SCORED:
        return (
            f"To score {captions:,} captions with every number of references takes long; "
            "manage.py correlate --robustness references does it."
        )
    return ""


def curve_rows(findings: Iterable[Finding]) -> list[Row]:
    """A row for each number of references and metric: r, the mean over sets of that many, and the
    lowest and highest of them."""
    return [
        {
            "references": int(found.condition.split()[0]),
            "metric": found.metric,
            "n": found.n,
            "sets": found.repeats,
            **{
                name: None if math.isnan(value) else value
                for name, value in (
                    ("pearson", found.pearson),
                    ("low", found.low),
                    ("high", found.high),
                )
            },
        }
        for found in findings
        if found.check == NUMBERS
    ]


def best_metrics(rows: Sequence[Row]) -> list[str]:
    """By r with all references, the highest first; those without one are left out."""
    most = max((row["references"] for row in rows), default=0)
    last = [row for row in rows if row["references"] == most and row["pearson"] is not None]
    return [row["metric"] for row in sorted(last, key=lambda row: -row["pearson"])]


def curve_sentence(rows: Sequence[Row]) -> str:
    """What the best metric gains, from the first reference to the last."""
    names = best_metrics(rows)
    if not names:
        return "No correlation is defined."
    best = names[0]
    found = {row["references"]: row["pearson"] for row in rows if row["metric"] == best}
    most = max(found)
    if most == 1:
        return f"{best} reaches r = {number(found[1], 3)} with the one reference there is."
    if found[1] is None:
        return f"{best} reaches r = {number(found[most], 3)} with all {most} references."
    gain = (
        f"{best} reaches r = {number(found[1], 3)} with one reference and "
        f"{number(found[most], 3)} with all {most}"
    )
    if found[most - 1] is None:
        return f"{gain}."
    last = found[most] - found[most - 1]
    return f"{gain}; the last one {'adds' if last > 0 else 'takes away'} {number(abs(last), 3)}."


def curve_spec(rows: Sequence[Row], human: str) -> Spec:
    """Lines of the best metrics, told apart by shape as well as by colour."""
    names = best_metrics(rows)[:DRAWN]
    drawn = [row for row in rows if row["metric"] in names]
    metric = {"field": "metric", "type": "nominal", "sort": names, "scale": {"domain": names}}
    metric |= {"legend": {"orient": "top", "title": None, "columns": 2}}  # fits a phone
    x = {"field": "references", "type": "ordinal", "title": "Number of references"}
    y = quantity("pearson", f"r with people, {human}") | {"scale": {"zero": False}}
    point = {"type": "point", "size": 60, "filled": True, "opacity": 1}
    spec = plain_spec("Correlation with people by number of references.", 300)
    return spec | {
        "data": {"values": drawn},
        "encoding": {"x": x | {"axis": {"labelAngle": 0}}, "y": y, "color": metric},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}},
            {"mark": point, "encoding": {"shape": metric}},
        ],
    }
