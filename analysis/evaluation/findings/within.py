"""Do metrics order captions of one video, or of one system, as people do?"""

from __future__ import annotations

from typing import Final

from analysis.evaluation import headings, tables
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.registry import EvaluationFinding
from analysis.presenting.document import Shown


def show(part: AgainstHuman, evaluation: Evaluation) -> Shown:
    return Shown(
        "Correlations within each video, over systems, and within each system, over videos.",
        tables.group_rows(part),
        headings.WITHIN,
        summary="Within videos and within systems: means over them",
    )


FINDINGS: Final = (EvaluationFinding("within", "Within videos and within systems", show, place=1),)
