"""From joined scores to everything the command and the report show: one pure function."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.alignment import Alignment
from analysis.evaluation.filtering import Filtered, filter_captions
from analysis.evaluation.fusing import FusionResult, fuse
from analysis.evaluation.joining import Joined
from analysis.evaluation.levels import (
    LevelResult,
    Rows,
    caption_level,
    draws_to_decide,
    system_level,
)
from analysis.evaluation.scores import captions_have
from analysis.evaluation.settings import Settings
from analysis.evaluation.verdicts import Verdict, judge_pairs
from analysis.evaluation.words import WordDetection
from analysis.stats.correlation import (
    COEFFICIENTS,
    FEWEST,
    Coefficient,
    GroupCorrelations,
    correlations_by_group,
)
from analysis.stats.permutation import PermutationComparison, permutation_test_by_item
from analysis.stats.reliability import SplitHalf
from analysis.stats.signature import Signature

if TYPE_CHECKING:
    import pandas as pd

TITLES = {"pearson": "r", "spearman": "ρ", "kendall_b": "τ-b", "kendall_c": "τ-c"}
VERSION = "3"
"""Of the method: raised whenever the same scores and settings would give another number."""


@dataclass(frozen=True, slots=True, eq=False)
class AgainstHuman:
    """Every metric against one column of human scores, over the captions complete in all."""

    human: str
    metrics: tuple[str, ...]
    rows: Rows
    used: NDArray[np.bool_]
    """Captions of the join that are complete."""
    caption: LevelResult
    system: LevelResult
    by_system: GroupCorrelations
    by_video: GroupCorrelations
    by_video_test: PermutationComparison | None
    """Of τ-b within videos, averaged; None with one metric, or one system."""
    filters: tuple[Filtered, ...]
    verdicts: tuple[Verdict, ...]
    fusion: FusionResult | None
    reliability: SplitHalf | None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """All results, one part per column of human scores."""

    joined: Joined
    settings: Settings
    signature: Signature
    parts: tuple[AgainstHuman, ...]
    alignment: Alignment
    warnings: tuple[str, ...]
    """What the reader should know before believing a number, in sentences."""
    facts: Mapping[str, str] = field(default_factory=dict)
    words: tuple[WordDetection, ...] = ()
    """How well metrics that score words find those that people marked."""


def evaluate_metrics(
    joined: Joined,
    settings: Settings | None = None,
    *,
    alignment: Alignment | None = None,
    reliability: Mapping[str, SplitHalf] | None = None,
    facts: Mapping[str, str] | None = None,
    words: Sequence[WordDetection] = (),
) -> Evaluation:
    """Correlations, comparisons, outliers and fusion for every column of human scores.

    Parameters
    ----------
    alignment
        What `check_alignment` found, for the report.
    reliability
        Split-half reliability of a column of human scores, where the ratings tell it.
    facts
        What else decided the numbers (shift, annotators, signatures of metrics): they are signed.
    words
        What `judge_words` found, where people marked words.

    Raises
    ------
    ValueError
        When fewer than three captions are complete.
    """
    settings, facts = settings or Settings(), dict(facts or {})
    reliable = reliability or {}
    metrics, empty = _with_values(joined)
    shift = int(facts.get("shift", "0"))
    warnings = [*joined.notes, *_about_shift(alignment, shift), *empty, *_about_systems(joined)]
    parts = []
    for human in map(str, joined.human.columns):
        rows, used = complete_captions(joined, human, metrics)
        warnings += _about_rows(human, joined, metrics, used, rows)
        parts.append(_against(human, metrics, rows, used, settings, reliable.get(human)))
        warnings += [*_about_widths(parts[-1]), *_about_exchanges(parts[-1], settings.alpha)]
    return Evaluation(
        joined=joined,
        settings=settings,
        signature=sign(joined, settings, facts),
        parts=tuple(parts),
        alignment=alignment or Alignment(),
        warnings=tuple(dict.fromkeys(warnings)),
        facts=facts,
        words=tuple(words),
    )


def _against(
    human: str,
    metrics: pd.DataFrame,
    rows: Rows,
    used: NDArray[np.bool_],
    settings: Settings,
    reliability: SplitHalf | None,
) -> AgainstHuman:
    caption = caption_level(rows, settings)
    filters = filter_captions(rows, settings)
    return AgainstHuman(
        human=human,
        metrics=tuple(map(str, metrics.columns)),
        rows=rows,
        used=used,
        caption=caption,
        system=system_level(rows, settings),
        by_system=correlations_by_group(rows.human, rows.metrics, rows.system, len(rows.systems)),
        by_video=correlations_by_group(rows.human, rows.metrics, rows.video, len(rows.videos)),
        by_video_test=_within_videos(rows, settings),
        filters=filters,
        verdicts=_judged(rows, caption, filters, settings),
        fusion=fuse(rows, settings),
        reliability=reliability,
    )


def _within_videos(rows: Rows, settings: Settings) -> PermutationComparison | None:
    metrics = rows.metrics.shape[1]
    if metrics < 2 or len(rows.systems) < 2:
        return None
    rng = np.random.default_rng([settings.seed, 7])
    draws = draws_to_decide(metrics, settings)
    return permutation_test_by_item(rows.human, rows.metrics, rows.video, rng=rng, draws=draws)


def _judged(
    rows: Rows, caption: LevelResult, filters: Sequence[Filtered], settings: Settings
) -> tuple[Verdict, ...]:
    if caption.comparisons is None:
        return ()
    return judge_pairs(rows, caption.comparisons, filters, settings)


def _with_values(joined: Joined) -> tuple[pd.DataFrame, list[str]]:
    """Metrics that have any value, and one sentence about those that have none."""
    metrics = joined.metrics
    empty = [str(name) for name in metrics.columns if metrics[name].isna().all()]
    if len(empty) == len(metrics.columns):
        reasons = joined.notes or ("the .json beside a file of scores says why",)
        raise ValueError(
            f"No metric has a value for any caption that people scored: {'; '.join(reasons)}."
        )
    verb = (
        "has no value for any of these captions and is"
        if len(empty) == 1
        else ("have no value for any of these captions and are")
    )
    said = [f"{', '.join(empty)} {verb} left out"] if empty else []
    return metrics.drop(columns=empty), said


def complete_captions(
    joined: Joined, human: str, metrics: pd.DataFrame
) -> tuple[Rows, NDArray[np.bool_]]:
    """Captions with every score, coded, and which of the join they are."""
    complete = joined.human[human].notna() & metrics.notna().all(axis=1)
    used = complete.to_numpy()
    count = int(used.sum())
    if count < FEWEST:
        raise ValueError(
            f"{captions_have(count)} a score in {human} and in every metric; a correlation needs "
            f"at least {FEWEST}. Leave out metrics with few values (--only)."
        )
    videos, video = np.unique(np.array(joined.videos)[used], return_inverse=True)
    systems, system = np.unique(np.array(joined.systems)[used], return_inverse=True)
    rows = Rows(
        human=joined.human[human].to_numpy()[used],
        metrics=metrics.to_numpy()[used],
        video=video,
        system=system,
        videos=tuple(videos.tolist()),
        systems=tuple(systems.tolist()),
        unit="captions" if joined.captions == len(joined) else "ratings",
    )
    return rows, used


def _about_shift(alignment: Alignment | None, shift: int) -> list[str]:
    if alignment is None or alignment.found in (None, shift):
        return []
    return [
        f"Scores and captions seem to belong together at a shift of {alignment.found:+d}, and "
        f"{shift:+d} was asked for: these may be the scores of other captions"
    ]


def _about_widths(part: AgainstHuman) -> list[str]:
    """Intervals without width look like certainty, and are none."""
    found = []
    for level in (part.caption, part.system):
        flat = [
            f"{TITLES[name]} of {', '.join(named)}"
            for name in COEFFICIENTS
            if (named := _without_width(part, level, name))
        ]
        if flat:
            units = part.rows.unit if level.level == "caption" else "systems"
            found.append(no_width(int(level.correlations.n.max()), units, "; ".join(flat)))
    return found


def no_width(count: int, units: str, flat: str) -> str:
    """What an interval without width does not mean."""
    return (
        f"Over {count:,} {units} the interval of {flat} has no width: every resample of videos "
        f"gives the same value, as can happen with few {units} or few videos; this does not mean "
        "certainty"
    )


def _about_exchanges(part: AgainstHuman, alpha: float) -> list[str]:
    """Where a permutation test cannot be significant, however much metrics differ."""
    metrics = len(part.metrics)
    pairs, found = metrics * (metrics - 1), []
    for level, name in ((part.caption, "videos"), (part.system, "systems")):
        test = level.comparisons.permutation if level.comparisons else None
        if test is not None and test.smallest_p * pairs >= alpha:
            found.append(
                f"With so few {name} there are {test.draws:,} ways to exchange two metrics: after "
                f"Holm none of the {pairs:,} comparisons over {name} can be significant by the "
                "permutation test"
            )
    ordering = part.system.ordering
    if ordering is not None and ordering.smallest_p >= alpha:
        found.append(
            f"With so few systems there are {ordering.draws:,} ways to exchange two metrics: no "
            "metric can be significantly better in pairwise accuracy"
        )
    return found


def _without_width(part: AgainstHuman, level: LevelResult, name: Coefficient) -> list[str]:
    low, high = level.low.of(name), level.high.of(name)
    return [metric for metric, flat in zip(part.metrics, low == high, strict=True) if flat]


def _about_systems(joined: Joined) -> list[str]:
    systems = sorted(set(joined.systems))
    if joined.unnamed:
        return ["The captions name no systems, so nothing is defined at the system level"]
    if len(systems) == 1:
        return [f"There is one system, {systems[0]}: nothing is defined at the system level"]
    if len(systems) < FEWEST:
        return ["There are two systems: a correlation over systems needs at least three"]
    return []


def _about_rows(
    human: str, joined: Joined, metrics: pd.DataFrame, used: NDArray[np.bool_], rows: Rows
) -> list[str]:
    found = []
    if joined.captions < len(joined):
        found.append(
            f"Each row is one rating: n counts {int(used.sum()):,} ratings of "
            f"{joined.human.index[used].nunique():,} captions, not captions"
        )
    if missing := int(joined.human[human].isna().sum()):
        found.append(f"{captions_have(missing)} no score in {human}")
    for name in metrics.columns:
        if absent := int(metrics[name].isna().sum()):
            found.append(
                f"{captions_have(absent)} no value of {name}; all metrics are compared on the "
                f"{int(used.sum()):,} captions that have every value"
            )
    if np.ptp(rows.human) == 0:
        found.append(f"All human scores in {human} are the same, so no correlation is defined")
    found += [
        f"{name} gives every caption the same score: no correlation is defined for it"
        for name, values in zip(metrics, rows.metrics.T, strict=True)
        if np.ptp(values) == 0
    ]
    return found


def sign(joined: Joined, settings: Settings, facts: Mapping[str, str]) -> Signature:
    """Two evaluations with the same signature give the same numbers."""
    parts = {
        "captions": len(joined),
        "data": data_hash(joined)[:16],
        **facts,
        **asdict(settings),
        "version": VERSION,
    }
    return Signature(tuple((name, str(value)) for name, value in parts.items()))


def data_hash(joined: Joined) -> str:
    """SHA-256 of every score and label; rows stand in sorted order whatever the file's was."""
    digest = hashlib.sha256()
    for side in (joined.human, joined.metrics):
        digest.update(repr([str(name) for name in side.columns]).encode())
        digest.update(np.ascontiguousarray(side.to_numpy(), dtype="<f8").tobytes())
    for labels in (joined.videos, joined.systems):
        digest.update(repr(labels).encode())
    return digest.hexdigest()
