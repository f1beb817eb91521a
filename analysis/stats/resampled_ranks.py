"""Products of ranks in many resamples, for Spearman's ρ: ranks by counting, without sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """Places of the captions from the lowest to the highest value, and the bounds of ties."""

    order: NDArray[np.intp]
    first: Ints | None
    after: Ints | None

    def twice_rank(self, weight: Ints) -> Ints:
        """2 × the mean rank − 1 of each caption in order, each standing there `weight` times.

        With b before it and u up to the last it ties with, the mean rank is (b + u + 1) / 2.
        """
        upto = np.cumsum(weight)
        if self.first is None:
            return 2 * upto - weight
        before = np.concatenate([[0], upto])
        return before[self.first] + before[self.after]


def rank_products(human: Ints, metrics: Ints, cluster: Ints, counts: Ints) -> Ints:
    """Σ (2 R_human − N − 1)(2 R_metric − N − 1) of each resample (rows) and metric (columns).

    Values come as codes in their order, metrics one row each. Whole numbers, and thus exact, up to
    two million captions.
    """
    people = _column(human)
    columns = [_column(column) for column in metrics]
    products = np.empty((len(counts), len(columns)), np.int64)
    weighted = np.empty_like(human)
    for draw, count in enumerate(counts):
        weight = count[cluster]
        here = weight[people.order]
        weighted[people.order] = here * (people.twice_rank(here) - weight.sum())
        for number, column in enumerate(columns):
            ranks = column.twice_rank(weight.take(column.order))
            # The weighted human ranks sum to 0, so that those of the metric need no centre.
            products[draw, number] = np.einsum("i,i", weighted.take(column.order), ranks)
    return products


def _column(codes: Ints) -> _Column:
    order = np.argsort(codes, kind="stable")
    after = np.cumsum(np.bincount(codes))[codes[order]]
    first = after - np.bincount(codes)[codes[order]]
    untied = len(codes) == 0 or (after - first).max() == 1
    return _Column(order, None, None) if untied else _Column(order, first, after)
