"""A mix of metrics learned on several sets together (bertha-2022 §5.2.3, Table 7)."""

from __future__ import annotations

from collections.abc import Mapping
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
FUSION: Final = ("human", "split", "set", "metric", "n", "pearson", "kendall_b")
COEFFICIENTS: Final = ("human", "metric", "coefficient", "low", "high", "standardised")
PUBLISHED, LEFT_OUT, INTERCEPT = "80/20", "leave one set out", "intercept"
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


def fuse_sets(
    human: str, metrics: tuple[str, ...], rows: Mapping[str, Rows], settings: Settings
) -> SetFusion | None:
    """Ordinary least squares of people on metrics; None with too few metrics or captions.

    Videos are held out within every set, the rest is pooled, and the fit is tried on each set
    beside its metrics on the same captions. Then every set is left out in turn.
    """
    rng = np.random.default_rng([settings.seed, 5])
    people = np.concatenate([one.human for one in rows.values()])
    table = np.concatenate([one.metrics for one in rows.values()])
    mixed = _mixed(people, table)
    held = {name: _held(one, rng) for name, one in rows.items()}
    training = ~np.concatenate(list(held.values()))
    if len(mixed) < 2 or np.count_nonzero(training) < len(mixed) + FEWEST:
        return None
    names, table = tuple(metrics[at] for at in mixed), table[:, mixed]
    if np.ptp(people[training]) == 0:
        return None
    fusion = fit_fusion(people[training], table[training])
    unseen = _published(human, names, rows, mixed, held, fusion)
    unseen += _left_out(human, names, rows, mixed)
    ends = ((1 - settings.confidence) / 2, (1 + settings.confidence) / 2)
    video, group = _videos(rows)[training], _sets(rows)[training]
    drawn = _drawn(people[training], table[training], video, group, rng, settings.draws)
    low, high = np.nanquantile(drawn, ends, axis=0)
    return SetFusion(human, names, fusion, low, high, int(training.sum()), tuple(unseen))


def _mixed(human: Floats, metrics: Floats) -> list[int]:
    """Metrics that vary and say something of their own, the best before its copies."""
    varying = np.flatnonzero(np.ptp(metrics, axis=0) > 0)
    r = np.array([abs(pearson(human, metrics[:, at])) for at in varying])
    return distinct_metrics(metrics, varying[np.argsort(-r, kind="stable")].tolist())


def _held(rows: Rows, rng: np.random.Generator) -> NDArray[np.bool_]:
    if len(rows.videos) < 2:
        return np.zeros(len(rows), bool)
    return holdout(rows.video, rng=rng)[0]


def _sets(rows: Mapping[str, Rows]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(rows)), [len(one) for one in rows.values()])


def _videos(rows: Mapping[str, Rows]) -> NDArray[np.intp]:
    """Videos numbered through all sets."""
    starts = np.cumsum([0, *(len(one.videos) for one in rows.values())])
    return np.concatenate(
        [one.video + start for one, start in zip(rows.values(), starts, strict=False)]
    )


def _published(
    human: str,
    names: tuple[str, ...],
    rows: Mapping[str, Rows],
    mixed: list[int],
    held: Mapping[str, NDArray[np.bool_]],
    fusion: Fusion,
) -> list[Row]:
    found = []
    for name, one in rows.items():
        own = held[name]
        table = one.metrics[own][:, mixed]
        found += _tried(human, PUBLISHED, name, names, one.human[own], table, fusion)
    return found


def _left_out(
    human: str, names: tuple[str, ...], rows: Mapping[str, Rows], mixed: list[int]
) -> list[Row]:
    found: list[Row] = []
    for name, one in rows.items():
        others = [other for key, other in rows.items() if key != name]
        if not others:
            return []
        people = np.concatenate([other.human for other in others])
        table = np.concatenate([other.metrics[:, mixed] for other in others])
        if len(people) < len(mixed) + FEWEST or np.ptp(people) == 0:
            continue
        fusion = fit_fusion(people, table)
        found += _tried(human, LEFT_OUT, name, names, one.human, one.metrics[:, mixed], fusion)
    return found


def _tried(
    human: str, split: str, name: str, names: tuple[str, ...], people: Floats, table: Floats,
    fusion: Fusion,
) -> list[Row]:  # fmt: skip
    found = correlations(people, np.column_stack([fusion.predict(table), table]))
    return [
        {
            "human": human,
            "split": split,
            "set": name,
            "metric": metric,
            "n": int(found.n[at]),
            "pearson": float(found.pearson[at]),
            "kendall_b": float(found.kendall_b[at]),
        }
        for at, metric in enumerate((NAME, *names))
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
