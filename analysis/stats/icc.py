"""Intraclass correlations: the share of rating variance that belongs to the caption.

All six forms of Shrout & Fleiss (1979). Forms 1 know captions only; forms 2 take annotators as a
random sample (agreement: being harsh is disagreement), forms 3 as fixed (consistency: it is not).
Forms k are for the mean of a caption's ratings instead of one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, fdtri

from analysis.stats.agreement import AnnotatorValues

FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")
SINGULAR = 1e10  # condition number from which the components cannot be told apart


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """One form, the F test of H0 "captions do not differ" and a confidence interval.

    Test and interval exist only where every annotator rated every caption.
    """

    form: str
    icc: float
    f: float = np.nan
    df1: float = np.nan
    df2: float = np.nan
    p: float = np.nan
    low: float = np.nan
    high: float = np.nan


@dataclass(frozen=True, slots=True)
class _Table:
    """An annotators × captions table with empty cells: its counts and centred sums of squares."""

    per_unit: NDArray[np.float64]
    per_annotator: NDArray[np.float64]
    total: float
    between_units: float
    between_annotators: float

    @property
    def n(self) -> float:
        return float(self.per_unit.sum())

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.per_unit), len(self.per_annotator)


def intraclass_correlations(
    shared: AnnotatorValues, *, confidence: float = 0.95
) -> tuple[IntraclassCorrelation, ...]:
    """The six coefficients, in the order of `FORMS`. O(N log N).

    They are ratios of variance components, and these come from sums of squares: the analysis of
    variance where every annotator rated every caption, Henderson's method 1 where not (1953;
    Searle, Casella & McCulloch 1992, §5.3), unbiased whoever rated what. Under balance both are
    the formulas of Shrout & Fleiss. The k of the averaged forms is the harmonic mean of ratings per
    caption. Coefficients may be negative. NaN: no variance, or too little overlap to tell the
    components apart.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    if len(shared) == 0 or shared.value.min() == shared.value.max():
        return tuple(IntraclassCorrelation(form, np.nan) for form in FORMS)
    table = _table(shared)
    coefficients = _coefficients(table)
    units, annotators = table.shape
    if units == 1 or table.n < units * annotators:
        return tuple(map(IntraclassCorrelation, FORMS, coefficients))
    return _with_tests(table, coefficients, 1 - (1 - confidence) / 2)


def _table(shared: AnnotatorValues) -> _Table:
    _, unit, per_unit = np.unique(shared.unit, return_inverse=True, return_counts=True)
    _, annotator, per_annotator = np.unique(
        shared.annotator, return_inverse=True, return_counts=True
    )
    centred = shared.value - shared.value.mean()
    return _Table(
        per_unit=per_unit.astype(float),
        per_annotator=per_annotator.astype(float),
        total=float(centred @ centred),
        between_units=float(np.sum(np.bincount(unit, centred) ** 2 / per_unit)),
        between_annotators=float(np.sum(np.bincount(annotator, centred) ** 2 / per_annotator)),
    )


def _coefficients(table: _Table) -> list[float]:
    k = len(table.per_unit) / np.sum(1 / table.per_unit)
    unit, rest = _one_way(table)
    caption, annotator, residual = _two_way(table)
    noise = [(unit, rest), (caption, annotator + residual), (caption, residual)]
    return [_ratio(v, e) for v, e in noise] + [_ratio(v, e / k) for v, e in noise]


def _ratio(signal: float, noise: float) -> float:
    return signal / (signal + noise) if signal + noise > 0 else np.nan


def _one_way(table: _Table) -> tuple[float, float]:
    """Variance between captions, and of everything else."""
    units = len(table.per_unit)
    if units == 1:
        return np.nan, np.nan
    within = (table.total - table.between_units) / (table.n - units)
    size = (table.n - np.sum(table.per_unit**2) / table.n) / (units - 1)
    return (table.between_units / (units - 1) - within) / size, within


def _two_way(table: _Table) -> tuple[float, float, float]:
    """Variance of captions, of annotators and residual: sums of squares equal expectations."""
    n, (units, annotators) = table.n, table.shape
    mean_unit = np.sum(table.per_unit**2) / n
    mean_annotator = np.sum(table.per_annotator**2) / n
    expectations = np.array(
        [
            [n - mean_unit, n - mean_annotator, n - 1],
            [n - mean_unit, units - mean_annotator, units - 1],
            [annotators - mean_unit, n - mean_annotator, annotators - 1],
        ]
    )
    if np.linalg.cond(expectations) > SINGULAR:
        return np.nan, np.nan, np.nan
    sums = [table.total, table.between_units, table.between_annotators]
    caption, annotator, residual = np.linalg.solve(expectations, sums).tolist()
    return caption, annotator, residual


def _with_tests(
    table: _Table, coefficients: list[float], level: float
) -> tuple[IntraclassCorrelation, ...]:
    """Add F tests and intervals of a complete table (Shrout & Fleiss 1979; McGraw & Wong 1996)."""
    n, k = table.shape
    left = table.total - table.between_units
    df_within, df_error = n * (k - 1), (n - 1) * (k - 1)
    between, judges = table.between_units / (n - 1), table.between_annotators / (k - 1)
    within, error = left / df_within, max(0.0, left - table.between_annotators) / df_error
    tests = [(_over(between, within), df_within)] + 2 * [(_over(between, error), df_error)]
    limits = [
        _limits(*tests[0], n, k, level),
        _agreement_limits(between, judges, error, n, k, coefficients[1], level),
        _limits(*tests[2], n, k, level),
    ]
    limits += [(_average(low, k), _average(high, k)) for low, high in limits]
    return tuple(
        IntraclassCorrelation(form, icc, f, n - 1, df, float(fdtrc(n - 1, df, f)), *ends)
        for form, icc, (f, df), ends in zip(FORMS, coefficients, 2 * tests, limits, strict=True)
    )


def _limits(f: float, df: int, n: int, k: int, level: float) -> tuple[float, float]:
    """Interval of a one-rating coefficient that is a function of one F ratio."""
    if np.isinf(f):
        return 1.0, 1.0
    low = f / fdtri(n - 1, df, level)
    high = f * fdtri(df, n - 1, level)
    return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))


def _agreement_limits(
    between: float, judges: float, error: float, n: int, k: int, icc: float, level: float
) -> tuple[float, float]:
    """Interval of form 2, with Satterthwaite's degrees of freedom for a mix of mean squares."""
    harshness = k * icc * _over(judges, error)
    rest = n * (1 + (k - 1) * icc) - k * icc
    df = (n - 1) * (k - 1) * (harshness + rest) ** 2 / ((n - 1) * harshness**2 + rest**2)
    noise = k * judges + (k * n - k - n) * error
    low, high = fdtri(n - 1, df, level), fdtri(df, n - 1, level)
    with np.errstate(over="ignore", invalid="ignore"):  # next to no degree of freedom: undefined
        return (
            float(n * (between - low * error) / (low * noise + n * between)),
            float(n * (high * between - error) / (noise + n * high * between)),
        )


def _average(icc: float, k: int) -> float:
    """Spearman–Brown: from one rating to the mean of k."""
    whole = 1 + (k - 1) * icc
    return k * icc / whole if whole else -np.inf


def _over(signal: float, noise: float) -> float:
    return signal / noise if noise > 0 else np.inf
