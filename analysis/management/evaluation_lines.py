"""Metrics against people in columns, for the person at the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analysis.evaluation.pipeline import Evaluation
from analysis.evaluation.set_files import asked_sentence, best_sentence, columns_of, ordered
from analysis.evaluation.sets import SetEvaluation
from analysis.evaluation.tables import checked_tables, level_rows
from analysis.presenting.sentences import UNDEFINED, number

LONGEST_NAME = 32
WIDTH = 14


def correlation_lines(evaluation: Evaluation, human: str) -> Iterator[str]:
    """Correlations with one column of human scores, in columns."""
    part = next(part for part in evaluation.parts if part.human == human)
    systems = {row["metric"]: row for row in level_rows(part, part.system)}
    yield _line("", "r captions", "interval", "τ-b", "r systems")
    for row in level_rows(part, part.caption):
        low, high = row["pearson_low"], row["pearson_high"]
        yield _line(
            row["metric"],
            number(row["pearson"], 3),
            UNDEFINED if math.isnan(low) else f"[{number(low)}, {number(high)}]",
            number(row["kendall_b"], 3),
            number(systems[row["metric"]]["pearson"], 3),
        )


def set_lines(found: SetEvaluation, compare: tuple[str, str] | None = None) -> Iterator[str]:
    """r of each metric on each set, in columns, for each level and column of human scores."""
    for level in found.levels:
        yield best_sentence(found, level)
        if compare:
            yield asked_sentence(found, level, compare)
        columns = columns_of(level)
        yield _line("", *columns)
        for metric, values in ordered(found, level):
            yield _line(metric, *(number(value, 3) for value in values))
    for title, sets, rows in checked_tables(found.robustness):
        yield f"Robustness: {title}"
        yield _line("", *sets)
        for row in rows:
            yield _line(row["metric"], *(number(row.get(name, math.nan), 3) for name in sets))


def _line(name: str, *cells: str) -> str:
    columns = (f"{cell:>{WIDTH}}" for cell in cells)
    return f"  {name[:LONGEST_NAME]:<{LONGEST_NAME}}  {'  '.join(columns)}"
