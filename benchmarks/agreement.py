"""Agreement of a crowd: Krippendorff's alpha against the usual way, and everything at full size.

    python -m benchmarks.agreement [--quick]

The usual way is the PyPI package `krippendorff` where it can be imported. It is under the GPL, so
that the platform neither ships nor needs it; without it the yardstick is a coincidence matrix
filled as the textbook says, pair by pair. Both get the largest crowd the package still manages.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.stats.agreement import annotator_values, krippendorff_alpha, shared_ratings
from analysis.stats.icc import intraclass_correlations
from analysis.stats.mixed import mixed_model
from analysis.stats.pairwise import pairwise_agreement
from analysis.stats.replication import self_replication
from analysis.stats.sensitivity import threshold_sensitivity
from analysis.stats.standardise import standardise
from benchmarks.crowd import simulate

SCORES = 101
TARGET = 100
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def crowd_table(annotators: int, captions: int, each: int, seed: int = 0) -> NDArray[np.float64]:
    """Annotators × captions, ``each`` ratings a caption, the rest NaN."""
    rng = np.random.default_rng(seed)
    table = np.full((annotators, captions), np.nan)
    quality = rng.normal(50, 15, captions)
    for caption in range(captions):
        people = rng.choice(annotators, each, replace=False)
        scores = quality[caption] + rng.normal(0, 20, each)
        table[people, caption] = np.clip(np.round(scores), 0, SCORES - 1)
    return table


def textbook_alpha(table: NDArray[np.float64]) -> float:
    """Krippendorff's alpha by a coincidence matrix (Krippendorff 2011, steps 1 to 4)."""
    coincidences = np.zeros((SCORES, SCORES))
    for column in table.T:
        scores = column[~np.isnan(column)].astype(int)
        for first in range(len(scores)):
            for second in range(len(scores)):
                if first != second:
                    coincidences[scores[first], scores[second]] += 1 / (len(scores) - 1)
    totals = coincidences.sum(axis=0)
    distance = (np.arange(SCORES)[:, None] - np.arange(SCORES)) ** 2
    observed = np.sum(coincidences * distance)
    expected = np.sum(np.outer(totals, totals) * distance) / (totals.sum() - 1)
    return float(1 - observed / expected)


def usual_way() -> tuple[str, Callable[[NDArray[np.float64]], float]]:
    try:
        package: Any = importlib.import_module("krippendorff")
    except ImportError:
        return "textbook coincidence matrix", textbook_alpha
    return "PyPI krippendorff", lambda table: float(
        package.alpha(reliability_data=table, level_of_measurement="interval")
    )


def compare(annotators: int, captions: int, each: int) -> None:
    table = crowd_table(annotators, captions, each)
    annotator, caption = np.nonzero(~np.isnan(table))
    score = table[annotator, caption]
    name, usual = usual_way()
    theirs, expected = timed(lambda: usual(table))
    runs = [
        timed(lambda: krippendorff_alpha(annotator_values(annotator, caption, score)).alpha)
        for _ in range(5)
    ]
    ours, found = min(runs)
    ratio = theirs / ours
    print(f"alpha of {len(score):,} ratings by {annotators:,} annotators: {found:.6f}")
    print(f"  {name} {theirs:.3f} s, closed form {ours:.4f} s: {ratio:,.0f} ×")
    if not np.isclose(found, expected, rtol=1e-9):
        raise SystemExit(f"the two disagree: {found!r} and {expected!r}")
    if usual is not textbook_alpha and ratio < TARGET:
        raise SystemExit(f"{ratio:.0f} × is less than {TARGET} ×")


def everything(annotators: int, hits_each: int, systems: int, videos: int) -> None:
    ratings = simulate(
        annotators=annotators, hits_each=hits_each, systems=systems, videos=videos, seed=7
    )
    z = standardise(ratings).z
    use = np.ones(annotators, dtype=bool)
    rng = np.random.default_rng(7)
    rows = ratings.scores_a_caption
    shared = shared_ratings(ratings, ratings.score, use)
    works: dict[str, Callable[[], object]] = {
        "one value per annotator and caption": lambda: shared_ratings(ratings, ratings.score, use),
        "Krippendorff's alpha": lambda: krippendorff_alpha(shared),
        "six intraclass correlations": lambda: intraclass_correlations(shared),
        "pairwise Kendall and Spearman": lambda: pairwise_agreement(shared, rng=rng),
        "self-replication, 1,000 splits": lambda: self_replication(ratings, z, use, rng=rng),
        "threshold sensitivity, 6 × 200 draws": lambda: threshold_sensitivity(
            ratings, z, rng.random(annotators), rng=rng
        ),
        "mixed model": lambda: mixed_model(
            ratings.score[rows],
            ratings.system[rows],
            ratings.annotator[rows],
            ratings.item[rows],
            systems=len(ratings.systems),
        ),
    }
    print(f"{len(ratings):,} ratings, {annotators:,} annotators, {systems} × {videos:,} captions")
    for name, work in works.items():
        print(f"  {name:<38}{timed(work)[0]:8.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    compare(annotators=100, captions=1_000 if quick else 20_000, each=10)
    everything(annotators=100, hits_each=2, systems=8, videos=200)
    if not quick:
        everything(annotators=2_000, hits_each=5, systems=20, videos=5_000)


if __name__ == "__main__":
    main()
