"""A second opinion: a mixed model of raw scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.presenting.document import Shown
from analysis.presenting.sentences import number
from analysis.results.registry import Context, Finding
from analysis.stats.mixed import mixed_model

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

MIXED_LEVELS: Final = 1_000
"""Annotators or videos, whichever are fewer, up to which the mixed model takes about a second."""
HEADINGS: Final = {"system": "System", "mean": "Mean score", "standard_error": "Standard error"}


@dataclass(frozen=True, slots=True)
class SystemMean:
    system: str
    mean: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class Model:
    """``systems`` in the order of the ranking."""

    systems: tuple[SystemMean, ...]
    sd_annotator: float
    sd_item: float
    sd_residual: float
    deviance: float


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Without a model for a crowd and a campaign both larger than `MIXED_LEVELS`, and of z
    scores."""

    model: Model | None
    has_raw_scores: bool


def compute(material: Material) -> SecondOpinion:
    is_raw = not material.analysis.ratings.is_standardised
    return SecondOpinion(_model(material) if is_raw else None, is_raw)


def _model(material: Material) -> Model | None:
    analysis, rows = material.analysis, material.counted
    ratings = analysis.ratings
    people, videos = (len(np.unique(codes[rows])) for codes in (ratings.annotator, ratings.item))
    if min(people, videos) > MIXED_LEVELS:
        return None
    model = mixed_model(
        material.answers[0][rows],
        ratings.system[rows],
        ratings.annotator[rows],
        ratings.item[rows],
        systems=len(ratings.systems),
    )
    means = (
        SystemMean(ratings.systems[code], float(model.mean[code]), float(error))
        for code, error in zip(
            analysis.ranking.order,
            model.standard_error[analysis.ranking.order],
            strict=True,
        )
    )
    spread = (model.sd_annotator, model.sd_item, model.sd_residual, model.deviance)
    return Model(tuple(means), *map(float, spread))


def show(found: SecondOpinion, context: Context) -> Shown:
    rows = [asdict(mean) for mean in found.model.systems] if found.model else []
    return Shown(mixed_sentence(found), rows, HEADINGS, summary="Means of the mixed model")


def mixed_sentence(found: SecondOpinion) -> str:
    model = found.model
    if not found.has_raw_scores:
        return "The mixed model needs raw scores, but the file holds z scores."
    if model is None:
        return "The mixed model was left out: the campaign is too large for it."
    if len(model.systems) < 2 or math.isnan(model.sd_residual):
        return "The mixed model is not defined for these ratings."
    best = max(model.systems, key=lambda each: each.mean)
    verdict = (
        "puts the systems in the same order"
        if all(above.mean >= below.mean for above, below in pairwise(model.systems))
        else f"would rank {best.system} first"
        if best is not model.systems[0]
        else "agrees on the first place but not on every other"
    )
    return (
        "A mixed model of raw scores that accounts for harsh annotators and difficult videos "
        f"{verdict}. "
        f"Annotators differ by {number(model.sd_annotator, 1)} points (standard deviation), videos "
        f"by {number(model.sd_item, 1)}; {number(model.sd_residual, 1)} remain unexplained."
    )


def record(found: SecondOpinion) -> Mapping[str, Any]:
    return {"mixed_model": found.model}


FINDINGS: Final = (
    Finding(
        name="mixed_model",
        title="Second opinion",
        question="Does a second method agree?",
        numbers=SecondOpinion,
        compute=compute,
        show=show,
        record=record,
        place=7,
    ),
)
