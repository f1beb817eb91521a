"""What the page about metrics and people shows, in JSON's own types: sentences and tables. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from analysis.exports import records
from analysis.meta import caption_tables, headings, sentences, tables
from analysis.meta.files import table
from analysis.meta.levels import LevelResult
from analysis.meta.pipeline import AgainstHuman, Evaluation
from analysis.meta.reference_curve import curve_rows, curve_sentence
from analysis.meta.report import asked, placebos
from analysis.meta.robustness.checks import Robustness
from analysis.meta.robustness.foils import CHECK as FOILS
from analysis.meta.robustness.referencing import NUMBERS, SETS
from analysis.meta.robustness.shuffling import CHECK as WORD_ORDER
from analysis.meta.tables import Row

Page = dict[str, Any]
DRIFT: Final = "quality drift"


def agreement_page(evaluation: Evaluation, robustness: Sequence[Robustness] = ()) -> Page:
    """Everything a page needs, so that showing it computes nothing."""
    checked = {one.human: _robustness(one) for one in robustness}
    return {
        "facts": sentences.facts_sentence(evaluation),
        "warnings": list(evaluation.warnings),
        "caution": sentences.filter_caution(evaluation.settings.placebo),
        "placebo": evaluation.settings.placebo,
        "factor": evaluation.settings.factor,
        "parts": {
            part.human: _part(part, evaluation.settings.alpha) | checked[part.human]
            for part in evaluation.parts
        },
    }


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
        "mix": sentences.fusion_sentence(part),
        "levels": {
            name: _records(tables.level_rows(part, level), tables.CORRELATIONS)
            for name, level in levels.items()
        },
        "tests": {name: _williams(part, level) for name, level in levels.items()},
        "filters": _records(_own_outliers(part), [*headings.FILTERS]),
        "fusion": _records(_weights(part), tables.FUSION),
    }


def _williams(part: AgainstHuman, level: LevelResult) -> Page:
    """p of the row's metric being no better than the column's; forty metrics make 1,560 of them."""
    rows = tables.comparison_rows(part, level)
    metrics = list(dict.fromkeys(row["better"] for row in rows))
    found = {(row["better"], row["worse"]): row["p"] for row in rows}
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
    own = [row | placebos(row) for row in rows if row["removed_for"] == "the metric"]
    return sorted(own, key=lambda row: order.index(row["metric"]))


def _weights(part: AgainstHuman) -> list[Row]:
    """Metrics of the mix, the weightiest first; how the mix itself did, a sentence says."""
    rows = [row for row in tables.part_fusion_rows(part) if "weight" in row]
    return sorted(rows, key=lambda row: -abs(row["weight"]))


def _robustness(checked: Robustness) -> Page:
    curve = curve_rows(checked.findings)
    others = (WORD_ORDER, SETS, FOILS)
    return {
        "checks": {name: rows for name in others if (rows := _conditions(checked, name))},
        "unchecked": list(checked.notes),
        "drift": _conditions(checked, DRIFT),
        "references": _conditions(checked, NUMBERS),
        "curve": curve,
        "gain": curve_sentence(curve) if curve else "",
    }


def _conditions(checked: Robustness, check: str) -> list[Row]:
    """A row for each condition, with a column for each metric."""
    found = [finding for finding in checked.findings if finding.check == check]
    names = dict.fromkeys(finding.metric for finding in found)
    return _records(tables.condition_rows(found), ["condition", "n", *names])


def _records(rows: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """JSON has no NaN: what is not defined is None."""
    return records(table(rows, columns))
