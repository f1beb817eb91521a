"""How many captions does a difference between two metrics rest on?

The captions that speak most for the better metric are removed, the strongest first, until the
difference is no longer significant, and until it is gone. The influence of caption i on Pearson's r
is z_x z_y − r (z_x² + z_y²) / 2 (Devlin, Gnanadesikan & Kettenring 1975); taking the most
influential set at once is the approximation of Broderick, Giordano & Meager (2020), and here the
correlations are recomputed without it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.stats.correlation import Floats
from analysis.stats.dependent import williams_test

ROUNDING: Final = 1e-9
"""Sums of squares below this are what is left of adding and subtracting."""


@dataclass(frozen=True, slots=True, eq=False)
class Reliance:
    """The fewest most influential captions without which a difference is not what it was.

    `to_doubt` until the one-sided Williams test no longer finds it at the level, `to_reverse` until
    the other metric correlates more; None when half of the captions are not enough. `strongest`
    lists captions in the order in which they were removed.
    """

    to_doubt: int | None
    to_reverse: int | None
    strongest: NDArray[np.intp]


def reliance(human: Floats, better: Floats, worse: Floats, *, alpha: float = 0.05) -> Reliance:
    """What the lead of one metric over another rests on.

    >>> human, better = np.tile([0.0, 0, 1, 1], 10), np.tile([0.0, 1, 0, 1], 10)
    >>> worse = np.tile([0.0, 1, 1, 1], 10)
    >>> found = reliance(np.append(human, 9), np.append(better, 9), np.append(worse, 0))
    >>> found.to_reverse, int(found.strongest[0])
    (1, 40)
    """
    order = np.argsort(-(_influence(human, better) - _influence(human, worse)), kind="stable")
    r = _without_first(human[order], better[order], worse[order])
    most = len(human) // 2
    gone = r[0, : most + 1] <= r[1, : most + 1]
    return Reliance(
        to_doubt=_fewest(lambda k: _p(r[:, k], len(human) - k) >= alpha, most),
        to_reverse=int(np.argmax(gone)) if gone.any() else None,
        strongest=order,
    )


def _fewest(holds: Callable[[int], bool], most: int) -> int | None:
    """The smallest number for which it holds, as it does for every larger one."""
    if not holds(most):
        return None
    return bisect_left(range(most), True, key=holds)


def _p(r: Floats, n: int) -> float:
    if n <= 3 or np.isnan(r).any():
        return 1.0
    return float(williams_test(r[:1], r[1:2], r[2:], n).p[0])


def _influence(x: Floats, y: Floats) -> Floats:
    a, b = _standard(x), _standard(y)
    product = a * b
    return np.asarray(product - product.mean() * (a**2 + b**2) / 2)


def _standard(values: Floats) -> Floats:
    centred = values - values.mean()
    return np.asarray(centred / np.sqrt(np.mean(centred**2)))


def _without_first(human: Floats, better: Floats, worse: Floats) -> Floats:
    """r of human–better, human–worse and better–worse without the first k rows, for every k."""
    columns = [_standard(values) for values in (human, better, worse)]
    n = np.arange(len(human), 0, -1)
    sums = [_remaining(values) for values in columns]
    squares = [_remaining(v**2) - total**2 / n for v, total in zip(columns, sums, strict=True)]
    found = np.full((3, len(n)), np.nan)
    for place, (one, other) in enumerate(((0, 1), (0, 2), (1, 2))):
        cross = _remaining(columns[one] * columns[other]) - sums[one] * sums[other] / n
        spread = np.sqrt(np.maximum(squares[one] * squares[other], 0))
        np.divide(cross, spread, out=found[place], where=spread > ROUNDING)
    return found


def _remaining(values: Floats) -> Floats:
    """Sum of what is left after removing the first k, for every k."""
    return np.cumsum(values[::-1])[::-1]
