"""Odd captions as rows: which they are, what removing them does, what rests on them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.filtering import Filtered
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.tables import Row
from analysis.evaluation.verdicts import Verdict
from analysis.stats.correlation import COEFFICIENTS, Correlations

MOST: Final = 50
"""Captions listed of those a difference rests on."""
OUTLIERS: Final = (
    "human", "metric", "variant", "direction", "video", "system", "human_score", "metric_score",
    "distance", "threshold", "caption",
)  # fmt: skip
FILTERS: Final = (
    "human", "metric", "variant", "direction", "removed_for", "n", "removed", "removed_percent",
    *(f"{name}_{when}" for name in COEFFICIENTS for when in ("before", "after")),
    *(f"{name}_placebo_{end}" for name in COEFFICIENTS for end in ("low", "high")),
)  # fmt: skip
VERDICTS: Final = (
    "human", "better", "worse", "n", "r_better", "r_worse", "p", "p_holm", "permutation_p",
    "removed", "r_better_after", "r_worse_after", "p_after", "captions_to_doubt",
    "captions_to_reverse",
)  # fmt: skip


def outlier_rows(evaluation: Evaluation) -> list[Row]:
    """Every caption that a filter removes for a metric, the strangest first."""
    return [
        row
        for part in evaluation.parts
        for filtered in part.filters
        for at in range(len(part.metrics))
        for row in metric_outliers(evaluation, part, filtered, at)
    ]


def metric_outliers(
    evaluation: Evaluation, part: AgainstHuman, filtered: Filtered, at: int
) -> list[Row]:
    found = filtered.outliers
    removed = np.flatnonzero(found.removed[:, at])
    removed = removed[np.argsort(-found.distance[removed, at], kind="stable")]
    captions = _captions(evaluation, part, removed)
    return [
        {
            "human": part.human,
            "metric": part.metrics[at],
            "variant": found.variant,
            "direction": found.direction,
            **caption,
            "metric_score": float(part.rows.metrics[row, at]),
            "distance": float(found.distance[row, at]),
            "threshold": float(found.threshold[at]),
        }
        for row, caption in zip(removed.tolist(), captions, strict=True)
    ]


def strongest_captions(evaluation: Evaluation, part: AgainstHuman, verdict: Verdict) -> list[Row]:
    """The captions a difference rests on: those that have to go before it is in doubt, or the first
    of them."""
    rows = verdict.reliance.strongest[: min(verdict.reliance.to_doubt or MOST, MOST)]
    scores = part.rows.metrics[rows][:, [verdict.better, verdict.worse]].tolist()
    return [
        {**caption, "better_score": better, "worse_score": worse}
        for caption, (better, worse) in zip(_captions(evaluation, part, rows), scores, strict=True)
    ]


def _captions(evaluation: Evaluation, part: AgainstHuman, rows: NDArray[np.intp]) -> list[Row]:
    """Which captions these are, and what people gave them."""
    places = np.flatnonzero(part.used)[rows]
    joined = evaluation.joined
    keys = joined.human.index[places]
    texts = [""] * len(keys) if joined.texts is None else joined.texts.iloc[places].tolist()
    scores = part.rows.human[rows].tolist()
    return [
        {"video": str(video), "system": str(system), "human_score": score, "caption": text}
        for (video, system), score, text in zip(keys, scores, texts, strict=True)
    ]


def filter_rows(evaluation: Evaluation) -> list[Row]:
    """Coefficients before and after, for a metric's own outliers and for the union over metrics;
    the placebo stands beside the former."""
    return [row for part in evaluation.parts for row in part_filter_rows(part)]


def part_filter_rows(part: AgainstHuman) -> list[Row]:
    rows = []
    for filtered in part.filters:
        found = filtered.outliers
        own, union = found.removed.sum(axis=0).tolist(), int(found.union().sum())
        how = {"human": part.human, "variant": found.variant, "direction": found.direction}
        for at, metric in enumerate(part.metrics):
            row = {**how, "metric": metric}
            placebo = {
                f"{name}_placebo_{end}": float(values.of(name)[at])
                for name in COEFFICIENTS
                for end, values in (("low", filtered.low), ("high", filtered.high))
            }
            mine = _before_after(part, filtered.after, at, own[at])
            everyone = _before_after(part, filtered.after_union, at, union)
            rows.append({**row, "removed_for": "the metric", **mine, **placebo})
            rows.append({**row, "removed_for": "any metric", **everyone})
    return rows


def _before_after(part: AgainstHuman, after: Correlations, at: int, removed: int) -> Row:
    row: Row = {"n": len(part.rows), "removed": removed}
    row["removed_percent"] = 100 * removed / len(part.rows)
    for name in COEFFICIENTS:
        row[f"{name}_before"] = float(part.caption.correlations.of(name)[at])
        row[f"{name}_after"] = float(after.of(name)[at])
    return row


def verdict_rows(evaluation: Evaluation) -> list[Row]:
    """Is the one better than the other, and what does that rest on?"""
    return [row for part in evaluation.parts for row in part_verdict_rows(part)]


def part_verdict_rows(part: AgainstHuman) -> list[Row]:
    if part.caption.comparisons is None:
        return []
    r = part.caption.comparisons.williams.r
    return [
        {
            "human": part.human,
            "better": part.metrics[found.better],
            "worse": part.metrics[found.worse],
            "n": len(part.rows),
            "r_better": float(r[found.better]),
            "r_worse": float(r[found.worse]),
            "p": found.p,
            "p_holm": found.p_holm,
            "permutation_p": found.p_permutation,
            "removed": found.removed,
            "r_better_after": found.r_after[0],
            "r_worse_after": found.r_after[1],
            "p_after": found.p_after,
            "captions_to_doubt": _count(found.reliance.to_doubt),
            "captions_to_reverse": _count(found.reliance.to_reverse),
        }
        for found in part.verdicts
    ]


def _count(value: int | None) -> float:
    return math.nan if value is None else float(value)
