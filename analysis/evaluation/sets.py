"""The same metrics against people on several sets: years of a task, or whole data sets.

Each set is held against its own people. What is pooled over sets is standardised within each of
them first, so that a year with other people, references or scales does not make a correlation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

import numpy as np

from analysis.evaluation.joining import Joined
from analysis.evaluation.levels import FEWEST_TO_COMPARE, Level, Rows
from analysis.evaluation.pipeline import TITLES, complete_captions, data_hash, no_width
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.set_fusion import SetFusion, fuse_sets, group_of, own_name, standard
from analysis.evaluation.settings import Settings
from analysis.stats.correlation import (
    COEFFICIENTS,
    Coefficients,
    Correlations,
    Floats,
    by_name,
    correlations,
    system_means,
)
from analysis.stats.correlation_intervals import (
    bootstrap_system_correlations,
    defined_quantile,
    draw_counts,
)
from analysis.stats.dependent import MetricComparison, compare_metrics
from analysis.stats.resampled_correlation import resampled_pearson
from analysis.stats.signature import Signature

VERSION: Final = "3"
MEAN: Final = "mean"
LEVELS: Final[tuple[Level, ...]] = ("caption", "system")


@dataclass(frozen=True, slots=True, eq=False)
class OneSet:
    """One set at one level: what is correlated, and Pearson's r of every bootstrap draw."""

    name: str
    human: Floats
    metrics: Floats
    correlations: Correlations
    drawn: Floats
    """Draws × metrics; videos are drawn, with all their captions."""


@dataclass(frozen=True, slots=True, eq=False)
class SetLevel:
    """The sets of a group at one level, their mean, and metrics compared over all of them."""

    human: str
    level: Level
    sets: tuple[OneSet, ...]
    mean: Coefficients
    """Of the sets that count in it."""
    counted: tuple[str, ...]
    pooled: MetricComparison | None
    """Williams' test on scores standardised within each set; None with too little to compare."""
    confidence: float
    group: str = ""
    """Where sets are named GROUP/NAME; otherwise all are of one."""

    def interval(self, drawn: Floats) -> tuple[Floats, Floats]:
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        return defined_quantile(drawn, tails[0]), defined_quantile(drawn, tails[1])

    @property
    def drawn_mean(self) -> Floats:
        """Stratified: every set is drawn by itself, and a draw of the mean is the mean of those."""
        drawn = [one.drawn for one in self.sets if one.name in self.counted]
        return np.asarray(np.mean(drawn, axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class SetEvaluation:
    """Results, and the captions they rest on."""

    joined: Mapping[str, Joined]
    metrics: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Rows]]
    """Captions by column of human scores, and by set."""
    levels: tuple[SetLevel, ...]
    fusions: tuple[SetFusion, ...]
    settings: Settings
    signature: Signature
    notes: tuple[str, ...]
    robustness: Mapping[str, tuple[Robustness, ...]] = field(default_factory=dict)
    """By set, for every column of human scores; empty where no check was asked for."""


def evaluate_sets(
    joined: Mapping[str, Joined],
    settings: Settings | None = None,
    *,
    leave_out_of_mean: Sequence[str] = (),
    facts: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    robustness: Mapping[str, tuple[Robustness, ...]] | None = None,
) -> SetEvaluation:
    """Every metric against every column of human scores that all sets have, set by set.

    Sets named GROUP/NAME are averaged and compared within their group; a mix of metrics is learned
    on all of them. A name without its group leaves that set out of the mean of every group.

    Raises
    ------
    ValueError
        When sets share no metric or no column of human scores, or a name is not that of a set.
    """
    settings = settings or Settings()
    groups = {
        group: _counted([name for name in joined if group_of(name) == group], leave_out_of_mean)
        for group in dict.fromkeys(map(group_of, joined))
    }
    _known(joined, leave_out_of_mean)
    metrics, humans, said = _shared(joined)
    rows = {
        human: {
            name: complete_captions(one, human, one.metrics[list(metrics)])[0]
            for name, one in joined.items()
        }
        for human in humans
    }
    levels = tuple(
        _level(rows[human], human, level, group, counted, settings)
        for human in humans
        for level in LEVELS
        for group, counted in groups.items()
    )
    mixes = [fuse_sets(human, metrics, rows[human], settings) for human in humans]
    fusions = tuple(mix for mix in mixes if mix is not None)
    choices = {"left_out_of_mean": ",".join(leave_out_of_mean) or "none", **(facts or {})}
    return SetEvaluation(
        joined,
        metrics,
        rows,
        levels,
        fusions,
        settings,
        _sign(joined, settings, choices),
        tuple(
            dict.fromkeys([*said, *notes, *_flat(levels, metrics), *_unchecked(robustness or {})])
        ),
        dict(robustness or {}),
    )


def _flat(levels: Sequence[SetLevel], metrics: Sequence[str]) -> list[str]:
    """Intervals without width look like certainty, and are none."""
    found = []
    for level in levels:
        units = "captions" if level.level == "caption" else "systems"
        for one in level.sets:
            low, high = level.interval(one.drawn)
            flat = [name for name, same in zip(metrics, low == high, strict=True) if same]
            if flat:
                said = f"{TITLES['pearson']} of {', '.join(flat)}"
                found.append(f"{one.name}: {no_width(len(one.human), units, said)}")
    return found


def _unchecked(robustness: Mapping[str, tuple[Robustness, ...]]) -> list[str]:
    return [
        f"{name}: {note}" for name, found in robustness.items() for one in found
        for note in one.notes
    ]  # fmt: skip


def _known(joined: Mapping[str, Joined], left_out: Sequence[str]) -> None:
    names = {*joined, *map(own_name, joined)}
    unknown = [name for name in left_out if name not in names]
    if unknown:
        raise ValueError(f"there is no set {unknown[0]!r}: name one of {', '.join(joined)}")


def _counted(names: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    counted = tuple(name for name in names if not {name, own_name(name)} & set(left_out))
    if not counted:
        raise ValueError(
            "every set is left out of the mean, so nothing is left to average: keep at least one"
        )
    return counted


def _shared(joined: Mapping[str, Joined]) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """Metrics and human columns of every set, and a sentence about each that some lack."""
    found = []
    notes = [f"{name}: {note}" for name, one in joined.items() for note in one.notes]
    for side in ("metrics", "human"):
        columns = [
            [
                str(column)
                for column in getattr(one, side).columns
                if getattr(one, side)[column].notna().any()
            ]
            for one in joined.values()
        ]
        shared = [name for name in columns[0] if all(name in others for others in columns)]
        every = dict.fromkeys(name for names in columns for name in names)
        notes += [
            f"{name} is not in every set and is left out" for name in every if name not in shared
        ]
        if not shared:
            what = "metric" if side == "metrics" else "column of human scores"
            raise ValueError(
                f"the sets have no {what} in common: {'; '.join(map(', '.join, columns))}. Use "
                "the same column names in all of them, or compute the same metrics for each "
                "(--compute)."
            )
        found.append(tuple(shared))
    return found[0], found[1], notes


def _level(
    rows: Mapping[str, Rows],
    human: str,
    level: Level,
    group: str,
    counted: tuple[str, ...],
    settings: Settings,
) -> SetLevel:
    sets = tuple(
        _one(name, one, level, np.random.default_rng([settings.seed, number]), settings.draws)
        for number, (name, one) in enumerate(rows.items())
        if group_of(name) == group
    )
    kept = [one.correlations for one in sets if one.name in counted]
    with np.errstate(invalid="ignore"):
        means = [np.mean([one.of(name) for one in kept], axis=0) for name in COEFFICIENTS]
    return SetLevel(
        human, level, sets, Coefficients(**by_name(means)), counted, _pooled(sets),
        settings.confidence, group,
    )  # fmt: skip


def _one(name: str, rows: Rows, level: Level, rng: np.random.Generator, draws: int) -> OneSet:
    count = len(rows.systems)
    if level == "system":
        people, metrics = system_means(rows.human, rows.metrics, rows.system, count)
        found = bootstrap_system_correlations(
            rows.human, rows.metrics, rows.video, rows.system, count, rng=rng, draws=draws
        )
        human, drawn = people[:, 0], found.pearson
    else:
        human, metrics = rows.human, rows.metrics
        counts = draw_counts(len(rows.videos), draws, rng)
        drawn = resampled_pearson(human, metrics, rows.video.astype(np.int64), counts)
        if len(rows.videos) < 2:
            drawn = np.full_like(drawn, np.nan)  # one video has no interval
    return OneSet(name, human, metrics, correlations(human, metrics), drawn)


def _pooled(sets: Sequence[OneSet]) -> MetricComparison | None:
    """All sets together, each side standardised within its set; constant ones say nothing."""
    usable = [one for one in sets if len(one.human) > 1 and np.ptp(one.human) > 0]
    if not usable:
        return None
    human = np.concatenate([standard(one.human[:, None]) for one in usable])[:, 0]
    metrics = np.concatenate([standard(one.metrics) for one in usable])
    if metrics.shape[1] < 2 or len(human) < FEWEST_TO_COMPARE:
        return None
    return compare_metrics(human, metrics)


def _sign(joined: Mapping[str, Joined], settings: Settings, facts: Mapping[str, str]) -> Signature:
    digest = hashlib.sha256("".join(map(data_hash, joined.values())).encode()).hexdigest()
    chosen = asdict(settings)
    parts = {
        "sets": " ".join(joined),
        "captions": sum(map(len, joined.values())),
        "data": digest[:16],
        **facts,
        **{name: chosen[name] for name in ("alpha", "draws", "confidence", "seed")},
        "version": VERSION,
    }
    return Signature(tuple((name, str(value)) for name, value in parts.items()))
