"""From ratings to everything the command, the pages and the report show: one pure function."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.sentences import UNCHECKED
from analysis.stats.bootstrap import Intervals, bootstrap_annotators, bootstrap_captions
from analysis.stats.captions import CaptionScores, SystemScores, score_captions, score_systems
from analysis.stats.flags import Evidence, raise_flags
from analysis.stats.quality import Quality, Test, check_quality
from analysis.stats.ranking import Ranking, rank_systems
from analysis.stats.ratings import DEGRADED, Ratings
from analysis.stats.signature import Signature, sign
from analysis.stats.standardise import Basis, Standardised, standardise

if TYPE_CHECKING:
    from analysis.reading import RatingsFile

Question = Literal["combined", "score", "fluency"]
Unit = Literal["caption", "annotator"]

QUICK_RATINGS: Final = 200_000
"""Ratings up to which all that `analysis.results.trust` does takes about a second."""
MOST_DRAWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Every choice that changes a number, with the protocol's own as the default."""

    test: Test = "t"
    """Of quality control: the paired t-test, or the exact Wilcoxon signed-rank test."""
    alpha: float = 0.05
    """Level of the tests between systems."""
    quality_alpha: float = 0.05
    """Level of quality control: who passes does not change with the level of the other tests."""
    minimum_pairs: int = 0
    """Pairs a campaign asks for before it decides about a person, if more than the test needs."""
    keep_all_annotators: bool = False
    """Rank with everybody's ratings, not only with those of annotators who passed."""
    basis: Basis = "all"
    """Ratings over which an annotator's mean and standard deviation are taken."""
    question: Question = "combined"
    """With a fluency question: the mean of both z scores, or one of them alone."""
    resample: Unit = "caption"
    draws: int = 1000
    confidence: float = 0.95
    seed: int = 7
    left_out: tuple[str, ...] = ()
    """Systems that are not ranked, such as all runs of a team but its primary one."""
    planned_captions: int | None = None
    """Captions of each system the campaign set out to have rated, if more than there are now: what
    the stopping rule is laid out for, so it must not follow the ratings as they come in."""
    thorough: bool = False
    """Assess how far to trust the ranking however many ratings there are."""

    def __post_init__(self) -> None:
        if not 1 <= self.draws <= MOST_DRAWS:
            raise ValueError(f"draws must be at least 1 and at most {MOST_DRAWS:,}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if self.planned_captions is not None and self.planned_captions < 1:
            raise ValueError(f"planned_captions must be at least 1, not {self.planned_captions}")
        for name, known in (("question", get_args(Question)), ("resample", get_args(Unit))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}")

    def wants_trust(self, ratings: int) -> bool:
        """Whether the results of so many ratings include how far to trust them."""
        return self.thorough or ratings <= QUICK_RATINGS


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
    alpha = settings.quality_alpha
    quality = check_quality(
        ratings, test=settings.test, alpha=alpha, minimum_pairs=settings.minimum_pairs
    )
    standardised = standardise(ratings, basis=settings.basis)
    used = np.ones_like(quality.passed) if settings.keep_all_annotators else quality.passed
    used = used | np.isin(ratings.annotators, list(evidence.vouched))
    raw, z = answers(ratings, standardised, settings)
    left_out = np.flatnonzero([name in settings.left_out for name in ratings.systems])
    captions = _ranked(score_captions(ratings, raw, z, used), left_out)
    if ratings.is_standardised:
        captions = replace(captions, raw=np.full(len(captions.z), np.nan))
    systems = score_systems(captions, len(ratings.systems))
    ranking = rank_systems(captions, systems, alpha=settings.alpha)
    return Analysis(
        ratings=ratings,
        settings=settings,
        signature=sign(ratings, _choices(ratings, settings, quality.needed, evidence)),
        quality=quality,
        flags=raise_flags(ratings, quality, evidence, alpha=alpha),
        standardised=standardised,
        used=used,
        undefined=int(np.count_nonzero(np.isnan(z) & used[ratings.annotator])),
        captions=captions,
        systems=systems,
        competing=_competing(ratings, ranking, left_out),
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


def answers(
    ratings: Ratings, standardised: Standardised, settings: Settings
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Raw and z value of each rating for the question that ranks."""
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
    return {
        "annotators": "all" if settings.keep_all_annotators else "passed",
        **choices,
        "trust": "assessed" if settings.wants_trust(len(ratings)) else "left-out",
        "evidence": evidence.fingerprint,
    }


def _ranked(captions: CaptionScores, left_out: NDArray[np.intp]) -> CaptionScores:
    """Without those of systems that are left out; annotators' means still rest on all ratings."""
    kept = ~np.isin(captions.system, left_out)
    if len(left_out) and not kept.any():
        raise ValueError("every system is left out, so nothing is left to rank: keep one of them")
    return replace(
        captions, **{one.name: getattr(captions, one.name)[kept] for one in fields(captions)}
    )


def _competing(ratings: Ratings, ranking: Ranking, left_out: NDArray[np.intp]) -> NDArray[np.intp]:
    rated = np.flatnonzero(np.bincount(ratings.system[ratings.scores_a_caption]))
    rated = rated[~np.isin(rated, left_out)]
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


def unchecked(file: RatingsFile, settings: Settings) -> tuple[RatingsFile, Settings]:
    """Ratings without a degraded caption check nobody: they are ranked all the same, and noted."""
    if settings.keep_all_annotators or np.any(file.ratings.kind == DEGRADED):
        return file, settings
    note = f"{UNCHECKED}: everybody's ratings count"
    kept = replace(settings, keep_all_annotators=True)
    return replace(file, notes=(*file.notes, note)), kept
