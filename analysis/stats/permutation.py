"""Is the better metric better by chance? Paired permutation test that flips whole items.

If two metrics are equally good, nobody notices when their standardised scores are exchanged
(PERM-BOTH: Deutsch, Dror & Roth 2021). Exchanged is a whole item, the video with all its captions:
captions of one video are not independent. Exchanging the outcomes of single pairs of systems, as is
common, finds differences that are not there, in a fifth of all cases with 20 systems.

An exchange changes sums over captions by sums over the items exchanged, so that all draws and all
pairs of metrics come out of one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.adjust import holm
from analysis.stats.correlation import (
    FEWEST,
    Coefficient,
    Floats,
    complete_rows,
    correlations,
    correlations_by_group,
)
from analysis.stats.exchanges import Exchanges

_FEW: Final = 200
"""Up to so many captions draws are correlated side by side; above, one after the other."""
SAME_DIGITS: Final = 10
"""Standard scores equal to so many digits are equal: means in another order differ by less."""
Null = Callable[[int, int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class PermutationComparison:
    """Metrics × metrics, [i, j] for "i correlates more with people than j"."""

    delta: Floats
    """Coefficient of i − coefficient of j, after flipping."""
    p: Floats
    """One-sided; NaN on the diagonal and where a coefficient is not defined."""
    p_holm: Floats
    """Holm-adjusted over all ordered pairs."""
    flipped: NDArray[np.bool_]
    """Metrics that correlate negatively and were turned round before comparing."""
    draws: int
    exact: bool
    """Whether all ways of exchanging were enumerated, and not some of them drawn."""

    @property
    def smallest_p(self) -> float:
        """No difference can have a smaller one."""
        return 1 / (self.draws if self.exact else self.draws + 1)


def permutation_test(
    human: Floats,
    metrics: Floats,
    item: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    coefficient: Coefficient = "pearson",
    draws: int = 1_000,
) -> PermutationComparison:
    """Compare coefficients over all captions together (or over systems).

    Parameters
    ----------
    item
        What is exchanged as a whole: the video; at system level, the system.
    coefficient
        Pearson's r costs one matrix product for all draws and metrics. The others are computed
        anew for every draw and pair of metrics.
    draws
        At random, unless there are no more ways than that: then each is taken once.
    """
    rows = complete_rows(human, metrics)
    _, unit = np.unique(item[rows], return_inverse=True)
    exchanges = Exchanges.of(int(unit.max(initial=-1)) + 1, draws)
    people, table = _standard(human[rows][:, None]), _standard(metrics[rows])
    observed = _observed(people[:, 0], table, coefficient)
    table *= np.where(observed < 0, -1, 1)
    if coefficient == "pearson":
        sums = np.stack([_by_unit(v, unit) for v in (table, table**2, table * people)], axis=1)
        null = _null_of_sums(sums, _pearson(len(table)), exchanges, rng)
    else:
        null = _null_of_draws(people[:, 0], table, unit, coefficient, exchanges, rng)
    return _compare(observed, null, exchanges)


def permutation_test_by_item(
    human: Floats,
    metrics: Floats,
    item: NDArray[np.integer],
    *,
    rng: np.random.Generator,
    coefficient: Coefficient = "kendall_b",
    draws: int = 1_000,
) -> PermutationComparison:
    """Compare coefficients within each item, averaged over the items where they are defined.

    A whole item exchanged exchanges its two coefficients, so that each is computed once.
    """
    rows = complete_rows(human, metrics)
    items, unit = np.unique(item[rows], return_inverse=True)
    exchanges = Exchanges.of(len(items), draws)
    values = correlations_by_group(human[rows], metrics[rows], unit, len(items)).of(coefficient)
    observed = _mean(np.stack([np.nansum(values, axis=0), np.sum(~np.isnan(values), axis=0)]))
    values = values * np.where(observed < 0, -1, 1)
    sums = np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)
    return _compare(observed, _null_of_sums(sums, _mean, exchanges, rng), exchanges)


def accuracy_test(
    human: Floats, metrics: Floats, *, rng: np.random.Generator, draws: int = 1_000
) -> PermutationComparison:
    """Compare how many pairs of systems each metric orders as people do (Kocmi et al. 2021).

    A pair is right where both call it by the same sign. No metric is turned round: one by which
    less is better orders few pairs rightly.

    The pair s, t of an exchange has, for metrics i and j, the signs of one of four differences: of
    i, of j, of i at s and j at t, of j at s and i at t. What the first gains on the second is
    therefore a sum over systems, which change its sign when they are exchanged.
    """
    rows = complete_rows(human, metrics)
    people, table = human[rows], _standard(metrics[rows])
    exchanges = Exchanges.of(len(people), draws)
    kept = [np.empty((exchanges.draws, 0)), *(1.0 - 2.0 * part for _, part in exchanges.taken(rng))]
    signs, order = np.hstack(kept), np.sign(people[:, None] - people)
    pairs = len(people) * (len(people) - 1) / 2

    def right(i: int, j: int) -> Floats:
        """Of each system: pairs in which it has the score of i, the other that of j."""
        called = np.sign((table[:, i, None] - table[:, j]).round(SAME_DIGITS))
        np.fill_diagonal(called, np.nan)
        return np.asarray(np.count_nonzero(called == order, axis=1), np.float64)

    def null(i: int, j: int) -> Floats:
        each = (right(i, i) - right(j, j) + right(i, j) - right(j, i)) / 2
        return np.asarray(signs @ each / pairs)

    counted = [right(at, at).sum() / 2 for at in range(table.shape[1])]
    observed = np.array(counted) / pairs if pairs else np.full(table.shape[1], np.nan)
    return _compare(observed, null, exchanges)


def _compare(observed: Floats, null: Null, exchanges: Exchanges) -> PermutationComparison:
    strength = np.abs(observed)
    delta = strength[:, None] - strength
    p = np.full(delta.shape, np.nan)
    for i, j in combinations(np.flatnonzero(~np.isnan(observed)).tolist(), 2):
        drawn = null(i, j)
        p[i, j], p[j, i] = exchanges.p(drawn, delta[i, j]), exchanges.p(-drawn, delta[j, i])
    return PermutationComparison(delta, p, holm(p), observed < 0, exchanges.draws, exchanges.exact)


def _null_of_sums(
    sums: Floats,
    statistic: Callable[[Floats], Floats],
    exchanges: Exchanges,
    rng: np.random.Generator,
) -> Null:
    """Differences of a statistic of sums: items × sums × metrics.

    Where an item is exchanged, what one metric's sums lose the other's gain.
    """
    items, kinds, metrics = sums.shape
    changes = exchanges.sums(sums.reshape(items, kinds * metrics), rng)
    changes = np.moveaxis(changes.reshape(-1, kinds, metrics), 1, 0)
    totals = sums.sum(axis=0)[:, None]

    def null(i: int, j: int) -> Floats:
        middle = (totals[..., i] + totals[..., j]) / 2
        change = (changes[..., i] - changes[..., j]) / 2
        return statistic(middle + change) - statistic(middle - change)

    return null


def _null_of_draws(
    human: Floats,
    table: Floats,
    unit: NDArray[np.intp],
    coefficient: Coefficient,
    exchanges: Exchanges,
    rng: np.random.Generator,
) -> Null:
    kept = [np.empty((exchanges.draws, 0), bool), *(part == 0 for _, part in exchanges.taken(rng))]
    own = np.hstack(kept)[:, unit]

    def null(i: int, j: int) -> Floats:
        first, second = (
            _each_draw(human, np.where(own, table[:, one], table[:, other]), coefficient)
            for one, other in ((i, j), (j, i))
        )
        return first - second

    return null


def _each_draw(human: Floats, scores: Floats, coefficient: Coefficient) -> Floats:
    """Coefficient of each row of scores."""
    draws, n = scores.shape
    if n > _FEW:
        return correlations(human, scores.T).of(coefficient)
    draw = np.repeat(np.arange(draws), n)
    found = correlations_by_group(np.tile(human, draws), scores.reshape(-1, 1), draw, draws)
    return found.of(coefficient)[:, 0]


def _pearson(n: int) -> Callable[[Floats], Floats]:
    """Pearson's r from the sums of x, x² and xy, where Σy = 0 and Σy² = n."""

    def statistic(sums: Floats) -> Floats:
        x, xx, xy = sums
        return np.asarray(xy / np.sqrt(n * xx - x**2))

    return statistic


def _observed(human: Floats, table: Floats, coefficient: Coefficient) -> Floats:
    """The coefficient of standard scores. Of these Pearson's r is a mean of products."""
    if coefficient != "pearson":
        return correlations(human, table).of(coefficient)
    defined = (len(table) >= FEWEST) & human.any() & table.any(axis=0)
    return np.where(defined, human @ table / max(len(table), 1), np.nan)


def _mean(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[0] / sums[1])


def _by_unit(values: Floats, unit: NDArray[np.intp]) -> Floats:
    units = int(unit.max(initial=-1)) + 1
    return np.column_stack([np.bincount(unit, column, units) for column in values.T])


def _standard(values: Floats) -> Floats:
    """Mean 0 and variance 1 (divided by n); a constant column stays at 0."""
    centred = values - values.sum(axis=0) / max(len(values), 1)
    constant = values.min(axis=0, initial=np.inf) >= values.max(axis=0, initial=-np.inf)
    spread = np.sqrt(np.sum(centred**2, axis=0) / max(len(values), 1))
    return np.where(constant, 0, centred / np.where(constant, 1, spread))
