"""Headings of the report's tables, by column, and how a cell of a column is written."""

from __future__ import annotations

from typing import Final

from analysis.presenting.sentences import cell, number, probability

DIRECTIONS: Final = {
    "human_on_metric": "people's scores regressed on the metric's",
    "metric_on_human": "the metric's scores regressed on people's",
}
COEFFICIENTS: Final = {
    "pearson": "r",
    "pearson_low": "from",
    "pearson_high": "to",
    "spearman": "ρ",
    "kendall_b": "τ-b",
    "kendall_c": "τ-c",
}
CAPTION_HEADINGS: Final = {
    "metric": "Metric",
    "n": "n",
    **COEFFICIENTS,
    "pearson_corrected": "r / ceiling",
    "pairwise_accuracy": "Pairs in order (acc_eq)",
    "pairwise_accuracy_held_out": "acc_eq, ties held out",
    "reason": "Not defined because",
}
SYSTEM_HEADINGS: Final = {
    "metric": "Metric",
    "n": "n",
    **COEFFICIENTS,
    "pairwise_accuracy_plain": "Pairs in order (PA)",
    "accuracy_rank": "Rank by PA",
    "soft_pairwise_accuracy": "Soft (SPA)",
    "reason": "Not defined because",
}
SYSTEMS: Final = {
    "system": "System",
    "human_scaled": "People, 0–1",
    "human_rank": "Rank",
    "metric": "Metric",
    "metric_scaled": "Metric, 0–1",
    "metric_rank": "Rank",
    "disagrees": "Disagrees",
}
WITHIN: Final = {
    "metric": "Metric",
    "level": "Mean",
    "n": "Groups",
    "pearson": "r",
    "spearman": "ρ",
    "kendall_b": "τ-b",
    "kendall_c": "τ-c",
    "p_behind": "p, behind the best",
}
WILLIAMS: Final = {
    "better": "Better",
    "worse": "Worse",
    "r_better": "r",
    "r_worse": "r",
    "p": "p (Williams)",
    "p_holm": "Holm",
    "steiger_p": "p (Steiger)",
    "meng_p": "p (Meng)",
    "permutation_p": "p (permutation)",
    "permutation_p_holm": "Holm",
}
VERDICTS: Final = {
    "better": "Better",
    "worse": "Worse",
    "r_better": "r",
    "r_worse": "r",
    "p": "p",
    "removed": "Odd captions",
    "r_better_after": "r without",
    "r_worse_after": "r without",
    "p_after": "p without",
    "captions_to_doubt": "Removed to doubt",
    "captions_to_reverse": "to reverse",
}
FILTERS: Final = {
    "metric": "Metric",
    "variant": "Filter",
    "removed": "Removed",
    "removed_percent": "%",
    "pearson_before": "r before",
    "pearson_after": "after",
    "pearson_placebo": "placebo",
    "kendall_c_before": "τ-c before",
    "kendall_c_after": "after",
    "kendall_c_placebo": "placebo",
    "kendall_c_gain_percent": "τ-c gained, %",
}
CAPTIONS: Final = {"video": "Video", "system": "System", "human_score": "People"}
OUTLIERS: Final = {**CAPTIONS, "metric_score": "Metric", "distance": "Cook's distance"}
FUSION: Final = {
    "metric": "Metric",
    "weight": "Weight",
    "low": "from",
    "high": "to",
    "n_unseen": "Unseen captions",
    "pearson_unseen": "r",
    "kendall_b_unseen": "τ-b",
}
ALIGNMENT: Final = {
    "shift": "Shift",
    "metric": "Metric",
    "n": "n",
    "r_within_systems": "r within systems",
}


def show(name: str, value: object) -> str:
    """A cell: probabilities, percentages and counts as such, the rest as in every report.

    >>> show("p_after", 0.0001), show("removed_percent", 3.246), show("captions_to_doubt", 26.0)
    ('< 0.001', '3.2', '26')
    """
    if not isinstance(value, float):
        return cell(name, value)
    if name.startswith("p_") or name.endswith("_p") or "_p_" in name:
        return probability(value)
    if name.startswith("captions_"):
        return number(value, 0)
    return number(value, 1) if name.endswith("_percent") else cell(name, value)
