"""Does a mix of metrics do better? Regression of human scores on metrics (bertha-2022 §5.2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.stats.correlation import Correlations, Floats, complete_rows, correlations
from analysis.stats.correlation_intervals import draw_counts

OWN: Final = 1e-3
"""Share of a metric's variance that others must leave unexplained for it to be weighed: with less,
weights run into the thousands and say nothing."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """A metric made of metrics. Plain numbers, so that it can be saved and applied later."""

    mean: tuple[float, ...]
    sd: tuple[float, ...]
    weight: tuple[float, ...]
    """Standardised: standard deviations of the human score per standard deviation of the metric."""
    human_mean: float
    human_sd: float
    ridge: float
    n: int

    @property
    def coefficients(self) -> tuple[Floats, float]:
        """Coefficient of each metric in its own units, and the intercept: no standardising left."""
        own = np.array(self.weight) * self.human_sd / np.array(self.sd)
        return own, float(self.human_mean - own @ np.array(self.mean))

    def predict(self, metrics: Floats) -> Floats:
        """The fused score of each caption, on people's scale; NaN where a metric is missing."""
        if metrics.ndim != 2 or metrics.shape[1] != len(self.weight):
            raise ValueError(f"metrics must have {len(self.weight)} columns, those of the fit")
        finite = np.where(np.isfinite(metrics), metrics, np.nan)
        z = (finite - np.array(self.mean)) / np.array(self.sd)
        return np.asarray(self.human_mean + self.human_sd * (z @ np.array(self.weight)))


@dataclass(frozen=True, slots=True, eq=False)
class WeightIntervals:
    """Percentile intervals of the standardised weights under resampling of videos."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """Fused scores of captions that the fit had not seen (NaN for those never held out)."""

    predicted: Floats
    correlations: Correlations
    """Of the fused score (first) and of each metric, over the same held-out captions."""
    folds: int


def distinct_metrics(metrics: Floats, order: Sequence[int]) -> list[int]:
    """Metrics, by number, that say something of their own; the earlier in ``order`` the rather.

    A copy, a sum and a constant are left out: what they say the others say together, so that the
    predictions of a fit are the same and its weights are determined.

    >>> one, other = np.array([1.0, 2, 4, 3]), np.array([1.0, 0, 0, 2])
    >>> distinct_metrics(np.column_stack([one, 2 * one, one + other, other]), [1, 0, 2, 3])
    [1, 2]
    """
    basis = np.empty((len(metrics), 0))
    kept = []
    for at in order:
        centred = _centred(metrics[:, [at]])[:, 0]
        rest = centred - basis @ (basis.T @ centred)
        rest -= basis @ (basis.T @ rest)  # again, for what rounding left
        if rest @ rest > OWN * (centred @ centred):
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
            kept.append(at)
    return sorted(kept)


def fit_fusion(human: Floats, metrics: Floats, *, ridge: float = 0.0) -> Fusion:
    """Least squares, or ridge regression, of human scores on standardised metrics.

    Minimises mean (z_human − Σ w z)² + ridge · Σ w² over the captions complete in all metrics: the
    penalty does not depend on their number. A constant metric has weight 0; of metrics that say the
    same each has its part.

    >>> rows = np.array([[1.0, 0], [2, 1], [3, 0], [4, 1]])
    >>> fusion = fit_fusion(2 * rows[:, 0] - rows[:, 1] + 5, rows)
    >>> fusion.predict(np.array([[10.0, 3]])).round(6).tolist()
    [22.0]
    """
    if not ridge >= 0:
        raise ValueError(f"ridge must not be below 0, not {ridge}")
    rows = complete_rows(human, metrics)
    n = int(np.count_nonzero(rows))
    if n < metrics.shape[1] + 2:
        raise ValueError(f"{n} captions are too few to weigh {metrics.shape[1]} metrics")
    columns = np.column_stack([metrics[rows], human[rows]])
    centred = _centred(columns)
    mean, sd = columns.mean(axis=0), np.sqrt(np.sum(centred**2, axis=0) / (n - 1))
    if sd[-1] == 0:
        raise ValueError("human scores are constant: there is nothing to predict")
    sd[sd == 0] = 1
    z = centred / sd
    weight = _weights((z.T @ z / (n - 1))[None], ridge)[0]
    return Fusion(
        tuple(mean[:-1].tolist()),
        tuple(sd[:-1].tolist()),
        tuple(weight.tolist()),
        float(mean[-1]),
        float(sd[-1]),
        ridge,
        n,
    )


def weight_intervals(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    ridge: float = 0.0,
    draws: int = 1_000,
    confidence: float = 0.95,
) -> WeightIntervals:
    """How far each standardised weight would move with other videos.

    Products are summed by video once, and every draw is a weighted sum of those.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    rows = complete_rows(human, metrics)
    videos, cluster = np.unique(video[rows], return_inverse=True)
    columns = _centred(np.column_stack([metrics[rows], human[rows]]))
    columns = np.column_stack([np.ones(len(columns)), columns])
    members = csr_array((np.ones(len(cluster)), (cluster, np.arange(len(cluster)))))
    products = np.stack([members @ (columns * column[:, None]) for column in columns.T], axis=1)
    counts = draw_counts(len(videos), draws, rng)
    sums = np.tensordot(counts.astype(float), products, axes=1)
    weights = _weights(_correlation_matrices(sums), ridge)
    low, high = np.quantile(weights, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return WeightIntervals(low, high)


def holdout(
    group: NDArray[np.integer], *, rng: np.random.Generator, share: float = 0.2
) -> list[NDArray[np.bool_]]:
    """One fold: a share of the groups held out at random, 80/20 by default.

    Groups are videos, so that no caption is predicted by a fit that knew its video.
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, not {share}")
    groups, code = np.unique(group, return_inverse=True)
    if len(groups) < 2:
        raise ValueError("group must have at least two groups, one to fit and one to hold out")
    number = min(max(round(share * len(groups)), 1), len(groups) - 1)
    return [np.isin(code, rng.choice(len(groups), number, replace=False))]


def group_folds(
    group: NDArray[np.integer], *, rng: np.random.Generator, folds: int = 10
) -> list[NDArray[np.bool_]]:
    """Every group held out once, in so many folds of about equally many groups, or fewer."""
    groups, code = np.unique(group, return_inverse=True)
    if len(groups) < 2:
        raise ValueError("group must have at least two groups, one to fit and one to hold out")
    fold = rng.permutation(np.arange(len(groups)) % folds)
    return [fold[code] == number for number in range(min(folds, len(groups)))]


def leave_one_group_out(group: NDArray[np.integer]) -> list[NDArray[np.bool_]]:
    """One fold per group, that group held out."""
    groups = np.unique(group)
    if len(groups) < 2:
        raise ValueError("group must have at least two groups, one to fit and one to hold out")
    return [group == one for one in groups]


def cross_validate(
    human: Floats,
    metrics: Floats,
    folds: Sequence[NDArray[np.bool_]],
    *,
    ridge: float = 0.0,
) -> CrossValidation:
    """Fit on what is outside each fold, predict what is inside, and correlate the predictions."""
    predicted = np.full(len(human), np.nan)
    for held in folds:
        fusion = fit_fusion(human[~held], metrics[~held], ridge=ridge)
        predicted[held] = fusion.predict(metrics[held])
    seen = np.isfinite(predicted)
    columns = np.column_stack([predicted[seen], metrics[seen]])
    return CrossValidation(predicted, correlations(human[seen], columns), len(folds))


def _centred(columns: Floats) -> Floats:
    """Deviations from the mean, exactly 0 in a constant column."""
    constant = columns.min(axis=0) == columns.max(axis=0)
    return np.where(constant, 0, columns - columns.mean(axis=0))


def _weights(correlation: Floats, ridge: float) -> Floats:
    """Weights from matrices of correlations whose last row is the human score's."""
    among, human = correlation[:, :-1, :-1], correlation[:, :-1, -1:]
    penalised = among + ridge * np.eye(among.shape[1])
    return np.asarray(np.linalg.pinv(penalised, hermitian=True) @ human)[..., 0]


def _correlation_matrices(sums: Floats) -> Floats:
    """From sums of products whose first column is 1; a constant column correlates with nothing."""
    n = sums[:, :1, :1]
    mean = sums[:, 1:, :1] / n
    covariance = sums[:, 1:, 1:] / n - mean * mean.transpose(0, 2, 1)
    variance = np.diagonal(covariance, axis1=1, axis2=2)
    varies = variance > np.finfo(float).eps * variance.max(axis=0)
    scale = np.where(varies, 1 / np.sqrt(np.where(varies, variance, 1)), 0)
    return covariance * scale[:, :, None] * scale[:, None, :]
