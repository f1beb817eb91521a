"""Do metrics order captions of one video, or of one system, as people do?"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.evaluation import headings, tables
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.registry import EvaluationFinding
from analysis.presenting.document import Shown
from analysis.presenting.sentences import listed, number


def show(part: AgainstHuman, evaluation: Evaluation) -> Shown:
    said = "Correlations within each video, over systems, and within each system, over videos."
    return Shown(
        f"{said} {best_within(part, evaluation.settings.alpha)}".rstrip(),
        [row | _behind(part, row) for row in tables.group_rows(part)],
        headings.WITHIN,
        summary="Within videos and within systems: means over them",
    )


def best_within(part: AgainstHuman, alpha: float) -> str:
    """Which metric has the highest mean τ-b within videos, and which may be as good."""
    found, best = part.by_video_test, _best(part)
    if found is None or best is None:
        return ""
    name, p = part.metrics[best], found.p_holm[best]
    tau = number(abs(float(part.by_video.means().kendall_b[best])), 3)
    said = f"Within videos {name} has the highest mean τ-b, {tau}"
    others = [
        other for at, other in enumerate(part.metrics)
        if at != best and not np.isnan(p[at]) and p[at] >= alpha
    ]  # fmt: skip
    if not others:
        return f"{said}, significantly more than every other metric (permutation test, Holm)."
    return f"{said}; not significantly more than {listed(others)} (permutation test, Holm)."


def _best(part: AgainstHuman) -> int | None:
    tau = np.abs(part.by_video.means().kendall_b)
    return None if np.isnan(tau).all() else int(np.nanargmax(tau))


def _behind(part: AgainstHuman, row: tables.Row) -> tables.Row:
    """p that the best metric within videos is no better than this one, Holm-adjusted."""
    found, best = part.by_video_test, _best(part)
    if found is None or best is None or row["level"] != "per_video":
        return {"p_behind": float("nan")}
    return {"p_behind": float(found.p_holm[best, part.metrics.index(row["metric"])])}


FINDINGS: Final = (EvaluationFinding("within", "Within videos and within systems", show, place=1),)
