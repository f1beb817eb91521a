"""What the page about metrics and people shows, in JSON's own types: sentences and tables. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from analysis.evaluation import caption_tables, headings, sentences, tables
from analysis.evaluation.files import FUSION, table
from analysis.evaluation.levels import LevelResult
from analysis.evaluation.naming import named, named_checks
from analysis.evaluation.pictures import pictures, reference_pictures, slug
from analysis.evaluation.pipeline import AgainstHuman
from analysis.evaluation.reference_curve import (
    curve_rows,
    curve_sentence,
    why_no_curve,
    word_metrics,
)
from analysis.evaluation.registry import shown_findings
from analysis.evaluation.report import asked, gained, placebos
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.robustness.foils import CHECK as FOILS
from analysis.evaluation.robustness.referencing import FIRST, NUMBERS, SETS
from analysis.evaluation.robustness.shuffling import CHECK as WORD_ORDER
from analysis.evaluation.storing import Evaluated
from analysis.evaluation.tables import Row
from analysis.presenting.exports import records

Page = dict[str, Any]
DRIFT: Final = "quality drift"


def evaluation_page(evaluated: Evaluated) -> Page:
    """What is the same for every column of human scores."""
    evaluation = evaluated.evaluation
    metrics = word_metrics([str(name) for name in evaluation.joined.metrics.columns])
    return {
        "facts": sentences.facts_sentence(evaluation),
        "warnings": list(evaluation.warnings),
        "caution": sentences.filter_caution(evaluation.settings.placebo),
        "placebo": evaluation.settings.placebo,
        "factor": evaluation.settings.factor,
        "no_curve": why_no_curve(metrics, len(evaluation.joined), evaluated.references),
    }


def human_page(evaluated: Evaluated, human: str) -> Page:
    """Metrics against one column of human scores."""
    evaluation, labels = named(evaluated.evaluation), evaluated.evaluation.joined.labels
    part = next(part for part in evaluation.parts if part.human == human)
    robustness = named_checks(evaluated.robustness, labels)
    checked = next(one for one in robustness if one.human == human)
    drawn = pictures(part, evaluation)
    shown = {finding.name: (finding, shown) for finding, shown in shown_findings(part, evaluation)}
    return (
        _part(part, evaluation.settings.alpha)
        | _robustness(checked)
        | {
            "labels": {
                name: labels.get(name, name) for name in metrics_best_first(evaluated, human)
            },
            "pictures": drawn,
            "systems": shown.pop("systems", None),
            "findings": shown.values(),
        }
    )


def metrics_best_first(evaluated: Evaluated, human: str) -> list[str]:
    """In the order of their correlation over captions."""
    part = next(part for part in evaluated.evaluation.parts if part.human == human)
    return [row["metric"] for row in tables.level_rows(part, part.caption)]


def _part(part: AgainstHuman, alpha: float) -> Page:
    verdict = asked(part, None)
    levels = {"captions": part.caption, "systems": part.system}
    return {
        "metrics": list(part.metrics),
        "lede": sentences.best_sentence(part),
        "answers": sentences.verdict_sentences(part, verdict, alpha) if verdict else [],
        "ceiling": sentences.ceiling_sentence(part),
        "has_ceiling": part.reliability is not None,
        "flipped": sentences.flipped_sentence(part),
        "alike": sentences.alike_sentence(part),
        "levels": {
            name: _records(tables.level_rows(part, level), tables.CORRELATIONS)
            for name, level in levels.items()
        },
        "tests": {name: _williams(part, level) for name, level in levels.items()},
        "mixes": [FUSION.format(slug(part.human))] if part.fusion else [],
        "filters": _records(_own_outliers(part), [*headings.FILTERS]),
    }


def _williams(part: AgainstHuman, level: LevelResult) -> Page:
    """Holm's p that the row's metric is no better than the column's: 1,560 of 40 metrics."""
    rows = tables.comparison_rows(part, level)
    metrics = list(dict.fromkeys(row["better"] for row in rows))
    found = {(row["better"], row["worse"]): row["p_holm"] for row in rows}
    p = [[found.get((one, other), math.nan) for other in metrics] for one in metrics]
    return {
        "n": rows[0]["n"] if rows else 0,
        "metrics": metrics,
        "p": [[None if math.isnan(value) else value for value in row] for row in p],
    }


def _own_outliers(part: AgainstHuman) -> list[Row]:
    """Before and after for each metric, in the order of the correlations."""
    order = [row["metric"] for row in tables.level_rows(part, part.caption)]
    rows = caption_tables.part_filter_rows(part)
    own = [row | placebos(row) | gained(row) for row in rows if row["removed_for"] == "the metric"]
    return sorted(own, key=lambda row: order.index(row["metric"]))


def _robustness(checked: Robustness) -> Page:
    curve = curve_rows(checked.findings)
    others = (WORD_ORDER, FIRST, SETS, FOILS)
    return {
        "checks": {name: rows for name in others if (rows := _conditions(checked, name))},
        "unchecked": list(checked.notes),
        "drift": _conditions(checked, DRIFT),
        "references": _conditions(checked, NUMBERS),
        "curve": curve,
        "gain": curve_sentence(curve) if curve else "",
        "curve_pictures": reference_pictures(checked),
    }


def _conditions(checked: Robustness, check: str) -> list[Row]:
    """A row for each condition, with a column for each metric."""
    found = [finding for finding in checked.findings if finding.check == check]
    names = dict.fromkeys(finding.metric for finding in found)
    return _records(tables.condition_rows(found), ["condition", "n", *names])


def _records(rows: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """JSON has no NaN: what is not defined is None."""
    return records(table(rows, columns))
