"""Does a metric agree with people? Correlations of many metrics with human scores (PROTOCOL §7).

Human scores are one value per caption (or one column per metric), metrics a table of captions ×
metrics. Whatever is not finite counts as missing: a metric is correlated over the captions where
both sides are there, and says over how many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Coefficient = Literal["pearson", "spearman", "kendall_b", "kendall_c"]
COEFFICIENTS: Final[tuple[Coefficient, ...]] = ("pearson", "spearman", "kendall_b", "kendall_c")


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """The four coefficients, each an array of one shape whose last axis is the metric."""

    pearson: Floats
    spearman: Floats
    kendall_b: Floats
    kendall_c: Floats

    def of(self, coefficient: Coefficient) -> Floats:
        """The array of the coefficient named."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Correlations(Coefficients):
    """One value per metric, NaN where not defined, and then `reason` says why ("" elsewhere)."""

    n: NDArray[np.int64]
    reason: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class GroupCorrelations(Coefficients):
    """Groups (videos, systems) × metrics; NaN for a group in which it is not defined."""

    n: NDArray[np.int64]

    def means(self) -> Correlations:
        """Mean of each coefficient over the groups in which it is defined; `n` counts those."""
        raise NotImplementedError


def correlations(human: Floats, metrics: Floats) -> Correlations:
    """Pearson's r, Spearman's ρ, Kendall's τ-b and τ-c of each metric with the human scores.

    Parameters
    ----------
    human
        One score per caption; or a column per metric (system level with gaps, `system_means`).
    metrics
        Captions × metrics.
    """
    raise NotImplementedError


def correlations_by_group(
    human: Floats, metrics: Floats, group: NDArray[np.integer], groups: int
) -> GroupCorrelations:
    """The same within each group (0 … groups − 1), all groups at once: per video, per system."""
    raise NotImplementedError


def system_means(
    human: Floats, metrics: Floats, system: NDArray[np.integer], systems: int
) -> tuple[Floats, Floats]:
    """Mean human and metric score of each system (systems × metrics, both), for `correlations`.

    Both means are over the captions that have a human score and a score by that metric, so that
    the two sides speak of the same captions. NaN for a system without any.
    """
    raise NotImplementedError


def complete_rows(human: Floats, metrics: Floats) -> NDArray[np.bool_]:
    """Captions with a human score and a score by every metric: what metrics are compared on."""
    raise NotImplementedError
