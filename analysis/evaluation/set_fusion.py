"""A mix of metrics learned on several sets together (bertha-2022 §5.2.3, Table 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.evaluation.levels import Rows
from analysis.evaluation.settings import Settings
from analysis.metrics.families.fusion import NAME
from analysis.stats.correlation import Floats, correlations, pearson
from analysis.stats.correlation_intervals import draw_counts
from analysis.stats.fusion import Fusion, distinct_metrics, fit_fusion, holdout

Row = dict[str, Any]
FUSION: Final = ("human", "split", "scale", "set", "metric", "n", "pearson", "kendall_b")
COEFFICIENTS: Final = ("human", "metric", "coefficient", "low", "high", "standardised")
PUBLISHED, LEFT_OUT, INTERCEPT = "80/20", "leave one set out", "intercept"
OWN_UNITS, WITHIN_SETS = "own units", "within set"
"""As published, metrics enter as they are. The other scale standardises people and metrics within
each set first: a metric that has one reference in one year and five in another spreads otherwise,
and a weight learned on the one is wrong by as much on the other."""
CARRIES: Final = 1.5
"""How many times as far a metric may spread in one set as in another before that is said."""
SLASH: Final = "/"
"""Between the name of a group of sets and that of a set, as in SA/2016."""
FEWEST: Final = 5
"""Captions to fit beyond the number of metrics, and captions to test on."""


@dataclass(frozen=True, slots=True, eq=False)
class SetFusion:
    """One fit on 80 % of the videos of every set together, and how it did on the others."""

    human: str
    metrics: tuple[str, ...]
    fusion: Fusion
    low: Floats
    """Of the coefficients in the metrics' own units, the intercept last."""
    high: Floats
    captions: int
    unseen: tuple[Row, ...]
    spreads: tuple[float, ...]
    """Of each metric: its largest standard deviation in a set over its smallest."""
    fitted: NDArray[np.bool_]
    """Rows of all sets, one set after the other, that the weights were fitted on."""

    @property
    def sentence(self) -> str:
        """Which metrics a weight in own units does not suit on every set; empty where all carry."""
        far = [
            f"{name} ({ratio:.1f} times)"
            for name, ratio in zip(self.metrics, self.spreads, strict=True)
            if ratio > CARRIES
        ]
        if not far:
            return ""
        return (
            f"Much larger spread in one set than in another: {', '.join(far)}. A mix in the "
            "metrics' own units then fails on the other set; rows with scale “within set” "
            "standardise people and metrics within each set first."
        )

    def coefficient_rows(self) -> list[Row]:
        own, intercept = self.fusion.coefficients
        names = [*self.metrics, INTERCEPT]
        return [
            {
                "human": self.human,
                "metric": name,
                "coefficient": value,
                "low": float(self.low[at]),
                "high": float(self.high[at]),
                "standardised": self.fusion.weight[at] if name != INTERCEPT else np.nan,
            }
            for at, (name, value) in enumerate(zip(names, [*own.tolist(), intercept], strict=True))
        ]


def group_of(name: str) -> str:
    """
    >>> group_of("SA/2016"), group_of("2016")
    ('SA', '')
    """
    return name.rpartition(SLASH)[0]


def own_name(name: str) -> str:
    """Without its group.

    >>> own_name("SA/2016"), own_name("2016")
    ('2016', '2016')
    """
    return name.rpartition(SLASH)[2]


def fuse_sets(
    human: str, metrics: tuple[str, ...], rows: Mapping[str, Rows], settings: Settings
) -> SetFusion | None:
    """Ordinary least squares of people on metrics; None with too few metrics or captions.

    Videos are held out within every set, the rest is pooled, and the fit is tried on each set
    beside its metrics on the same captions. Then every set is left out in turn. Sets of one name
    in several groups are of the same videos: they are held out, and left out, together.
    """
    rng = np.random.default_rng([settings.seed, 5])
    people = np.concatenate([one.human for one in rows.values()])
    table = np.concatenate([one.metrics for one in rows.values()])
    mixed = _mixed(people, table)
    held = _held(rows, rng)
    if len(mixed) < 2 or np.count_nonzero(~held) < len(mixed) + FEWEST:
        return None
    names, table, group = tuple(metrics[at] for at in mixed), table[:, mixed], _sets(rows)
    if np.ptp(people[~held]) == 0:
        return None
    fusion = fit_fusion(people[~held], table[~held])
    unseen: list[Row] = []
    for scale, human_scores, scores in (
        (OWN_UNITS, people, table),
        (WITHIN_SETS, _within(people[:, None], group)[:, 0], _within(table, group)),
    ):
        for split, name, test, training in _splits(list(rows), group, held):
            if np.count_nonzero(training) < len(mixed) + FEWEST or not np.ptp(people[training]):
                continue
            mix = fit_fusion(human_scores[training], scores[training])
            told = {"human": human, "split": split, "scale": scale, "set": name}
            columns = np.column_stack([mix.predict(scores[test]), table[test]])
            unseen += _tried(told, (NAME, *names), people[test], columns)
    ends = ((1 - settings.confidence) / 2, (1 + settings.confidence) / 2)
    video = _videos(rows)[~held]
    drawn = _drawn(people[~held], table[~held], video, group[~held], rng, settings.draws)
    low, high = np.nanquantile(drawn, ends, axis=0)
    captions = int(np.count_nonzero(~held))
    return SetFusion(
        human, names, fusion, low, high, captions, tuple(unseen), _spreads(table, group),
        ~held,
    )  # fmt: skip


def _splits(
    names: Sequence[str], group: NDArray[np.intp], held: NDArray[np.bool_]
) -> Iterator[tuple[str, str, NDArray[np.bool_], NDArray[np.bool_]]]:
    """What is tried on what: the held-out videos of each set, then each set as a whole."""
    for number, name in enumerate(names):
        yield PUBLISHED, name, held & (group == number), ~held
    for number, name in enumerate(names):
        same = [at for at, other in enumerate(names) if own_name(other) == own_name(name)]
        yield LEFT_OUT, name, group == number, ~np.isin(group, same)


def standard(values: Floats) -> Floats:
    """z scores; a constant column stays at 0, the mean of the others."""
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 0, spread, 1))


def _within(values: Floats, group: NDArray[np.intp]) -> Floats:
    return np.concatenate([standard(values[group == one]) for one in np.unique(group)])


def _spreads(table: Floats, group: NDArray[np.intp]) -> tuple[float, ...]:
    spread = np.array([table[group == one].std(axis=0) for one in np.unique(group)])
    spread[spread == 0] = np.nan
    return tuple((np.nanmax(spread, axis=0) / np.nanmin(spread, axis=0)).tolist())


def _mixed(human: Floats, metrics: Floats) -> list[int]:
    """Metrics that vary and say something of their own, the best before its copies."""
    varying = np.flatnonzero(np.ptp(metrics, axis=0) > 0)
    r = np.array([abs(pearson(human, metrics[:, at])) for at in varying])
    return distinct_metrics(metrics, varying[np.argsort(-r, kind="stable")].tolist())


def _held(rows: Mapping[str, Rows], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Captions whose videos are held out within every set, the same ones in every group."""
    out: dict[str, NDArray[np.bool_]] = {}
    for year in dict.fromkeys(map(own_name, rows)):
        same = {name: one for name, one in rows.items() if own_name(name) == year}
        videos = np.concatenate([np.array(one.videos)[one.video] for one in same.values()])
        known, code = np.unique(videos, return_inverse=True)
        chosen = holdout(code, rng=rng)[0] if len(known) > 1 else np.zeros(len(code), bool)
        ends = np.cumsum([len(one) for one in same.values()])[:-1]
        out |= dict(zip(same, np.split(chosen, ends), strict=True))
    return np.concatenate([out[name] for name in rows])


def _sets(rows: Mapping[str, Rows]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(rows)), [len(one) for one in rows.values()])


def _videos(rows: Mapping[str, Rows]) -> NDArray[np.intp]:
    """Videos numbered through all sets."""
    starts = np.cumsum([0, *(len(one.videos) for one in rows.values())])
    return np.concatenate(
        [one.video + start for one, start in zip(rows.values(), starts, strict=False)]
    )


def _tried(told: Row, names: Sequence[str], people: Floats, columns: Floats) -> list[Row]:
    found = correlations(people, columns)
    return [
        told
        | {
            "metric": metric,
            "n": int(found.n[at]),
            "pearson": float(found.pearson[at]),
            "kendall_b": float(found.kendall_b[at]),
        }
        for at, metric in enumerate(names)
    ]


def _drawn(
    human: Floats,
    metrics: Floats,
    video: NDArray[np.intp],
    group: NDArray[np.intp],
    rng: np.random.Generator,
    draws: int,
) -> Floats:
    """Coefficients and intercept of every draw; videos are drawn within their set.

    Products are summed by video once, and a draw is a weighted sum of those.
    """
    columns = np.column_stack([metrics, np.ones(len(metrics)), human])
    videos, code = np.unique(video, return_inverse=True)
    first = np.searchsorted(np.sort(video), videos)
    of = group[np.argsort(video, kind="stable")][first]
    width = columns.shape[1]
    members = csr_array((np.ones(len(code)), (code, np.arange(len(code)))))
    products = np.stack([members @ (columns * column[:, None]) for column in columns.T], axis=1)
    sums = np.zeros((draws, width, width))
    for one in np.unique(of):
        own = np.flatnonzero(of == one)
        sums += np.tensordot(draw_counts(len(own), draws, rng).astype(float), products[own], axes=1)
    among, with_people = sums[:, :-1, :-1], sums[:, :-1, -1:]
    return np.asarray(np.linalg.pinv(among, hermitian=True) @ with_people)[..., 0]
