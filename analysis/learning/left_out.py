"""The leave-one-set-out table: a learned metric on sets it never saw, beside every text metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from analysis.learning.held_out import BASELINE
from analysis.learning.predictions import (
    PREDICTIONS,
    Predictions,
    predictions_for,
    predictions_table,
)
from analysis.learning.rated import Floats, RatedSet
from analysis.learning.splits import Split, leave_one_set_out
from analysis.learning.training import Learned, Learner
from analysis.metrics.batch import Values
from analysis.presenting.downloads import table_file
from analysis.stats.correlation import COEFFICIENTS, correlations, system_means
from analysis.stats.dependent import compare_metrics

ALPHA: Final = 0.05


@dataclass(frozen=True, eq=False)
class LeftOut:
    """How every metric did on a set that the learned one had not seen.

    Parameters
    ----------
    n : captions
    dropped : captions kept out of training because their text or video is in this set
    caption, system : correlations by metric, in the order of `metrics`
    p : one-sided, Williams: the learned metric correlates more than this one
    test, predicted : the captions left out, and what the learned metric gave them
    by : what was learned, and what it chose among
    """

    name: str
    learned: str
    metrics: tuple[str, ...]
    n: int
    trained: int
    dropped: int
    caption: Mapping[str, Floats]
    system: Mapping[str, Floats]
    p: Floats
    test: RatedSet
    predicted: Values
    by: Learned | None = None

    def r(self, metric: str) -> float:
        return float(self.caption["pearson"][self.metrics.index(metric)])

    def p_against(self, metric: str) -> float:
        return float(self.p[self.metrics.index(metric)])


def leave_one_out(
    sets: Sequence[RatedSet],
    name: str,
    learner: Learner,
    told: Callable[[LeftOut], None] = lambda found: None,
    beside: Predictions | None = None,
) -> list[LeftOut]:
    """Learn from all sets but one, hold the result against that one, for each in turn.

    Parameters
    ----------
    beside : other learned metrics to hold it against, which had not seen the set either
    """
    found, splits = [], leave_one_set_out(sets)
    others = {  # before hours of learning: a caption may be missing
        (at, place): predictions_for(test, beside or {})
        for at, split in enumerate(splits)
        for place, test in enumerate(split.test)
    }
    for at, split in enumerate(splits):
        learned = learner(split.training)
        for place, test in enumerate(split.test):
            left = held_against(split, test, name, learned.predict(test), others[at, place])
            found.append(replace(left, by=learned))
            told(found[-1])
    return found


def held_against(
    split: Split,
    test: RatedSet,
    name: str,
    predicted: Values,
    others: Mapping[str, Values] | None = None,
) -> LeftOut:
    """A learned metric, others and every text metric on captions it has not seen."""
    columns = {name: predicted, **(others or {}), **test.found.metrics}
    table = np.column_stack(list(columns.values()))
    systems, system = np.unique(list(test.systems), return_inverse=True)
    people, means = system_means(test.scores, table, system, len(systems))
    by_caption, by_system = correlations(test.scores, table), correlations(people, means)
    return LeftOut(
        test.name,
        name,
        tuple(columns),
        len(test),
        sum(map(len, split.training)),
        split.dropped,
        {each: by_caption.of(each) for each in COEFFICIENTS},
        {each: by_system.of(each) for each in COEFFICIENTS},
        compare_metrics(test.scores, table).p[0],
        test,
        predicted,
    )


def verdict(found: Sequence[LeftOut]) -> str:
    """What the table says of the learned metric, in one sentence."""
    name = found[0].learned
    gains = [one.r(name) - one.r(BASELINE) for one in found]
    significant = sum(one.p_against(BASELINE) < ALPHA for one in found)
    return (
        f"{name}: mean r {np.mean([one.r(name) for one in found]):.3f}, {np.mean(gains):+.3f} "
        f"against {BASELINE}; above it in {sum(gain > 0 for gain in gains)} of {len(found)} sets, "
        f"significantly (Williams, p < {ALPHA}) in {significant}"
    )


def table_files(found: Sequence[LeftOut], signature: str) -> dict[str, bytes]:
    """``sets.csv``: a row for each set, level and metric, and the means over the sets.

    ``predictions.csv``: what the learned metric gave each caption left out.
    """
    rows = [row for one in found for row in _rows(one)]
    rows += _means(found)
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    given = predictions_table(found[0].learned, [(one.test, one.predicted) for one in found])
    return {
        "sets.csv": table_file(table, "csv", signature),
        "recipes.csv": table_file(_recipes(found), "csv", signature),
        PREDICTIONS: table_file(given, "csv", signature),
        "signature.txt": f"{signature}\n".encode(),
    }


def _recipes(found: Sequence[LeftOut]) -> dict[str, np.ndarray[Any, Any]]:
    """What was chosen for each set left out, and how every choice did within the others: nothing of
    the set itself is in it."""
    rows = [
        (one.name, trial.recipe, trial.mean, trial.recipe == one.by.chosen)
        for one in found
        if one.by is not None
        for trial in one.by.tried
    ]
    rows += [
        (one.name, one.by.chosen, float("nan"), True)
        for one in found
        if one.by is not None and one.by.chosen and not one.by.tried
    ]
    named = ("set", "recipe", "r_within_the_others", "chosen")
    return {name: np.array([row[at] for row in rows]) for at, name in enumerate(named)}


def _rows(one: LeftOut) -> list[dict[str, object]]:
    return [
        {
            "set": one.name,
            "level": level,
            "metric": metric,
            "n": one.n,
            **{name: float(values[name][at]) for name in COEFFICIENTS},
            "p_williams": float(one.p[at]) if level == "caption" else float("nan"),
        }
        for level, values in (("caption", one.caption), ("system", one.system))
        for at, metric in enumerate(one.metrics)
    ]


def _means(found: Sequence[LeftOut]) -> list[dict[str, object]]:
    every = [row for one in found for row in _rows(one)]
    keys = dict.fromkeys((row["level"], row["metric"]) for row in every)
    means = []
    for level, metric in keys:
        own = [row for row in every if (row["level"], row["metric"]) == (level, metric)]
        mean = {name: float(np.mean([row[name] for row in own])) for name in COEFFICIENTS}
        means.append(
            {"set": "mean", "level": level, "metric": metric, "n": sum(one.n for one in found)}
            | mean
            | {"p_williams": float("nan")}
        )
    return means


def text_table(found: Sequence[LeftOut]) -> list[str]:
    """Pearson's r of captions, a line for each metric, the best mean first."""
    means = {metric: np.mean([one.r(metric) for one in found]) for metric in found[0].metrics}
    head = ["metric".ljust(14), *(one.name.rjust(8) for one in found), "mean".rjust(8)]
    lines = ["".join(head)]
    for metric in sorted(means, key=lambda name: -means[name]):
        cells = [f"{one.r(metric):8.3f}" for one in found]
        lines.append(f"{metric:14}{''.join(cells)}{means[metric]:8.3f}")
    return lines


def signature_of(sets: Sequence[RatedSet], name: str, seed: int) -> str:
    """What the table depends on."""
    told = [f"{one.name}:{len(one)}{'' if one.weight == 1 else f'×{one.weight:g}'}" for one in sets]
    return f"leave-one-out|metric:{name}|sets:{','.join(told)}|seed:{seed}"
