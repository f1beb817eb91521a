"""Statistics of metrics against people: the ``FINDINGS`` of `analysis.evaluation.findings`.

The whole evaluation is stored (`analysis.evaluation.storing`); page and report show what each
finding makes of it. To add a statistic, add a file there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import analysis.evaluation.findings
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.tables import Row
from analysis.presenting.document import Shown


@dataclass(frozen=True, eq=False)
class EvaluationFinding:
    """One statistic.

    Parameters
    ----------
    name : of its place on a page, and of its table among the files and in report.json
    title : its heading
    show : in words, tables and charts, for one column of human scores
    rows : all of it as rows, for files and report.json; none without it
    columns : of these rows, in order
    place : the lower, the earlier it stands
    """

    name: str
    title: str
    show: Callable[[AgainstHuman, Evaluation], Shown]
    rows: Callable[[Evaluation], list[Row]] | None = None
    columns: Sequence[str] = ()
    place: int = 100


def shown_findings(
    part: AgainstHuman, evaluation: Evaluation
) -> list[tuple[EvaluationFinding, Shown]]:
    """Every finding that has something to say about a column of human scores."""
    every = ((finding, finding.show(part, evaluation)) for finding in evaluation_findings())
    return [(finding, shown) for finding, shown in every if shown.sentence]


@cache
def evaluation_findings() -> tuple[EvaluationFinding, ...]:
    """Every finding, in the order it is shown."""
    package = analysis.evaluation.findings
    found: list[EvaluationFinding] = []
    for module in pkgutil.iter_modules(package.__path__):
        found.extend(importlib.import_module(f"{package.__name__}.{module.name}").FINDINGS)
    return tuple(sorted(found, key=lambda each: each.place))
