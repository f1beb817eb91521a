"""A mix of metrics as a metric of its own: fitted, tried on unseen captions, saved, applied."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.meta.levels import Rows
from analysis.meta.scores import Floats, ScoreTable
from analysis.meta.settings import Settings
from analysis.stats.correlation import pearson
from analysis.stats.fusion import (
    CrossValidation,
    Fusion,
    WeightIntervals,
    cross_validate,
    distinct_metrics,
    fit_fusion,
    holdout,
    leave_one_group_out,
    weight_intervals,
)
from analysis.stats.ranking import SAME

FORMAT: Final = "fusion-1"
NAME: Final = "fusion"


@dataclass(frozen=True, slots=True, eq=False)
class FusedMetric:
    """A fusion with the names it needs: all there is to know to apply it to other captions."""

    metrics: tuple[str, ...]
    fusion: Fusion
    human: str
    captions: int
    signature: str
    name: str = NAME

    @property
    def mixed_signature(self) -> str:
        """One line for wherever its scores go: what was mixed, and of which evaluation."""
        origin = hashlib.sha256(self.signature.encode()).hexdigest()[:8]
        return f"{self.name}|of:{','.join(self.metrics)}|human:{self.human}|from:{origin}"

    def score(self, values: Mapping[str, Floats]) -> Floats:
        """One value per caption from the metrics by name; one that is missing is refused."""
        missing = [name for name in self.metrics if name not in values]
        if missing:
            raise ValueError(f"{self.name} needs the metric {missing[0]!r}, which is not there")
        return self.fusion.predict(np.column_stack([values[name] for name in self.metrics]))

    def add_to(self, table: ScoreTable) -> ScoreTable:
        if self.name in table.names:
            raise ValueError(f"there is a metric {self.name!r} among the scores already")
        values = {name: np.asarray(table.frame[name], np.float64) for name in table.names}
        return table.with_columns({self.name: self.score(values)})


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
    return leave_one_group_out(group)


def write_fusion(metric: FusedMetric) -> bytes:
    content = {"format": FORMAT, **asdict(metric)}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def read_fusion(path: Path) -> FusedMetric:
    """A fusion that was saved; what is not one is refused."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return _fused(content)
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path.name}: this is no saved fusion of metrics ({error})") from error


def _fused(content: dict[str, Any]) -> FusedMetric:
    if content.pop("format", None) != FORMAT:
        raise KeyError(f"format is not {FORMAT!r}")
    saved: dict[str, Any] = content.pop("fusion")
    for name in ("mean", "sd", "weight"):
        saved[name] = tuple(saved[name])
    fusion = Fusion(**saved)
    return FusedMetric(**content | {"metrics": tuple(content["metrics"])}, fusion=fusion)
