"""Do people agree, and how many people is that really?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from analysis.presenting.charts import Row
from analysis.presenting.document import Shown
from analysis.presenting.sentences import number
from analysis.results.registry import Context, Finding
from analysis.stats.agreement import (
    KrippendorffAlpha,
    effective_annotators,
    krippendorff_alpha,
    ordinal_alpha,
    shared_ratings,
)
from analysis.stats.icc import IntraclassCorrelation, intraclass_correlations
from analysis.stats.pairwise import pairwise_agreement

if TYPE_CHECKING:
    from analysis.results.pipeline import Material

INTERVAL: Final = {"low": "95 % from", "high": "to"}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Between people who rated the same captions."""

    krippendorff_z: KrippendorffAlpha
    krippendorff_raw: KrippendorffAlpha
    intraclass: tuple[IntraclassCorrelation, ...]
    annotator_pairs: int
    kendall: float
    spearman: float


def compute(material: Material) -> Agreement:
    analysis, shared = material.analysis, material.shared
    of_raw = ordinal_alpha if analysis.settings.scale.is_ordinal else krippendorff_alpha
    pairs = pairwise_agreement(shared, rng=material.generator(1))
    z = shared_ratings(analysis.ratings, material.answers[1], analysis.used)
    return Agreement(
        krippendorff_z=krippendorff_alpha(z),
        krippendorff_raw=of_raw(shared),
        intraclass=intraclass_correlations(shared),
        annotator_pairs=pairs.pairs,
        kendall=pairs.mean_kendall,
        spearman=pairs.mean_spearman,
    )


def show(found: Agreement, context: Context) -> Shown:
    raw = "levels (ordinal)" if context.settings.scale.is_ordinal else "raw scores"
    said = agreement_sentence(found, raw)
    if not found.krippendorff_z.units:
        return Shown(said)
    rows = agreement_rows(found, raw)
    complete = any("low" in row for row in rows)
    headings = {"form": "Measure", "estimate": "Value"} | (INTERVAL if complete else {})
    return Shown(said, rows, headings)


def agreement_sentence(found: Agreement, raw: str = "raw scores") -> str:
    alpha = found.krippendorff_z
    if alpha.units == 0:
        return (
            "No caption was rated by two people whose ratings count. To see whether people agree, "
            "have more people rate each HIT."
        )
    compared = (
        f" Two annotators with captions in common order them with τ = {number(found.kendall)}"
        f" (ρ = {number(found.spearman)}) on average."
        if found.annotator_pairs
        else ""
    )
    return (
        f"Over {alpha.units:,} captions rated by several people, Krippendorff's α is "
        f"{number(alpha.alpha)} for z scores and {number(found.krippendorff_raw.alpha)} for {raw}: "
        f"{_alpha_means(alpha.alpha)}.{compared}"
    )


def _alpha_means(alpha: float) -> str:
    """Krippendorff's own marks are .667 and .8; one rating of a caption rarely reaches them."""
    if math.isnan(alpha):
        return "the scores do not vary"
    if alpha >= 0.8:
        return "individual ratings are reliable"
    if alpha >= 0.667:
        return "individual ratings allow tentative conclusions"
    return "individual ratings are noisy: trust means over many"


def agreement_rows(found: Agreement, raw: str = "raw scores") -> list[Row]:
    rows: list[Row] = [
        {"form": "Krippendorff's α, z scores", "estimate": found.krippendorff_z.alpha},
        {"form": f"Krippendorff's α, {raw}", "estimate": found.krippendorff_raw.alpha},
        {"form": "Kendall's τ-b, mean over pairs", "estimate": found.kendall},
        {"form": "Spearman's ρ, mean over pairs", "estimate": found.spearman},
    ]
    rows += [
        {"form": result.form, "estimate": result.icc}
        | ({"low": result.low, "high": result.high} if math.isfinite(result.low) else {})
        for result in found.intraclass
    ]
    return rows


@dataclass(frozen=True, slots=True)
class Effective:
    """People whose ratings count, and how many who did equal parts they are worth."""

    annotators: int
    effective: float


def compute_effective(material: Material) -> Effective:
    analysis = material.analysis
    worth = effective_annotators(analysis.ratings.annotator[material.counted])
    return Effective(int(analysis.used.sum()), worth)


def show_effective(found: Effective, context: Context) -> Shown:
    if math.isnan(found.effective):
        return Shown("No annotator's ratings count.")
    return Shown(
        f"The ratings of {found.annotators:,} annotators count. As some rated more than others, "
        f"they carry as much weight as {number(found.effective, 1)} annotators with equal shares."
    )


def record_effective(found: Effective) -> Mapping[str, Any]:
    return {"effective_annotators": found.effective}


FINDINGS: Final = (
    Finding(
        name="agreement",
        title="Agreement",
        question="Do people agree?",
        numbers=Agreement,
        compute=compute,
        show=show,
        place=1,
    ),
    Finding(
        name="effective",
        title="Number of people",
        question="What is the effective number of annotators?",
        numbers=Effective,
        compute=compute_effective,
        show=show_effective,
        record=record_effective,
        place=2,
    ),
)
