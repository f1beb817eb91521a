"""p values adjusted for having made many tests; undefined ones stay so and are not counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down adjustment (1979): controls the chance of any false finding.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order, sorted_p = _defined(p)
    steps = np.arange(len(order), 0, -1)
    return _scattered(p, order, np.maximum.accumulate(sorted_p * steps))


def benjamini_hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini and Hochberg's step-up adjustment (1995): controls the share of false findings.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.04, 0.04]
    """
    order, sorted_p = _defined(p)
    scaled = sorted_p * (len(order) / np.arange(1, len(order) + 1))
    return _scattered(p, order, np.minimum.accumulate(scaled[::-1])[::-1])


def _defined(p: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Flat places of the defined p values in ascending order, and those values."""
    order = np.argsort(p, axis=None, kind="stable")
    order = order[: np.count_nonzero(~np.isnan(p))]
    return order, p.ravel()[order]


def _scattered(
    p: NDArray[np.float64], order: NDArray[np.intp], adjusted: NDArray[np.float64]
) -> NDArray[np.float64]:
    result = np.full(p.size, np.nan)
    result[order] = np.minimum(adjusted, 1.0)
    return result.reshape(p.shape)
