"""Do metrics that score single words find the words that people marked as wrong?"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Final

from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.registry import EvaluationFinding
from analysis.evaluation.tables import Row
from analysis.presenting.document import Shown
from analysis.presenting.sentences import number
from analysis.stats.detection import Detection

HEADINGS: Final = {
    "metric": "Metric",
    "auc": "AUC",
    "auc_low": "from",
    "auc_high": "to",
    "f1": "F1",
    "f1_low": "from",
    "f1_high": "to",
    "f1_all": "F1 of every word",
    "words": "Words",
    "wrong": "Marked",
    "videos": "Videos",
}
CHANCE: Final = 0.5


def word_rows(evaluation: Evaluation) -> list[Row]:
    """A row for each metric, the best first."""
    rows = [{"metric": each.metric} | asdict(each.found) for each in evaluation.words]
    return sorted(rows, key=lambda row: (math.isnan(row["auc"]), -row["auc"]))


def show(part: AgainstHuman, evaluation: Evaluation) -> Shown:
    """The same below every column of human scores: words are judged by themselves."""
    rows = word_rows(evaluation)
    if not rows:
        return Shown()
    best = next(each for each in evaluation.words if each.metric == rows[0]["metric"])
    return Shown(words_sentence(best.metric, best.found), rows, HEADINGS)


def words_sentence(metric: str, found: Detection) -> str:
    if math.isnan(found.auc):
        rest = "none of them" if not found.wrong else "all of them"
        return (
            f"People read {found.words:,} words and marked {rest}: there is nothing to distinguish."
        )
    told = (
        f"A word that people left unmarked scores higher than one they marked in "
        f"{100 * found.auc:.0f} % of pairs (AUC {number(found.auc, 3)}, interval "
        f"[{number(found.auc_low)}, {number(found.auc_high)}]) by {metric}, the best metric that "
        "scores single words; by chance it would be 50 %."
    )
    if found.auc_low <= CHANCE <= found.auc_high:
        told += " The interval includes 50 %, so chance is not ruled out."
    if math.isnan(found.f1):
        return told + " F1 needs two videos."
    return told + (
        f" Words below a threshold that other videos chose are the marked ones with "
        f"F1 = {number(found.f1, 3)}; calling every word wrong would give "
        f"{number(found.f1_all, 3)}."
    )


FINDINGS: Final = (
    EvaluationFinding("words", "Words that people marked", show, word_rows, [*HEADINGS], place=3),
)
