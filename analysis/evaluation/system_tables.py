"""Systems as people and as metrics see them: means, scaled means, ranks, and who disagrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.evaluation.levels import Rows
from analysis.evaluation.pipeline import Evaluation
from analysis.stats.correlation import Floats, system_means

SYSTEMS: Final = (
    "human", "system", "captions", "human_mean", "human_scaled", "human_rank",
    "metric", "metric_mean", "metric_scaled", "metric_rank", "disagrees",
)  # fmt: skip
LIKERT: Final = (1.0, 5.0)
"""A scale whose range is known: (x − 1) / 4."""
SLIDER: Final = (0.0, 100.0)
"""That of raw scores."""
RAW: Final = "raw"
MEANS_OF_LEVELS: Final = 840
"""Times a mean of two to eight whole levels is whole."""


def systems_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """For every column of human scores."""
    return [
        row for part in evaluation.parts for row in system_rows(part.human, part.metrics, part.rows)
    ]


def system_rows(human: str, metrics: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
    """One row per system and metric, systems as people rank them.

    Scaled to 0–1 as emscore-2022 (Table 5) and factvc-2023 (Table 8) do: people by the range of
    their scale, metrics by their lowest and highest caption. Ranks count from 1, the best; equal
    means share the middle rank. A rank that is not people's disagrees.
    """
    count = len(rows.systems)
    people, found = system_means(rows.human, rows.metrics, rows.system, count)
    means = people[:, 0]
    captions = np.bincount(rows.system, minlength=count)
    human_rank, scaled = _ranks(means), _scaled(means, known_range(human, rows.human))
    made = []
    for at, metric in enumerate(metrics):
        values = found[:, at]
        own, own_rank = _scaled(values, _ends(rows.metrics[:, at])), _ranks(values)
        made += [
            {
                "human": human,
                "system": rows.systems[system],
                "captions": int(captions[system]),
                "human_mean": float(means[system]),
                "human_scaled": float(scaled[system]),
                "human_rank": float(human_rank[system]),
                "metric": metric,
                "metric_mean": float(values[system]),
                "metric_scaled": float(own[system]),
                "metric_rank": float(own_rank[system]),
                "disagrees": "yes" if own_rank[system] != human_rank[system] else "no",
            }
            for system in np.argsort(human_rank, kind="stable").tolist()
        ]
    return made


def _ranks(means: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(-means.round(10), nan_policy="omit"))


def _ends(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def known_range(human: str, values: Floats) -> tuple[float, float]:
    """The ends of people's scale: of 1–5 where all are means of up to eight such ratings, of 0–100
    where scores are raw; otherwise the lowest and the highest caption.

    >>> known_range("mean", np.array([2.25, 3.2])), known_range("raw", np.array([12.0, 81.5]))
    ((1.0, 5.0), (0.0, 100.0))
    """
    low, high = _ends(values)
    parts = values * MEANS_OF_LEVELS
    if low >= LIKERT[0] and high <= LIKERT[1] and np.isclose(parts, parts.round()).all():
        return LIKERT
    return SLIDER if human == RAW and low >= SLIDER[0] and high <= SLIDER[1] else (low, high)


def _scaled(values: Floats, ends: tuple[float, float]) -> Floats:
    """
    >>> _scaled(np.array([1.0, 3.0, 5.0]), (1.0, 5.0)).tolist()
    [0.0, 0.5, 1.0]
    """
    low, high = ends
    return (values - low) / (high - low) if high > low else np.full(len(values), np.nan)
