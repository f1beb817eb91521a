"""How many more ratings would separate the systems that are tied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri


@dataclass(frozen=True, slots=True)
class Separation:
    """Two systems not told apart, and what it would take: `factor` times the present ratings.

    ``more_ratings`` is for both systems together. Infinite where the worse scored system is not
    behind in the test at all.
    """

    better: int
    worse: int
    p: float
    factor: float
    more_ratings: float


def ratings_to_separate(
    p: NDArray[np.float64],
    order: NDArray[np.integer],
    ratings: NDArray[np.integer],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> list[Separation]:
    """For every pair of systems with p ≥ alpha both ways, the ratings that would separate it.

    The rank-sum statistic in standard units grows with the square root of the ratings as long as
    the difference stays what it is, so that ((z_α + z_β) / z_p)² times the ratings reach p < alpha
    with the power asked for (Noether 1987, with the observed effect in place of an assumed one).
    More ratings means ratings of further captions in the proportion collected so far.

    Parameters
    ----------
    p
        One-sided rank-sum p, ``p[i, j]`` for "i is better than j" (`Ranking.p`).
    order
        Systems, best first (`Ranking.order`).
    ratings
        Ratings of each system so far.

    >>> p = np.array([[np.nan, 0.106], [0.894, np.nan]])
    >>> [pair] = ratings_to_separate(p, np.array([0, 1]), np.array([300, 300]))
    >>> round(pair.factor, 2), pair.more_ratings
    (3.97, 1782.0)
    """
    if not 0 < alpha < power < 1:
        raise ValueError("alpha and power must lie between 0 and 1, alpha below power")
    wanted = float(ndtri(1 - alpha) + ndtri(power))
    ties = [
        (better, worse)
        for place, better in enumerate(order.tolist())
        for worse in order[place + 1 :].tolist()
        if min(p[better, worse], p[worse, better]) >= alpha
    ]
    return [_separation(p, better, worse, ratings, wanted) for better, worse in ties]


def _separation(
    p: NDArray[np.float64],
    better: int,
    worse: int,
    ratings: NDArray[np.integer],
    wanted: float,
) -> Separation:
    observed = -ndtri(p[better, worse])
    factor = float((wanted / observed) ** 2) if observed > 0 else np.inf
    more = np.ceil((factor - 1) * float(ratings[better] + ratings[worse]))
    return Separation(better, worse, float(p[better, worse]), factor, float(more))
