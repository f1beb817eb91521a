"""What the numbers say, in plain sentences: the same ones in the report and on the pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from analysis.pipeline import Analysis
from analysis.stats.quality import FAILED, INSUFFICIENT, PASSED

if TYPE_CHECKING:
    from analysis.trust import Trust

UNDEFINED = "not defined"
NOTHING = "No two systems have ratings that count: there is nothing to compare yet."
NAMED = 4  # systems listed by name before "and n more"
DIGITS = {
    "raw": 1,
    "original": 1,
    "degraded": 1,
    "repeat_distance": 1,
    "seconds": 1,
    "factor": 1,
    "more_ratings": 0,
}
PROBABILITIES = ("p", "p_holm", "p_bh")


def number(value: float, digits: int = 2) -> str:
    """
    >>> number(1234.5678), number(-0.031, 3), number(float("nan"))
    ('1,234.57', '−0.031', 'not defined')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{digits}f}".replace("-", "−")


def probability(p: float) -> str:
    """
    >>> probability(0.0312), probability(0.00004), probability(0.9997)
    ('0.031', '< 0.001', '> 0.999')
    """
    return "< 0.001" if p < 0.001 else "> 0.999" if p > 0.999 else number(p, 3)


def p_is(p: float) -> str:
    """What follows the letter p in a sentence.

    >>> p_is(0.0312), p_is(0.00004), p_is(1.0)
    ('= 0.031', '< 0.001', '> 0.999')
    """
    said = probability(p)
    return said if said[0] in "<>" else f"= {said}"


def cell(name: str, value: object) -> str:
    """What stands in a cell of the column of that name.

    >>> cell("z", -0.12345), cell("p_holm", 0.0001), cell("kept", 1200), cell("z", None)
    ('−0.123', '< 0.001', '1,200', 'not defined')
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if name in PROBABILITIES:
        return probability(value)
    return number(value, DIGITS.get(name, 3))


def is_number(value: object) -> bool:
    """Whether it is lined up as a number; what is not defined does not disturb a column of them."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C", "D", "E", "F"])
    ('A', 'A and B', 'A, B, C, D and 2 more')
    """
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def missing_sentence(analysis: Analysis) -> str:
    """Why no system is ranked: what is lacking. Empty where one is."""
    if len(analysis.ranking.order):
        return ""
    if not analysis.used.any():
        return _nobody_counts(analysis)
    ratings = analysis.ratings
    if not analysis.used[ratings.annotator[ratings.scores_a_caption]].any():
        return "Nobody whose ratings count has rated a caption of a system yet."
    return "Everybody whose ratings count gave the same score each time: that ranks nothing."


def _nobody_counts(analysis: Analysis) -> str:
    status = analysis.quality.status
    failed, few = status.count(FAILED), status.count(INSUFFICIENT)
    needed = analysis.settings.minimum_pairs
    found = [f"{failed:,} failed quality control"] if failed else []
    found += (
        [f"{few:,} rated too few degraded captions to tell, {needed} are needed"] if few else []
    )
    people = "One person has" if len(status) == 1 else f"{len(status):,} people have"
    return f"{people} rated, but nobody’s ratings count: {'; '.join(found)}."


def ranking_sentence(analysis: Analysis) -> str:
    order = analysis.ranking.order
    if len(order) == 0:
        return f"There is no ranking yet. {missing_sentence(analysis)}"
    names, first = analysis.ratings.systems, int(order[0])
    score = f"a mean z of {number(analysis.systems.z[first])}"
    share = [names[code] for code in order if analysis.ranking.rank_low[code] == 1]
    if len(order) == 1:
        return f"{names[first]} is the only system, with {score}."
    if len(share) == 1:
        return f"{names[first]} leads with {score}; every other system is significantly worse."
    if len(share) == len(order):
        return (
            f"{names[first]} has the highest score, {score}, but no group of systems is "
            "significantly better than the rest."
        )
    return (
        f"{listed(share)} share the first place: {names[first]} has {score}, and each of them is "
        "significantly better than all the others."
    )


def quality_sentence(analysis: Analysis) -> str:
    status = analysis.quality.status
    passed, failed, few = (status.count(verdict) for verdict in (PASSED, FAILED, INSUFFICIENT))
    others = [f"{failed:,} failed"] if failed else []
    others += [f"{few:,} rated too few degraded captions to tell"] if few else []
    rest = f"{'; '.join(others)}. " if others else ""
    everybody = analysis.settings.keep_all_annotators
    who = "Everybody's ratings" if everybody else "Only the ratings of those who passed"
    reliably = ": they rated degraded captions reliably lower than the originals" if passed else ""
    return (
        f"{passed:,} of {len(status):,} annotators passed{reliably}. {rest}{who} count in the "
        "ranking."
    )


def raw_sentence(analysis: Analysis) -> str:
    """Raw beside z: would it have mattered?"""
    order = analysis.ranking.order
    if len(order) < 2:
        return NOTHING
    raw, names = analysis.systems.raw[order], analysis.ratings.systems
    swapped = [
        f"{names[order[above]]} ↔ {names[order[below]]}"
        for above in range(len(order))
        for below in range(above + 1, len(order))
        if raw[below] > raw[above]
    ]
    if not swapped:
        return "Raw scores put the systems in the same order as z scores."
    pairs = len(order) * (len(order) - 1) // 2
    return f"Raw scores would swap {len(swapped)} of {pairs} pairs of systems: {listed(swapped)}."


def agreement_sentence(trust: Trust) -> str:
    alpha = trust.alpha_z
    if alpha.units == 0:
        return (
            "No caption was rated by two people whose ratings count. To see whether people agree, "
            "ask more of them about each HIT."
        )
    pairs = trust.pairwise
    compared = (
        f" Two annotators with captions in common order them with τ = {number(pairs.mean_kendall)}"
        f" (ρ = {number(pairs.mean_spearman)}) on average."
        if pairs.pairs
        else ""
    )
    return (
        f"Over {alpha.units:,} captions rated by several people, Krippendorff's α is "
        f"{number(alpha.alpha)} for z scores and {number(trust.alpha_raw.alpha)} for raw scores: "
        f"{_alpha_means(alpha.alpha)}.{compared}"
    )


def _alpha_means(alpha: float) -> str:
    """Krippendorff's own marks are .667 and .8; one rating of a caption rarely reaches them."""
    if math.isnan(alpha):
        return "the scores do not vary"
    if alpha >= 0.8:
        return "single ratings can be relied on"
    if alpha >= 0.667:
        return "single ratings allow tentative conclusions"
    return "single ratings are noisy, trust means over many of them"


def effective_sentence(analysis: Analysis, trust: Trust) -> str:
    people = int(analysis.used.sum())
    if math.isnan(trust.effective_annotators):
        return "No annotator's ratings count."
    return (
        f"The ratings of {people:,} annotators count; shared out as unevenly as they are, they are "
        f"worth those of {number(trust.effective_annotators, 1)} who did equal parts."
    )


def replication_sentence(trust: Trust) -> str:
    found = trust.replication.pearson
    if math.isnan(found.mean):
        return (
            "Whether it repeats can be told with three systems or more, rated by two annotators or "
            "more whose ratings count."
        )
    return (
        f"In {trust.replication.splits:,} random splits of the annotators into two crowds, the two "
        f"sets of system scores correlate at r = {number(found.mean, 3)} on average (95 % of them "
        f"between {number(found.low, 3)} and {number(found.high, 3)}). A second crowd of the same "
        f"size should agree at r = {number(found.reliability, 3)}."
    )


def sensitivity_sentence(trust: Trust) -> str:
    result = trust.sensitivity
    if result is None:
        return "Without degraded captions there is no quality threshold to vary."
    if np.isnan(result.tau).all():
        return "No threshold leaves annotators who rated two systems."
    outside = result.thresholds[result.outside]
    if len(outside) == 0:
        return (
            "The quality threshold does not matter much: none changes the ranking more than "
            "dropping as many annotators at random does."
        )
    named = listed([f"{level:g}" for level in outside])
    return (
        f"At p < {named} the ranking differs from everybody's more than it would if as many "
        "annotators had been dropped at random: those who fail rate systems differently."
    )


def separation_sentence(analysis: Analysis, trust: Trust) -> str:
    if len(analysis.ranking.order) < 2:
        return NOTHING
    if not trust.separations:
        return "Every pair of systems is separated."
    names = analysis.ratings.systems
    possible = [pair for pair in trust.separations if np.isfinite(pair.more_ratings)]
    tied = f"{len(trust.separations)} pairs of systems are not separated."
    if len(trust.separations) == 1:
        tied = "One pair of systems is not separated."
    if not possible:
        return f"{tied} They show no difference that more ratings would bring out."
    near = min(possible, key=lambda pair: pair.more_ratings)
    return (
        f"{tied} The nearest, {names[near.better]} over {names[near.worse]}, would take about "
        f"{_rounded(near.more_ratings)} more ratings, if the difference seen is the true one."
    )


def _rounded(count: float) -> str:
    """Two digits: more would claim to know the future.

    >>> _rounded(1782.0), _rounded(37.0)
    ('1,800', '37')
    """
    digits = max(0, len(str(int(count))) - 2)
    return f"{round(int(count), -digits):,}"


def pairs_decided(analysis: Analysis, trust: Trust) -> tuple[int, int]:
    """Pairs of systems that no more ratings are needed for, and how many pairs there are."""
    order = analysis.ranking.order
    decided = int(trust.anytime.better[np.ix_(order, order)].sum())
    return decided, len(order) * (len(order) - 1) // 2


def stopping_sentence(analysis: Analysis, trust: Trust) -> str:
    decided, pairs = pairs_decided(analysis, trust)
    if not pairs:
        return NOTHING
    verdict = "enough ratings are in" if decided == pairs else "more ratings can still decide some"
    return (
        f"By the rule that may be looked at every day, {decided} of {pairs} pairs of systems are "
        f"decided: {verdict}."
    )


def mixed_sentence(analysis: Analysis, trust: Trust) -> str:
    model, order = trust.mixed, analysis.ranking.order
    if model is None:
        return "The mixed model was left out: the campaign is too large for it."
    if len(order) < 2 or np.isnan(model.sd_residual):
        return "The mixed model is not defined for these ratings."
    means = model.mean[order]
    verdict = (
        "puts the systems in the same order"
        if np.all(np.diff(means) <= 0)
        else f"would rank {analysis.ratings.systems[order[int(np.argmax(means))]]} first"
        if np.argmax(means) > 0
        else "agrees on the first place but not on every other"
    )
    return (
        f"A mixed model of raw scores that takes out harsh annotators and hard videos {verdict}. "
        f"Annotators differ by {number(model.sd_annotator, 1)} points (standard deviation), videos "
        f"by {number(model.sd_item, 1)}; {number(model.sd_residual, 1)} remain unexplained."
    )
