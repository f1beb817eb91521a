"""How much a metric gains from more references: a line for each, and what it says. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from analysis.evaluation.robustness.findings import Finding
from analysis.evaluation.robustness.referencing import NUMBERS, subsets_scored
from analysis.metrics.registry import Need, needs_of, resources
from analysis.metrics.scoring import metric_of
from analysis.presenting.charts import Row, Spec, plain_spec, quantity
from analysis.presenting.sentences import number

DRAWN: Final = 5
"""Lines that can be told apart; all metrics are in the table."""
COEFFICIENTS: Final = {"pearson": "r", "kendall_b": "τ-b", "spearman": "ρ"}
MOST_SCORED: Final = 60_000
"""Captions, counted as often as they are scored: about a minute of one processor."""


def word_metrics(metrics: Sequence[str]) -> list[str]:
    """Those that compare words with references and need nothing else: they are scored again."""
    quick = {one.name for one in resources() if one.quick}
    return [name for name in metrics if _needs(name) - quick == {Need.REFERENCES}]


def unreferenced_metrics(metrics: Sequence[str]) -> list[str]:
    """Those that need no reference: what they say does not change with the number."""
    return [name for name in metrics if Need.REFERENCES not in _needs(name)]


def _needs(column: str) -> frozenset[str]:
    return needs_of([metric_of(column)])


def why_no_curve(metrics: Sequence[str], captions: int, references: int) -> str:
    """A sentence where there is nothing to draw; otherwise an empty one."""
    if not metrics:
        return "None of the metrics scored here compares words with references."
    if references < 2:
        there = "There is one reference for each video" if references else "There are no references"
        return f"{there}, so the effect of more references is not known."
    if captions * subsets_scored(references) > MOST_SCORED:
        return (
            f"To score {captions:,} captions with every number of references takes long; "
            "manage.py correlate --robustness references does it."
        )
    return ""


def curve_rows(findings: Iterable[Finding]) -> list[Row]:
    """A row for each number of references and metric: the coefficients, means over sets of that
    many, and the lowest and highest r of them."""
    return [
        {
            "references": int(found.condition.split()[0]),
            "metric": found.metric,
            "n": found.n,
            "sets": found.repeats,
            **{
                name: None if math.isnan(value) else value
                for name in (*COEFFICIENTS, "low", "high")
                for value in [getattr(found, name)]
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


def _unreferenced(rows: Sequence[Row]) -> set[str]:
    """The metrics that have a value without any reference."""
    return {row["metric"] for row in rows if row["references"] == 0}


def curve_sentence(rows: Sequence[Row]) -> str:
    """What the best metric gains, from the first reference to the last, and what the best of those
    that need none reaches."""
    free = _unreferenced(rows)
    names = best_metrics(rows)
    gaining = [name for name in names if name not in free]
    said = [_gain(rows, gaining[0])] if gaining else ["No correlation is defined."]
    alone = [name for name in names if name in free]
    if alone:
        [r] = {row["pearson"] for row in rows if row["metric"] == alone[0]}
        said.append(f"Without any reference {alone[0]} reaches r = {number(r, 3)}.")
    return " ".join(said if gaining or not alone else said[1:])


def _gain(rows: Sequence[Row], best: str) -> str:
    found = {row["references"]: row["pearson"] for row in rows if row["metric"] == best}
    most = max(found)
    if most == 1:
        return f"{best} reaches r = {number(found[1], 3)} with the one reference available."
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


def drawn_metrics(rows: Sequence[Row]) -> list[str]:
    """The best, and the best of those that need no reference among them, wherever it stands."""
    names, free = best_metrics(rows), _unreferenced(rows)
    drawn = names[:DRAWN]
    alone = [name for name in names if name in free]
    return [*drawn[:-1], alone[0]] if alone and not free & set(drawn) else drawn


def curve_specs(rows: Sequence[Row], human: str) -> dict[str, Spec]:
    """A picture for each coefficient: lines of the best metrics, told apart by shape as well as by
    colour; dashed are those that need no reference."""
    names, free = drawn_metrics(rows), _unreferenced(rows)
    drawn = [
        row | {"looks": "no" if row["metric"] in free else "yes"}
        for row in rows
        if row["metric"] in names
    ]
    return {name: _curve(drawn, names, name, human) for name in COEFFICIENTS}


def _curve(rows: Sequence[Row], names: Sequence[str], coefficient: str, human: str) -> Spec:
    metric = {"field": "metric", "type": "nominal", "sort": names, "scale": {"domain": names}}
    metric |= {"legend": {"orient": "top", "title": None, "columns": 2}}  # fits a phone
    dash = {"domain": ["yes", "no"], "range": [[1, 0], [6, 4]]}
    x = {"field": "references", "type": "ordinal", "title": "Number of references"}
    title = COEFFICIENTS[coefficient]
    y = quantity(coefficient, f"{title} with people, {human}") | {"scale": {"zero": False}}
    point = {"type": "point", "size": 60, "filled": True, "opacity": 1}
    line: Spec = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {"strokeDash": {"field": "looks", "scale": dash, "legend": None}},
    }
    spec = plain_spec(f"{title} with people by number of references.", 240)
    return spec | {
        "data": {"values": rows},
        "encoding": {"x": x | {"axis": {"labelAngle": 0}}, "y": y, "color": metric},
        "layer": [line, {"mark": point, "encoding": {"shape": metric}}],
    }
