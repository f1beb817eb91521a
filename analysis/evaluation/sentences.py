"""What the numbers say about metrics, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from analysis.evaluation.alignment import Alignment
from analysis.evaluation.fusing import FusionResult
from analysis.evaluation.pipeline import AgainstHuman, Evaluation
from analysis.evaluation.tables import level_rows
from analysis.evaluation.verdicts import Verdict
from analysis.presenting.sentences import listed, number, p_is
from analysis.stats.dependent import compare_metrics

FEW = 0.01
"""A lead that turns round without this share of the captions, or fewer, rests on odd ones."""

SYSTEMS_FIXED = (
    "For systems they keep the systems fixed: they show how r would vary with other videos, not "
    "with other systems."
)
"""What intervals over systems do not show; said after intervals are."""

SAME = 1e-12
"""What rounding may take from a correlation of 1."""


CHECKED = {
    "quality drift": "r in sets weighted towards captions of one quality, 1 the worst and 5 the "
    "best "
    "(means of 20 draws). A metric for good captions must still distinguish them in set 5.",
    "word order": "r when the words of every caption are shuffled, and the share of captions that "
    "score higher than their own shuffle. A metric that is unaffected treats captions as bags of "
    "words.",
    "references": "r by number of references (means over sets of that many). Metrics that need "
    "none are the same throughout.",
    "first references": "r with the first references, as published code takes them.",
    "reference set": "r with each set of references by itself.",
    "foils": "Share of pairs in which the true caption scores higher than a copy with one wrong "
    "word. Ties do not count, and half is chance.",
}
"""What each check of robustness measures."""


def best_sentence(part: AgainstHuman) -> str:
    """Which metric to trust, at the level of captions."""
    rows = [row for row in level_rows(part, part.caption) if not math.isnan(row["pearson"])]
    if not rows:
        return f"No metric has a defined correlation with {part.human}."
    first, others = rows[0], [row["metric"] for row in rows[1:]]
    low, high = first["pearson_low"], first["pearson_high"]
    interval = "" if math.isnan(low) else f" [{number(low)}, {number(high)}]"
    r = f"r = {number(first['pearson'])}{interval} over {first['n']:,} {part.rows.unit}"
    if not others:
        return f"{first['metric']} agrees with people ({part.human}): {r}."
    return (
        f"Of {len(part.metrics)} metrics {first['metric']} agrees best with people ({part.human}): "
        f"{r}; {_rivals(part, first['metric'], others)}."
    )


def _rivals(part: AgainstHuman, best: str, others: Sequence[str]) -> str:
    """Which metrics may be as good as the best. Pair by pair: a cluster may hold beaten ones."""
    if part.caption.comparisons is None:
        return "there are too few captions to test whether this is chance"
    beaten = part.caption.comparisons.clusters.beats[part.metrics.index(best)]
    equal = [name for name in others if not beaten[part.metrics.index(name)]]
    if not equal:
        return "every other metric is significantly worse"
    return f"it does not differ significantly from {listed(equal)}"


def ceiling_sentence(part: AgainstHuman) -> str:
    """What is possible."""
    found = part.reliability
    if found is None or math.isnan(found.reliability):
        return (
            "The reliability of the human scores is not known; estimating it takes individual "
            "people’s ratings. Even a perfect metric cannot reach r = 1 against scores with errors."
        )
    return (
        f"Two halves of each caption's ratings correlate at {number(found.half)}, so the scores of "
        f"all have a reliability of {number(found.reliability)}: a perfect metric would reach r = "
        f"{number(found.ceiling)}. Judge the metrics against that."
    )


def verdict_sentences(part: AgainstHuman, verdict: Verdict, alpha: float) -> list[str]:
    """Is the one better than the other here, and is it because of a few odd captions?"""
    return [_better(part, verdict, alpha), _odd_captions(part, verdict, alpha)]


def _better(part: AgainstHuman, verdict: Verdict, alpha: float) -> str:
    better, worse = part.metrics[verdict.better], part.metrics[verdict.worse]
    one, other = (part.caption.correlations.pearson[at] for at in (verdict.better, verdict.worse))
    significant = verdict.is_better(alpha)
    answer = "Yes" if significant else "They do not differ significantly"
    return (
        f"Is {better} better than {worse} here? {answer}: r = {number(one, 3)} against "
        f"{number(other, 3)} over {len(part.rows):,} {part.rows.unit}, a difference that is "
        f"{'significant' if significant else 'not significant'} (Williams p "
        f"{p_is(verdict.p_holm)} adjusted by Holm, {p_is(verdict.p)} by itself; permutation p "
        f"{p_is(verdict.p_permutation)}).{_doubt(verdict, alpha)}"
    )


def _doubt(verdict: Verdict, alpha: float) -> str:
    """What speaks against the answer."""
    if not verdict.is_better(alpha) and verdict.p < alpha:
        return " Among as many metrics as were compared here, such a difference may be chance."
    if verdict.is_better(alpha) and not verdict.p_permutation < alpha:
        return " The permutation test does not confirm it: the result is borderline."
    return ""


def _odd_captions(part: AgainstHuman, verdict: Verdict, alpha: float) -> str:
    if not verdict.removed:
        without = "Cook's filter finds no outlier for either metric"
    else:
        without = _without_odd_captions(part, verdict)
    if not verdict.is_better(alpha):  # or not defined
        return f"Would it be different without outliers? {without[:1].upper()}{without[1:]}."
    turned = verdict.reliance.to_reverse
    few = turned is not None and turned <= max(FEW * len(part.rows), 1)
    answer = "It may be" if few or not verdict.p_after < alpha else "No"
    if verdict.r_after[0] <= verdict.r_after[1]:
        answer = "It seems so"
    return f"Is it due to a few outliers? {answer}: {without}; {_reliance(part, verdict)}."


def _without_odd_captions(part: AgainstHuman, verdict: Verdict) -> str:
    share = f"{100 * verdict.removed / len(part.rows):.1f} %"
    return (
        f"without the {_captions(verdict.removed)} ({share}) that Cook's filter finds for either "
        f"metric {_after(part, verdict)}"
    )


def _after(part: AgainstHuman, verdict: Verdict) -> str:
    """The metric ahead comes first, and p is that it is no better."""
    better, worse = verdict.r_after
    if better < worse:
        return (
            f"the order is reversed: {part.metrics[verdict.worse]} is ahead, {number(worse, 3)} "
            f"against {number(better, 3)} (p {p_is(1 - verdict.p_after)})"
        )
    return f"it is {number(better, 3)} against {number(worse, 3)} (p {p_is(verdict.p_after)})"


def _reliance(part: AgainstHuman, verdict: Verdict) -> str:
    name = part.metrics[verdict.better]
    doubt, reverse = verdict.reliance.to_doubt, verdict.reliance.to_reverse
    if doubt is None:
        return f"it remains even without the half of the captions that most favour {name}"
    lost = f"{_captions(doubt)} ({100 * doubt / len(part.rows):.1f} %)"
    turned = "" if reverse is None else f", and {reverse:,} before it reversed"
    return (
        f"{lost}, chosen in hindsight from those that most favour {name}, would have to be removed "
        f"before the difference lost its significance{turned}"
    )


def _captions(count: int) -> str:
    return "1 caption" if count == 1 else f"{count:,} captions"


def flipped_sentence(part: AgainstHuman) -> str:
    if part.caption.comparisons is None:
        return ""
    flipped = [
        name
        for name, turned in zip(
            part.metrics, part.caption.comparisons.williams.flipped.tolist(), strict=True
        )
        if turned
    ]
    if not flipped:
        return ""
    verbs = ("correlates", "was") if len(flipped) == 1 else ("correlate", "were")
    return (
        f"{listed(flipped)} {verbs[0]} negatively with people and {verbs[1]} reversed in sign "
        "before metrics were compared."
    )


def alike_sentence(part: AgainstHuman) -> str:
    """Metrics between which no test can decide, for their scores are the same."""
    varying = np.flatnonzero(np.ptp(part.rows.metrics, axis=0) > 0)
    if len(varying) < 2:
        return ""
    r = np.corrcoef(part.rows.metrics[:, varying], rowvar=False)
    same = np.abs(r) > 1 - SAME
    groups = dict.fromkeys(tuple(varying[row].tolist()) for row in same if row.sum() > 1)
    if not groups:
        return ""
    named = "; ".join(listed([part.metrics[at] for at in group]) for group in groups)
    return (
        "Apart from their scale, these metrics have the same scores here, so no test can "
        f"distinguish them: {named}. With one reference, for instance, the mean over references "
        "is also "
        "the highest value."
    )


def filter_caution(placebo: int) -> str:
    caution = (
        "Caution: a filter that removes the captions which fit a metric worst flatters that metric."
    )
    if not placebo:
        return f"{caution} What removing as many captions at random would do was not computed."
    return (
        f"{caution} The placebo columns show where 95 % of the values would lie had as many "
        "captions been removed at random; only what lies outside is more than chance, and even "
        "that need not mean that people were wrong about these captions."
    )


def fusion_sentence(part: AgainstHuman, alpha: float) -> str:
    """Does a mix do better, on captions it has not seen?"""
    found = part.fusion
    if found is None:
        return "There are too few metrics or captions to mix metrics."
    unseen = found.validation.correlations
    singles = {
        part.metrics[at]: float(unseen.pearson[place])
        for place, at in enumerate(found.metrics, start=1)
    }
    best = max(singles, key=lambda name: abs(singles[name]))
    mixed = float(unseen.pearson[0])
    return (
        f"On {int(unseen.n[0]):,} unseen captions, the mix of {len(singles)} metrics "
        f"reaches r = {number(mixed, 3)}; the best single one, {best}, {number(singles[best], 3)}: "
        f"the mix {_mix_is_better(part, found, part.metrics.index(best), alpha)}."
        f"{_left_out(part, found)} The more similar the metrics, the less certain their "
        "individual weights."
    )


def _left_out(part: AgainstHuman, found: FusionResult) -> str:
    if not found.left_out:
        return ""
    names = listed([part.metrics[at] for at in found.left_out])
    verb, they = ("is", "it follows") if len(found.left_out) == 1 else ("are", "they follow")
    return f" {names} {verb} left out because {they} from other metrics in the mix."


def _mix_is_better(part: AgainstHuman, found: FusionResult, best: int, alpha: float) -> str:
    """Never "better" or "worse" without significance."""
    unseen = np.column_stack([found.validation.predicted, part.rows.metrics[:, best]])
    compared = compare_metrics(part.rows.human, unseen)
    ahead, behind = float(compared.p[0, 1]), float(compared.p[1, 0])
    if compared.flipped[0]:
        return "does no better"
    if ahead < alpha:
        return f"is significantly better (Williams p {p_is(ahead)})"
    if behind < alpha:
        return f"is significantly worse (Williams p {p_is(behind)})"
    return f"and it does not differ significantly (Williams p {p_is(ahead)})"


def alignment_sentence(alignment: Alignment, shift: int) -> str:
    """Do the rows belong together?"""
    if not alignment.rows:
        return "Videos are not named by numbers, so there is no shift to check."
    if alignment.found is None:
        return (
            "No shift of the line numbers stands out: the check cannot tell whether scores and "
            "captions match."
        )
    used = "the one used" if alignment.found == shift else f"not the one used, {shift:+d}"
    return (
        f"Scores and captions match best at a shift of {_signed(alignment.found)} ({used}): "
        f"{_at_shifts(alignment)}."
    )


def misaligned_sentence(alignment: Alignment) -> str:
    """Why an evaluation stopped."""
    found = alignment.found or 0
    where = "earlier" if found < 0 else "later"
    lines = "line" if abs(found) == 1 else "lines"
    return (
        f"People's scores seem to belong to the captions {abs(found)} {lines} {where}: "
        f"{_at_shifts(alignment)}. Perhaps one file counts from 0 and the other from 1."
    )


def _at_shifts(alignment: Alignment) -> str:
    if alignment.same_text:
        shares = [f"{100 * share:.0f} % at {_signed(at)}" for at, share in alignment.same_text]
        return f"captions with the same text on both sides: {', '.join(shares)}"
    rows = alignment.of(alignment.metric)
    values = [f"{number(row.r)} at {_signed(shift)}" for shift, row in sorted(rows.items())]
    return f"within systems {alignment.metric} correlates with people at r = {', '.join(values)}"


def _signed(shift: int) -> str:
    return f"{shift:+d}".replace("-", "−") if shift else "0"


def facts_sentence(evaluation: Evaluation) -> str:
    joined = evaluation.joined
    videos, systems = len(set(joined.videos)), len(set(joined.systems))
    by = "" if joined.unnamed else f" by {systems:,} {'system' if systems == 1 else 'systems'}"
    ratings = f", rated {len(joined):,} times," if joined.captions < len(joined) else ""
    both = (
        f"{joined.captions:,} captions of {videos:,} {'video' if videos == 1 else 'videos'}{by}"
        f"{ratings} have human and metric scores"
    )
    human, metrics = len(joined.only_human), len(joined.only_metrics)
    if not human and not metrics:
        return f"{both}, and none has only one of the two."
    return f"{both}; {human:,} have only human scores and {metrics:,} only metric scores."
