"""Score a batch with many metrics: what can be computed is, and what cannot is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from analysis.metrics.batch import Batch, Rows, Values
from analysis.metrics.registry import Family, MetricUnavailable, Need, families_of
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import signature
from analysis.metrics.workbench import Workbench


@dataclass(frozen=True)
class Fault:
    """Something that could not be scored, and why; without a video it concerns all of them."""

    message: str
    video: str = ""
    metrics: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"video {self.video}: " if self.video else ""
        whom = f" ({', '.join(self.metrics)})" if self.metrics else ""
        return f"{where}{self.message}{whom}"


@dataclass
class Scores:
    """One value per caption and metric, NaN where there is none, and how they came about."""

    values: dict[str, Values] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def score(batch: Batch, metrics: Sequence[str], settings: Settings, bench: Workbench) -> Scores:
    """Every metric for every caption.

    A metric that is not installed, a video without references or without readable frames costs
    the values that depend on it and adds one fault; everything else is scored.
    """
    scores = Scores()
    referenced = _Part(batch, batch.rows_with_references())
    wanted = families_of(metrics)
    _report_missing_references(wanted, referenced, scores)
    for family, names in wanted.items():
        part = referenced if Need.REFERENCES in family.needs else _Part(batch)
        try:
            found = family.score(part.batch, settings, bench) if len(part.batch) else {}
        except MetricUnavailable as unavailable:
            found = {}
            scores.faults.append(Fault(str(unavailable), metrics=tuple(names)))
        for name in names:
            scores.values[name] = part.spread(found.get(name))
            scores.signatures[name] = signature(name, family, batch, settings, bench)
    return scores


class _Part:
    """Some rows of a batch, and the way back to all of them."""

    def __init__(self, whole: Batch, rows: Rows | None = None) -> None:
        self._size = len(whole)
        everything = rows is None or len(rows) == len(whole)
        self.rows = np.arange(len(whole)) if rows is None else rows
        self.batch = whole if everything else whole.take(self.rows)
        self.missing = sorted(set(whole.videos) - set(self.batch.videos))

    def spread(self, values: Values | None) -> Values:
        everywhere = np.full(self._size, np.nan)
        if values is not None:
            everywhere[self.rows] = values
        return everywhere


def _report_missing_references(
    wanted: dict[Family, list[str]], referenced: _Part, scores: Scores
) -> None:
    names = tuple(
        name
        for family, names in wanted.items()
        if Need.REFERENCES in family.needs
        for name in names
    )
    if names:
        scores.faults += [
            Fault("it has no reference", video, names) for video in referenced.missing
        ]
