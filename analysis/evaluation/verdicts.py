"""Is this metric better than that one, and is it because of a few odd captions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.evaluation.filtering import Filtered
from analysis.evaluation.influence import Reliance, reliance
from analysis.evaluation.levels import Comparisons, Rows
from analysis.evaluation.settings import Settings
from analysis.stats.dependent import compare_metrics


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Two metrics, by number, before and after what Cook's filter removes for either of them."""

    better: int
    worse: int
    p: float
    p_holm: float
    p_permutation: float
    removed: int
    """Captions that are outliers (linear) for one of the two."""
    r_after: tuple[float, float]
    p_after: float
    """One-sided, that the better one is still better among the other captions."""
    reliance: Reliance

    def is_better(self, alpha: float) -> bool:
        """The one rule for "better": Williams' test, adjusted by Holm for all that is compared.

        Clusters and every sentence go by it, so that no two places say different things of a pair.
        """
        return bool(self.p_holm < alpha)


def judge_pairs(
    rows: Rows, comparisons: Comparisons, filters: Sequence[Filtered], settings: Settings
) -> tuple[Verdict, ...]:
    """Every two metrics whose correlation is defined, the strongest correlations first."""
    r = comparisons.williams.r
    order = [metric for metric in np.argsort(-r).tolist() if not np.isnan(r[metric])]
    linear = next(one for one in filters if one.variant == "linear")
    return tuple(
        _verdict(rows, comparisons, linear, better, worse, settings)
        for better, worse in combinations(order, 2)
    )


def _verdict(
    rows: Rows,
    comparisons: Comparisons,
    linear: Filtered,
    better: int,
    worse: int,
    settings: Settings,
) -> Verdict:
    both = [better, worse]
    williams = comparisons.williams
    pair = rows.metrics[:, both] * np.where(williams.flipped[both], -1.0, 1.0)
    kept = ~linear.outliers.removed[:, both].any(axis=1)
    after = compare_metrics(rows.human[kept], pair[kept])
    return Verdict(
        better=better,
        worse=worse,
        p=float(williams.p[better, worse]),
        p_holm=float(williams.p_holm[better, worse]),
        p_permutation=float(comparisons.permutation.p[better, worse]),
        removed=int(np.count_nonzero(~kept)),
        r_after=(float(after.r[0]), float(after.r[1])),
        p_after=float(after.p[0, 1]),
        reliance=reliance(rows.human, pair[:, 0], pair[:, 1], alpha=settings.alpha),
    )
