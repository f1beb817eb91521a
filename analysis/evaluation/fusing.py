"""A mix of metrics as a metric of its own: fitted, and tried on unseen captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.levels import Rows
from analysis.evaluation.settings import Settings
from analysis.stats.correlation import pearson
from analysis.stats.fusion import (
    CrossValidation,
    Fusion,
    WeightIntervals,
    cross_validate,
    distinct_metrics,
    fit_fusion,
    group_folds,
    holdout,
    leave_one_group_out,
    weight_intervals,
)
from analysis.stats.ranking import SAME


@dataclass(frozen=True, slots=True, eq=False)
class FusionResult:
    """The fusion of all captions, its weights' intervals, and how it did on unseen captions."""

    metrics: tuple[int, ...]
    """Those mixed, by number."""
    left_out: tuple[int, ...]
    """Those that vary, yet say nothing which the mixed ones do not say together."""
    fusion: Fusion
    intervals: WeightIntervals
    validation: CrossValidation


def fuse(rows: Rows, settings: Settings) -> FusionResult | None:
    """Regress human scores on the metrics (bertha-2022 §5.2.3). None with too few of anything."""
    varying = np.flatnonzero(np.ptp(rows.metrics, axis=0) > 0)
    if len(varying) < 2 or np.ptp(rows.human) == 0:
        return None
    mixed = distinct_metrics(rows.metrics, _best_first(rows, varying))
    metrics = rows.metrics[:, mixed]
    rng = np.random.default_rng([settings.seed, 4])
    folds = _folds(rows, settings, rng)
    fewest = max(len(mixed) + 2, 5)
    enough = len(rows) - max((np.count_nonzero(fold) for fold in folds), default=len(rows))
    if len(mixed) < 2 or enough < fewest:
        return None
    return FusionResult(
        metrics=tuple(mixed),
        left_out=tuple(at for at in varying.tolist() if at not in mixed),
        fusion=fit_fusion(rows.human, metrics, ridge=settings.ridge),
        intervals=weight_intervals(
            rows.human,
            metrics,
            rows.video,
            rng=rng,
            ridge=settings.ridge,
            draws=settings.draws,
            confidence=settings.confidence,
        ),
        validation=cross_validate(rows.human, metrics, folds, ridge=settings.ridge),
    )


def _best_first(rows: Rows, varying: NDArray[np.intp]) -> list[int]:
    """By r with people: of metrics that say the same, the best represents the others."""
    r = np.array([pearson(rows.human, rows.metrics[:, at]) for at in varying])
    return [int(at) for at in varying[np.argsort(-np.abs(r).round(SAME), kind="stable")]]


def _folds(rows: Rows, settings: Settings, rng: np.random.Generator) -> Sequence[NDArray[np.bool_]]:
    group = rows.system if settings.split == "systems" else rows.video
    if len(np.unique(group)) < 2:
        return []
    if settings.split == "holdout":
        return holdout(group, rng=rng)
    if settings.split == "folds":
        return group_folds(group, rng=rng)
    return leave_one_group_out(group)
