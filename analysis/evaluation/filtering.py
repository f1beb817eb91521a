"""Cook's-distance filter (vision-language-2022 §2.5): which captions spoil the picture, and what
removing them does beside what removing as many at random does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.evaluation.levels import Rows
from analysis.evaluation.settings import Settings
from analysis.stats.correlation import COEFFICIENTS, Coefficients, Correlations
from analysis.stats.outliers import Outliers, Placebo, Variant, find_outliers, placebo, without

VARIANTS: Final[tuple[Variant, ...]] = ("linear", "rank")


@dataclass(frozen=True, slots=True, eq=False)
class Filtered:
    """One variant of the filter, for every metric by itself and for the union over metrics."""

    outliers: Outliers
    after: Correlations
    """Each metric without its own outliers."""
    after_union: Correlations
    """Every metric without the outliers of any."""
    low: Coefficients
    high: Coefficients
    """Between which 95 % of the placebos lie: each metric without as many captions at random."""

    @property
    def variant(self) -> Variant:
        return self.outliers.variant


def filter_captions(rows: Rows, settings: Settings) -> tuple[Filtered, ...]:
    """Both variants, linear and rank."""
    return tuple(_filtered(rows, variant, settings) for variant in VARIANTS)


def _filtered(rows: Rows, variant: Variant, settings: Settings) -> Filtered:
    found = find_outliers(
        rows.human,
        rows.metrics,
        variant=variant,
        direction=settings.direction,
        factor=settings.factor,
    )
    low, high = _placebo(rows, found, settings)
    return Filtered(
        outliers=found,
        after=without(rows.human, rows.metrics, found.removed),
        after_union=without(rows.human, rows.metrics, found.union()),
        low=low,
        high=high,
    )


def _placebo(rows: Rows, found: Outliers, settings: Settings) -> tuple[Coefficients, Coefficients]:
    if not settings.placebo:
        nothing = [np.full(rows.metrics.shape[1], np.nan)] * len(COEFFICIENTS)
        return Coefficients(*nothing), Coefficients(*nothing)
    rng = np.random.default_rng([settings.seed, 3, VARIANTS.index(found.variant)])
    drawn = placebo(rows.human, rows.metrics, found.removed, rng=rng, draws=settings.placebo)
    return _quantile(drawn, 0.025), _quantile(drawn, 0.975)


def _quantile(drawn: Placebo, share: float) -> Coefficients:
    """A quantile over the draws, NaN for a metric that has no coefficient."""
    return Coefficients(*(np.quantile(drawn.of(name), share, axis=0) for name in COEFFICIENTS))
