"""Does a mix of metrics do better than each of them?"""

from __future__ import annotations

from typing import Final

from analysis.evaluation import headings, tables
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.registry import EvaluationFinding
from analysis.evaluation.sentences import fusion_sentence
from analysis.presenting.document import Shown


def show(part: AgainstHuman, evaluation: Evaluation) -> Shown:
    """The weightiest metrics first; how the mix itself did, the sentence says."""
    rows = [row for row in tables.part_fusion_rows(part) if "weight" in row]
    rows = sorted(rows, key=lambda row: -abs(row["weight"]))
    return Shown(fusion_sentence(part, evaluation.settings.alpha), rows, headings.FUSION)


FINDINGS: Final = (EvaluationFinding("fusion", "A mix of metrics", show, place=2),)
