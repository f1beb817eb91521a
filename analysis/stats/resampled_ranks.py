"""Products of ranks in many resamples, for Spearman's ρ: ranks by counting, without sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """Places of the captions from the lowest to the highest value, and where each value ends."""

    order: NDArray[np.intp]
    ends: NDArray[np.intp]

    @property
    def tied(self) -> bool:
        return len(self.ends) < len(self.order)

    def twice_ranks(self, weight: Ints) -> Ints:
        """2 × the mean rank − 1 of each value, its captions counting `weight` times.

        With b captions before it and u up to it, the mean rank is (b + u + 1) / 2.
        """
        upto = np.cumsum(weight.take(self.order))
        if self.tied:
            upto = upto.take(self.ends)
        twice = upto.copy()
        twice[1:] += upto[:-1]
        return twice

    def sums(self, values: Ints) -> Ints:
        """Sum over the captions of each value."""
        ordered = values.take(self.order)
        if not self.tied:
            return ordered
        return np.add.reduceat(ordered, np.append(0, self.ends[:-1] + 1))


def rank_products(human: Ints, metrics: Ints, cluster: Ints, counts: Ints) -> Ints:
    """Σ (2 R_human − N − 1)(2 R_metric − N − 1) of each resample (rows) and metric (columns).

    Values come as codes in their order, metrics one row each. Whole numbers, and thus exact, up to
    two million captions.
    """
    people = _column(human)
    columns = [_column(column) for column in metrics]
    products = np.zeros((len(counts), len(columns)), np.int64)
    for draw, count in enumerate(counts):
        weight = count[cluster]
        centred = weight * (people.twice_ranks(weight)[human] - weight.sum())
        for number, column in enumerate(columns):
            # The weighted human ranks sum to 0, so that those of the metric need no centre.
            products[draw, number] = np.einsum(
                "i,i", column.sums(centred), column.twice_ranks(weight)
            )
    return products


def _column(codes: Ints) -> _Column:
    """Of codes 0, 1, … none of which is left out."""
    return _Column(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes)) - 1)
