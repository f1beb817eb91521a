"""Two finished results, held beside each other."""

from __future__ import annotations

import numpy as np

from analysis.models import Result
from analysis.presenting.listings import CAPTIONS
from analysis.results.comparing import Collection, Comparison, compare_collections
from analysis.selectors.results import result_listing, result_summary, result_systems


def results_compare(first: Result, second: Result) -> Comparison:
    """Raises ValueError where no system has a score in both."""
    rng = np.random.default_rng(result_summary(first).settings.seed)
    return compare_collections(_collection(first), _collection(second), rng=rng)


def _collection(result: Result) -> Collection:
    """What it found, to be held beside another. Raises FileNotFoundError without its captions."""
    summary = result_summary(result)
    pairs, rows = summary.numbers["significance"].pairs, result_listing(result, CAPTIONS)
    columns = (rows[name].to_pylist() for name in ("system", "item", "raw", "z"))
    return Collection(
        {row["system"]: (row["raw"], row["z"]) for row in result_systems(result)
         if row["z"] is not None},
        {(pair.better, pair.worse): pair.p for pair in pairs},
        {(system, item): (raw, z) for system, item, raw, z in zip(*columns, strict=True)},
        summary.settings.alpha,
    )  # fmt: skip
