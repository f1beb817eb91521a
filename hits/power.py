"""How small a difference between two systems so many captions can find.

Statistics are those of the one-sided rank-sum test on caption z scores (PROTOCOL §5). The normal
quantiles come from the standard library: a web process shows a plan without importing scipy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

# Asymptotic relative efficiency of the rank-sum test against the t test under normal scores, 3/π.
RANK_SUM_EFFICIENCY = 0.955

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Spread:
    """How z scores scatter inside one system: s, ρ and λ of the power formula.

    ``sd``: s, of captions scored once. z has variance 1 over an annotator's ratings; the system
    means of direct-assessment-2018 Table 3 vary by 0.18 around their common mean, which leaves
    sqrt(1 − 0.18) = 0.9 inside a system.
    ``correlation``: ρ, between two systems on the same video. Below 0.1 in published crowds; the
    default 0 errs on the side of more captions, and the rank-sum test, which does not pair, could
    not make use of more.
    ``reliability``: λ, the share of s² that belongs to the caption and stays however many people
    rate it. About 0.4 where 15 to 29 people rated each caption (TRECVID, multi-annotator).
    """

    sd: float = 0.9
    correlation: float = 0.0
    reliability: float = 0.4

    def __post_init__(self) -> None:
        if not self.sd > 0:
            raise ValueError("sd must be positive")
        if not 0 <= self.reliability <= 1:
            raise ValueError("reliability must lie between 0 and 1")
        if not -1 < self.correlation < 1 or self.correlation > self.reliability:
            raise ValueError("correlation must lie above -1, below 1 and not above reliability")

    def variance(self, ratings: float = 1.0) -> float:
        """s² (1 − ρ) of a caption mean over ``ratings`` people.

        Only the annotators' share of s² shrinks: s² (λ − ρ + (1 − λ) / ratings), which is
        s² (1 − ρ) for one rating.

        >>> round(Spread(sd=1.0, correlation=0.1, reliability=0.4).variance(1), 3)
        0.9
        >>> round(Spread(sd=1.0, correlation=0.1, reliability=0.4).variance(6), 3)
        0.4
        """
        if not ratings >= 1:
            raise ValueError("ratings must be at least 1")
        lasting = self.reliability - self.correlation
        return self.sd**2 * (lasting + (1 - self.reliability) / ratings)


@dataclass(frozen=True)
class PowerPoint:
    """The chance to find ``difference`` (in z) between two systems once ``hits`` HITs are rated."""

    difference: float
    hits: int
    captions_per_system: float
    power: float


def captions_needed(
    difference: float, variance: float, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """Captions per system n = 2 (z_α + z_β)² s² (1−ρ) / (0.955 Δ²), rounded up.

    The normal sample size for two means over the efficiency of the rank-sum test; ``variance`` is
    s² (1−ρ), see `Spread.variance`.

    >>> captions_needed(0.1, 0.81)
    1049
    """
    if not difference > 0:
        raise ValueError("difference must be positive")
    wanted = _quantiles(alpha, power)
    return math.ceil(2 * wanted**2 * variance / (RANK_SUM_EFFICIENCY * difference**2))


def minimal_difference(
    captions: float, variance: float, *, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest Δ in z that ``captions`` per system find: `captions_needed` solved for Δ.

    >>> round(minimal_difference(1049, 0.81), 3)
    0.1
    """
    return _quantiles(alpha, power) * _standard_error(captions, variance)


def detection_power(
    difference: float, captions: float, variance: float, *, alpha: float = 0.05
) -> float:
    """Chance that the test finds ``difference`` with ``captions`` per system.

    >>> round(detection_power(0.1, 1049, 0.81), 3)
    0.8
    """
    if not 0 < alpha < 1:
        raise ValueError("alpha must lie between 0 and 1")
    threshold = _NORMAL.inv_cdf(1 - alpha)
    return _NORMAL.cdf(difference / _standard_error(captions, variance) - threshold)


def power_curve(
    hits: Iterable[int],
    differences: Iterable[float],
    *,
    captions_per_hit: float,
    variance: float,
    alpha: float = 0.05,
) -> tuple[PowerPoint, ...]:
    """Power against number of HITs, one line per difference, as points for a plot.

    ``captions_per_hit`` is what one HIT adds to the captions scored *of each system*.
    """
    counts = [(count, count * captions_per_hit) for count in hits]
    return tuple(
        PowerPoint(difference, count, captions, power)
        for difference in differences
        for count, captions in counts
        for power in [detection_power(difference, captions, variance, alpha=alpha)]
    )


def _standard_error(captions: float, variance: float) -> float:
    if not captions > 0:
        raise ValueError("captions must be positive")
    if not variance > 0:
        raise ValueError("variance must be positive")
    return math.sqrt(2 * variance / (RANK_SUM_EFFICIENCY * captions))


def _quantiles(alpha: float, power: float) -> float:
    """z_α + z_β."""
    if not 0 < alpha < power < 1:
        raise ValueError("alpha and power must lie between 0 and 1, alpha below power")
    return _NORMAL.inv_cdf(1 - alpha) + _NORMAL.inv_cdf(power)
