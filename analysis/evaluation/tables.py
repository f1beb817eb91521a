"""Results as rows: the same ones in the files and in the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.evaluation.joining import Joined
from analysis.evaluation.levels import LevelResult
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.robustness.checks import Robustness
from analysis.evaluation.robustness.findings import Finding
from analysis.metrics.families.fusion import NAME
from analysis.stats.correlation import COEFFICIENTS, Correlations, GroupCorrelations
from analysis.stats.reliability import corrected_for_attenuation

Row = dict[str, Any]
MEAN: Final = "mean"

INTERVALS: Final = tuple(f"{name}_{end}" for name in COEFFICIENTS for end in ("low", "high"))
CORRELATIONS: Final = (
    "metric", "human", "level", "n", *COEFFICIENTS, *INTERVALS, "pearson_corrected",
    "pairwise_accuracy", "tie_epsilon", "soft_pairwise_accuracy", "rank_low", "rank_high", "reason",
    "pairwise_accuracy_plain", "pairwise_accuracy_held_out", "accuracy_rank",
)  # fmt: skip
BY_SYSTEM: Final = ("metric", "human", "system", "n", *COEFFICIENTS)
BY_VIDEO: Final = ("metric", "human", "video", "n", *COEFFICIENTS)
WILLIAMS: Final = (
    "human", "level", "better", "worse", "n", "r_better", "r_worse", "flipped", "statistic", "p",
    "p_holm", "steiger_z", "steiger_p", "meng_z", "meng_p", "permutation_p", "permutation_p_holm",
    "accuracy_p",
)  # fmt: skip
FUSION: Final = ("human", "metric", "weight", "low", "high", "n_unseen", "pearson_unseen",
                 "kendall_b_unseen")  # fmt: skip
ROBUSTNESS: Final = (
    "human", "check", "condition", "metric", "n", "pearson", "kendall_b", "low", "high", "accuracy",
    "repeats", "spearman", "ties",
)  # fmt: skip
ALIGNMENT: Final = ("shift", "metric", "n", "r_within_systems")
UNMATCHED: Final = ("side", "video", "system")


def correlation_rows(evaluation: Evaluation) -> list[Row]:
    """Each metric at each level; `per_video` and `per_system` are means over groups, n of them."""
    return [row for part in evaluation.parts for row in _part_rows(part)]


def mean_rows(evaluation: Evaluation) -> list[Row]:
    """Coefficients averaged over the columns of human scores, which then are single people's, as
    the authors of VATEX-EVAL report them; `n` counts columns."""
    rows = []
    for level in ("caption", "system"):
        found = [getattr(part, level).correlations for part in evaluation.parts]
        for metric in evaluation.parts[0].metrics:
            places = [part.metrics.index(metric) for part in evaluation.parts]
            means = {
                name: float(
                    np.mean([one.of(name)[at] for one, at in zip(found, places, strict=True)])
                )
                for name in COEFFICIENTS
            }
            row: Row = {"metric": metric, "human": MEAN, "level": level, "n": len(found)}
            rows.append(row | means)
    return rows


def _part_rows(part: AgainstHuman) -> Iterator[Row]:
    for level in (part.caption, part.system):
        yield from level_rows(part, level)
    yield from group_rows(part)


def group_rows(part: AgainstHuman) -> list[Row]:
    """Means of coefficients within videos, and within systems."""
    grouped = {"per_video": part.by_video.means(), "per_system": part.by_system.means()}
    return [
        {"metric": metric, "human": part.human, "level": level, **_coefficients(means, at)}
        for level, means in grouped.items()
        for at, metric in enumerate(part.metrics)
    ]


def level_rows(part: AgainstHuman, level: LevelResult) -> list[Row]:
    """Metrics with the highest r first, as far as it is defined."""
    rows = []
    for at, metric in enumerate(part.metrics):
        row: Row = {"metric": metric, "human": part.human, "level": level.level}
        row |= _coefficients(level.correlations, at)
        for name in COEFFICIENTS:
            row[f"{name}_low"] = float(level.low.of(name)[at])
            row[f"{name}_high"] = float(level.high.of(name)[at])
        row |= {
            "pearson_corrected": _corrected(part, level, at),
            "pairwise_accuracy": level.accuracy[at].accuracy,
            "pairwise_accuracy_plain": level.accuracy[at].plain,
            "pairwise_accuracy_held_out": float(level.held_out[at]),
            "tie_epsilon": level.accuracy[at].epsilon,
            "soft_pairwise_accuracy": float(level.soft.accuracy[at]) if level.soft else math.nan,
            "accuracy_rank": float(level.accuracy_rank[at]),
        }
        rows.append(row | _places(level, at))
    return sorted(rows, key=lambda row: _descending(abs(row["pearson"])))


def _places(level: LevelResult, at: int) -> Row:
    """The first and last place a metric may hold: behind those significantly better, before those
    significantly worse. Its cluster says less, for one copy too many joins all."""
    found = level.comparisons.clusters if level.comparisons else None
    if found is None or at not in found.order:
        return {"cluster": math.nan, "rank_low": math.nan, "rank_high": math.nan}
    return {
        "cluster": float(found.rank_low[at]),
        "rank_low": 1.0 + np.count_nonzero(found.beats[:, at]),
        "rank_high": float(len(found.order) - found.wins[at]),
    }


def _descending(value: float) -> float:
    return math.inf if math.isnan(value) else -value


def _corrected(part: AgainstHuman, level: LevelResult, at: int) -> float:
    """Divided by what is possible: of captions only, for the reliability is that of captions."""
    if part.reliability is None or level.level != "caption":
        return math.nan
    r = level.correlations.pearson[at : at + 1]
    return float(corrected_for_attenuation(r, part.reliability.reliability)[0])


def _coefficients(found: Correlations, at: int) -> Row:
    values: Row = {name: float(found.of(name)[at]) for name in COEFFICIENTS}
    return {"n": int(found.n[at]), **values, "reason": found.reason[at]}


def by_system_rows(evaluation: Evaluation) -> list[Row]:
    """Each metric within each system."""
    return [
        row
        for part in evaluation.parts
        for row in _within(part, "system", part.rows.systems, part.by_system)
    ]


def by_video_rows(evaluation: Evaluation) -> list[Row]:
    """Each metric within each video: does it order the systems as people do?"""
    return [
        row
        for part in evaluation.parts
        for row in _within(part, "video", part.rows.videos, part.by_video)
    ]


def _within(
    part: AgainstHuman, kind: str, names: Sequence[str], found: GroupCorrelations
) -> Iterator[Row]:
    for at, metric in enumerate(part.metrics):
        for group, name in enumerate(names):
            row = {"metric": metric, "human": part.human, kind: name, "n": int(found.n[group, at])}
            yield row | {one: float(found.of(one)[group, at]) for one in COEFFICIENTS}


def williams_rows(evaluation: Evaluation) -> list[Row]:
    """Every ordered pair of metrics at both levels, with every test there is."""
    return [
        row
        for part in evaluation.parts
        for row in (
            *comparison_rows(part, part.caption),
            *comparison_rows(part, part.system),
            *video_comparison_rows(part),
        )
    ]


def video_comparison_rows(part: AgainstHuman) -> list[Row]:
    """Group-by-item: τ-b within each video, averaged, and a permutation test of its own."""
    found, means = part.by_video_test, part.by_video.means()
    if found is None:
        return []
    tau = np.abs(means.kendall_b)
    order = np.argsort(-np.nan_to_num(tau, nan=-2.0), kind="stable").tolist()
    return [
        {
            "human": part.human,
            "level": "per_video",
            "better": part.metrics[one],
            "worse": part.metrics[other],
            "n": int(means.n[one]),
            "r_better": float(tau[one]),
            "r_worse": float(tau[other]),
            "flipped": " ".join(part.metrics[at] for at in (one, other) if found.flipped[at]),
            "permutation_p": float(found.p[one, other]),
            "permutation_p_holm": float(found.p_holm[one, other]),
        }
        for one in order
        for other in order
        if one != other
    ]


def comparison_rows(part: AgainstHuman, level: LevelResult) -> list[Row]:
    """One level; metrics in the order of their correlation with people."""
    found = level.comparisons
    if found is None:
        return []
    order = found.clusters.order.tolist()
    order += [at for at in range(len(part.metrics)) if at not in order]
    steiger, meng = found.tests["steiger"], found.tests["meng"]
    flipped = found.williams.flipped
    return [
        {
            "human": part.human,
            "level": level.level,
            "better": part.metrics[one],
            "worse": part.metrics[other],
            "n": found.williams.n,
            "r_better": float(found.williams.r[one]),
            "r_worse": float(found.williams.r[other]),
            "flipped": " ".join(part.metrics[at] for at in (one, other) if flipped[at]),
            "statistic": float(found.williams.statistic[one, other]),
            "p": float(found.williams.p[one, other]),
            "p_holm": float(found.williams.p_holm[one, other]),
            "steiger_z": float(steiger.statistic[one, other]),
            "steiger_p": float(steiger.p[one, other]),
            "meng_z": float(meng.statistic[one, other]),
            "meng_p": float(meng.p[one, other]),
            "permutation_p": float(found.permutation.p[one, other]),
            "permutation_p_holm": float(found.permutation.p_holm[one, other]),
            "accuracy_p": float(level.ordering.p[one, other]) if level.ordering else math.nan,
        }
        for one in order
        for other in order
        if one != other
    ]


def fusion_rows(evaluation: Evaluation) -> list[Row]:
    """Weights with intervals, and how each metric and their mix did on unseen captions."""
    return [row for part in evaluation.parts for row in part_fusion_rows(part)]


def part_fusion_rows(part: AgainstHuman) -> list[Row]:
    found = part.fusion
    if found is None:
        return []
    unseen = found.validation.correlations
    names = [NAME, *(part.metrics[at] for at in found.metrics)]
    rows: list[Row] = [
        {
            "human": part.human,
            "metric": name,
            "n_unseen": int(unseen.n[at]),
            "pearson_unseen": float(unseen.pearson[at]),
            "kendall_b_unseen": float(unseen.kendall_b[at]),
        }
        for at, name in enumerate(names)
    ]
    for at, row in enumerate(rows[1:]):
        row["weight"] = found.fusion.weight[at]
        row["low"], row["high"] = found.intervals.low[at].item(), found.intervals.high[at].item()
    return rows


def robustness_rows(checked: Sequence[Robustness]) -> list[Row]:
    return [
        {"human": one.human} | {name: getattr(found, name) for name in ROBUSTNESS[1:]}
        for one in checked
        for found in one.findings
    ]


def checked_rows(sets: Mapping[str, Sequence[Robustness]]) -> list[Row]:
    """What every check found on every set."""
    return [
        {"set": name, **row} for name, checked in sets.items() for row in robustness_rows(checked)
    ]


def checked_tables(
    sets: Mapping[str, Sequence[Robustness]],
) -> list[tuple[str, list[str], list[Row]]]:
    """Of every check and condition: what it is, the sets, and a row for each metric with r on
    every set, or the share of pairs where a check measures that alone (bertha-2022, Table 6)."""
    cells: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in checked_rows(sets):
        alone = math.isnan(row["pearson"]) and not math.isnan(row["accuracy"])
        told = (row["human"], row["check"], row["condition"])
        metric = cells.setdefault(told, {}).setdefault(row["metric"], {"metric": row["metric"]})
        metric[row["set"]] = row["accuracy"] if alone else row["pearson"]
    return [
        (
            f"{check}, {condition} ({human})",
            list(
                dict.fromkeys(name for row in metrics.values() for name in row if name != "metric")
            ),
            list(metrics.values()),
        )
        for (human, check, condition), metrics in cells.items()
    ]


def condition_rows(findings: Sequence[Finding]) -> list[Row]:
    """One row per condition with a column per metric: the share of pairs where that is measured
    alone, otherwise r, and under it the share where both are."""
    rows: dict[str, Row] = {}
    for found in findings:
        if not math.isnan(found.pearson):
            row = rows.setdefault(found.condition, {"condition": found.condition, "n": found.n})
            row[found.metric] = found.pearson
        if not math.isnan(found.accuracy):
            condition = found.condition
            if not math.isnan(found.pearson):
                condition += ": caption scores higher"
            row = rows.setdefault(condition, {"condition": condition, "n": found.n})
            row[found.metric] = found.accuracy
    return list(rows.values())


def alignment_rows(evaluation: Evaluation) -> list[Row]:
    return [
        {"shift": row.shift, "metric": row.metric, "n": row.n, "r_within_systems": row.r}
        for row in evaluation.alignment.rows
    ]


def unmatched_rows(joined: Joined) -> list[Row]:
    """Captions with scores on one side only."""
    sides = (("human", joined.only_human), ("metrics", joined.only_metrics))
    return [
        {"side": side, "video": str(video), "system": str(system)}
        for side, index in sides
        for video, system in index
    ]
