"""How far a ranking can be trusted: agreement, replication, thresholds, second opinions.

One pure function beside `analysis.pipeline.analyse`: what it computes changes no score and no rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.pipeline import Analysis, answers
from analysis.stats.agreement import (
    KrippendorffAlpha,
    effective_annotators,
    krippendorff_alpha,
    shared_ratings,
)
from analysis.stats.icc import IntraclassCorrelation, intraclass_correlations
from analysis.stats.mixed import MixedModel, mixed_model
from analysis.stats.pairwise import PairwiseAgreement, pairwise_agreement
from analysis.stats.replication import SelfReplication, self_replication
from analysis.stats.sensitivity import ThresholdSensitivity, threshold_sensitivity
from analysis.stats.separation import Separation, ratings_to_separate
from analysis.stats.stopping import AnytimeDifferences, anytime_differences

MIXED_LEVELS = 1_000
"""Annotators or videos, whichever are fewer, up to which the mixed model takes about a second."""


@dataclass(frozen=True, slots=True, eq=False)
class Trust:
    """Results beside a ranking; `None` where there is nothing to compute one from."""

    alpha_raw: KrippendorffAlpha
    alpha_z: KrippendorffAlpha
    intraclass: tuple[IntraclassCorrelation, ...]
    pairwise: PairwiseAgreement
    effective_annotators: float
    replication: SelfReplication
    replication_raw: SelfReplication
    sensitivity: ThresholdSensitivity | None
    """None without a degraded caption: there is no threshold to vary."""
    separations: tuple[Separation, ...]
    anytime: AnytimeDifferences
    mixed: MixedModel | None
    """None for a crowd and a campaign both larger than `MIXED_LEVELS`."""


def assess_trust(analysis: Analysis, *, splits: int = 1_000, draws: int = 200) -> Trust:
    """Everything that says how far to trust the ranking, from the same ratings and seed.

    Parameters
    ----------
    splits
        Splits of the annotators into halves, for self-replication.
    draws
        Random drops of annotators beside every quality threshold.
    """
    ratings, used = analysis.ratings, analysis.used
    raw, z = answers(ratings, analysis.standardised, analysis.settings)
    plain = raw.astype(float)
    shared = shared_ratings(ratings, raw, used)
    counted = ratings.scores_a_caption & used[ratings.annotator]
    return Trust(
        alpha_raw=krippendorff_alpha(shared),
        alpha_z=krippendorff_alpha(shared_ratings(ratings, z, used)),
        intraclass=intraclass_correlations(shared),
        pairwise=pairwise_agreement(shared, rng=_generator(analysis, 1)),
        effective_annotators=effective_annotators(ratings.annotator[counted]),
        replication=self_replication(ratings, z, used, rng=_generator(analysis, 2), splits=splits),
        replication_raw=self_replication(
            ratings, plain, used, rng=_generator(analysis, 2), splits=splits
        ),
        sensitivity=_sensitivity(analysis, z, draws),
        separations=tuple(
            ratings_to_separate(
                analysis.ranking.p,
                analysis.ranking.order,
                analysis.systems.ratings,
                alpha=analysis.settings.alpha,
            )
        ),
        anytime=anytime_differences(
            analysis.captions,
            len(ratings.systems),
            planned_captions=analysis.settings.planned_captions or len(ratings.items),
            alpha=analysis.settings.alpha,
        ),
        mixed=_second_opinion(analysis, raw, counted),
    )


def _generator(analysis: Analysis, stream: int) -> np.random.Generator:
    """Each use its own stream of the one seed, so that none disturbs another."""
    return np.random.default_rng([analysis.settings.seed, stream])


def _sensitivity(
    analysis: Analysis, z: NDArray[np.float64], draws: int
) -> ThresholdSensitivity | None:
    p = analysis.quality.pairs.p
    if np.isnan(p).all():
        return None
    return threshold_sensitivity(analysis.ratings, z, p, rng=_generator(analysis, 3), draws=draws)


def _second_opinion(
    analysis: Analysis, raw: NDArray[Any], rows: NDArray[np.bool_]
) -> MixedModel | None:
    ratings = analysis.ratings
    people, videos = (len(np.unique(codes[rows])) for codes in (ratings.annotator, ratings.item))
    if min(people, videos) > MIXED_LEVELS:
        return None
    return mixed_model(
        raw[rows],
        ratings.system[rows],
        ratings.annotator[rows],
        ratings.item[rows],
        systems=len(ratings.systems),
    )
