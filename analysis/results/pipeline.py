"""From ratings to everything the command, the pages and the report show. Pure.

`analyse` ranks; `summarise` computes the numbers of every finding (`analysis.results.registry`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.sentences import UNCHECKED
from analysis.results.registry import Counts, Summary, findings
from analysis.results.settings import Settings
from analysis.stats.agreement import AnnotatorValues, shared_ratings
from analysis.stats.bootstrap import Intervals, bootstrap_annotators, bootstrap_captions
from analysis.stats.captions import CaptionScores, SystemScores, score_captions, score_systems
from analysis.stats.flags import Evidence, raise_flags
from analysis.stats.quality import FAILED, INSUFFICIENT, PASSED, Quality, check_quality
from analysis.stats.ranking import Ranking, rank_systems
from analysis.stats.ratings import DEGRADED, Ratings
from analysis.stats.signature import Signature, sign
from analysis.stats.standardise import Standardised, standardise

if TYPE_CHECKING:
    from analysis.reading import RatingsFile


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """All results. Vectors stand in the order of the labels in `ratings`."""

    ratings: Ratings
    settings: Settings
    signature: Signature
    quality: Quality
    flags: tuple[tuple[str, ...], ...]
    standardised: Standardised
    used: NDArray[np.bool_]
    """Annotators whose ratings count in the ranking."""
    undefined: int
    """Ratings of annotators in use that have no z score and are therefore left out."""
    captions: CaptionScores
    systems: SystemScores
    competing: NDArray[np.intp]
    """Systems with rated captions, ranked ones first; the others only supply controls."""
    ranking: Ranking
    intervals: Intervals


def analyse(
    ratings: Ratings, settings: Settings | None = None, evidence: Evidence | None = None
) -> Analysis:
    """Quality control, standard scores, caption and system scores, significance and intervals.

    Raises
    ------
    ValueError
        When no system has two captions, or a setting makes no sense.
    """
    settings = settings or Settings()
    evidence = evidence or Evidence()
    _refuse_nothing_to_rank(ratings)
    _refuse_another_scale(ratings, settings)
    alpha = settings.quality_alpha
    quality = check_quality(
        ratings, test=settings.test, alpha=alpha, minimum_pairs=settings.minimum_pairs
    )
    standardised = standardise(ratings, basis=settings.basis)
    used = np.ones_like(quality.passed) if settings.keep_all_annotators else quality.passed
    used = used | np.isin(ratings.annotators, list(evidence.vouched))
    raw, z = answers(ratings, standardised, settings)
    gone = left_out(ratings, settings)
    captions = score_captions(ratings, raw, z, used)
    if ratings.is_standardised:
        captions = replace(captions, raw=np.full(len(captions.z), np.nan))
    systems = score_systems(captions, len(ratings.systems))
    ranking = rank_systems(captions, systems, alpha=settings.alpha)
    return Analysis(
        ratings=ratings,
        settings=settings,
        signature=sign(ratings, _choices(ratings, settings, quality.needed, evidence)),
        quality=quality,
        flags=raise_flags(ratings, quality, evidence, alpha=alpha, scale=settings.scale),
        standardised=standardised,
        used=used,
        undefined=int(np.count_nonzero(np.isnan(z) & used[ratings.annotator] & ~gone)),
        captions=captions,
        systems=systems,
        competing=_competing(ratings, ranking, gone),
        ranking=ranking,
        intervals=_resampled(ratings, z, used, captions, settings),
    )


def _refuse_nothing_to_rank(ratings: Ratings) -> None:
    rows = ratings.scores_a_caption
    system, item = ratings.system[rows], ratings.item[rows]
    first = np.full(len(ratings.systems), -1)
    first[system] = item
    if not np.any(item != first[system]):
        raise ValueError(
            "no system has ratings of two captions, so there is nothing to rank: have captions of "
            "more videos rated"
        )


def _refuse_another_scale(ratings: Ratings, settings: Settings) -> None:
    scale = settings.scale
    outside = (ratings.score < scale.low) | (ratings.score > scale.high)
    if outside.any() and not ratings.is_standardised:
        raise ValueError(
            f"score {ratings.score[outside][0]} is not from {scale.low} to {scale.high}, as the "
            f"protocol {settings.protocol} has it"
        )


def answers(
    ratings: Ratings, standardised: Standardised, settings: Settings
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Raw and z value of each rating for the question that ranks; no z where a system is left
    out."""
    raw, z = _answers(ratings, standardised, settings)
    gone = left_out(ratings, settings)
    return raw, np.where(gone, np.nan, z) if gone.any() else z


def _answers(
    ratings: Ratings, standardised: Standardised, settings: Settings
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    score, z = ratings.score, standardised.z
    if settings.question == "score" or (
        settings.question == "combined" and ratings.fluency is None
    ):
        return score, z
    if ratings.fluency is None:
        raise ValueError("question is 'fluency', but the ratings have no fluency")
    fluency = standardise(ratings, ratings.fluency, basis=settings.basis).z
    if settings.question == "fluency":
        return ratings.fluency, fluency
    return (score + ratings.fluency) / 2, (z + fluency) / 2


def _choices(
    ratings: Ratings, settings: Settings, needed: int, evidence: Evidence
) -> dict[str, object]:
    planned = settings.planned_captions or len(ratings.items)
    choices = asdict(settings) | {"minimum_pairs": needed, "planned_captions": planned}
    del choices["keep_all_annotators"], choices["thorough"]
    choices["left_out"] = ",".join(sorted(settings.left_out))
    if not settings.left_out:
        del choices["left_out"]
    if settings.protocol == "direct":
        del choices["protocol"]  # which signatures have never named
    return {
        "annotators": "all" if settings.keep_all_annotators else "passed",
        **choices,
        "trust": "assessed" if settings.wants_trust(len(ratings)) else "left-out",
        "evidence": evidence.fingerprint,
    }


def left_out(ratings: Ratings, settings: Settings) -> NDArray[np.bool_]:
    """Ratings of systems that are not ranked; annotators' means still rest on them."""
    gone = np.array([name in settings.left_out for name in ratings.systems])
    if gone.all():
        raise ValueError("every system is left out, so nothing is left to rank: keep one of them")
    return np.asarray(gone[ratings.system])


def _competing(ratings: Ratings, ranking: Ranking, gone: NDArray[np.bool_]) -> NDArray[np.intp]:
    rated = np.flatnonzero(np.bincount(ratings.system[ratings.scores_a_caption & ~gone]))
    return np.concatenate([ranking.order, np.setdiff1d(rated, ranking.order)])


def _resampled(
    ratings: Ratings,
    z: NDArray[np.float64],
    used: NDArray[np.bool_],
    captions: CaptionScores,
    settings: Settings,
) -> Intervals:
    rng = np.random.default_rng(settings.seed)
    draws, confidence = settings.draws, settings.confidence
    if settings.resample == "annotator":
        return bootstrap_annotators(ratings, z, used, rng=rng, draws=draws, confidence=confidence)
    return bootstrap_captions(
        captions, len(ratings.systems), rng=rng, draws=draws, confidence=confidence
    )


@dataclass(frozen=True, eq=False)
class Material:
    """What findings are computed from.

    Parameters
    ----------
    splits : of the annotators into halves, for self-replication
    draws : random drops of annotators beside every quality threshold
    """

    analysis: Analysis
    splits: int = 1_000
    draws: int = 200

    @cached_property
    def answers(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Raw and z value of each rating."""
        return answers(self.analysis.ratings, self.analysis.standardised, self.analysis.settings)

    @cached_property
    def shared(self) -> AnnotatorValues:
        """Raw scores of captions that several people rated."""
        return shared_ratings(self.analysis.ratings, self.answers[0], self.analysis.used)

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Ratings of captions that count."""
        ratings = self.analysis.ratings
        return ratings.scores_a_caption & self.analysis.used[ratings.annotator]

    def generator(self, stream: int) -> np.random.Generator:
        """Each use its own stream of the one seed, so that none disturbs another."""
        return np.random.default_rng([self.analysis.settings.seed, stream])


def summarise(
    analysed: Analysis, *, notes: Sequence[str] = (), splits: int = 1_000, draws: int = 200
) -> Summary:
    """The numbers of every finding; of many ratings only those that are quick to compute."""
    material = Material(analysed, splits, draws)
    wants_all = analysed.settings.wants_trust(len(analysed.ratings))
    return Summary(
        signature=analysed.signature,
        settings=analysed.settings,
        counts=counts(analysed),
        notes=tuple(notes),
        numbers={
            finding.name: finding.compute(material)
            for finding in findings()
            if wants_all or finding.is_quick
        },
    )


def counts(analysed: Analysis) -> Counts:
    status = analysed.quality.status
    return Counts(
        ratings=len(analysed.ratings),
        ratings_used=int(analysed.captions.n.sum()),
        ratings_without_z=analysed.undefined,
        annotators=len(status),
        annotators_used=int(analysed.used.sum()),
        annotators_passed=status.count(PASSED),
        annotators_failed=status.count(FAILED),
        annotators_insufficient=status.count(INSUFFICIENT),
        captions=len(analysed.captions.n),
        systems=len(analysed.competing),
    )


def unchecked(file: RatingsFile, settings: Settings) -> tuple[RatingsFile, Settings]:
    """With the rules that ratings bring along. Without a degraded caption nobody is checked: they
    are ranked all the same, and it is noted."""
    settings = replace(
        settings,
        keep_all_annotators=settings.keep_all_annotators or file.everybody,
        minimum_pairs=settings.minimum_pairs or file.minimum_pairs,
    )
    if settings.keep_all_annotators or np.any(file.ratings.kind == DEGRADED):
        return file, settings
    note = f"{UNCHECKED}: everybody's ratings count"
    kept = replace(settings, keep_all_annotators=True)
    return replace(file, notes=(*file.notes, note)), kept
