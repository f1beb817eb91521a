"""One self-contained HTML file: charts, the tables under them, plain sentences, the signature.

Charts are inline SVG drawn here (`analysis.figures`), so that the file needs no script, no network
and no browser engine to make it, prints, and follows the reader's light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element

import numpy as np

from analysis import charts, figures, sentences
from analysis.charts import Row
from analysis.document import drawn, folded, html_document, picture, table
from analysis.exports import anytime_rows, mixed_rows, threshold_rows, tie_rows
from analysis.markup import element
from analysis.pipeline import QUICK_RATINGS, Analysis

if TYPE_CHECKING:
    from analysis.trust import Trust


def write_report(
    analysis: Analysis,
    path: Path,
    *,
    trust: Trust | None = None,
    title: str = "Direct Assessment: results",
    notes: Sequence[str] = (),
    adjusted: str = "p",
) -> None:
    """Write the report of an analysis.

    Parameters
    ----------
    trust
        What `analysis.trust.assess_trust` found. Without it that part says that it is missing.
    notes
        Remarks on how the ratings were read, shown with the signature.
    adjusted
        Which p tells the pairs apart: p, p_holm or p_bh. Ranks and clusters always go by p.
    """
    made = report_html(analysis, trust=trust, title=title, notes=notes, adjusted=adjusted)
    path.write_text(made, encoding="utf-8")


def report_html(
    analysis: Analysis,
    *,
    trust: Trust | None = None,
    title: str,
    notes: Sequence[str] = (),
    adjusted: str = "p",
) -> str:
    return html_document(
        title,
        element("p", sentences.ranking_sentence(analysis), class_="lede"),
        element("p", _facts(analysis), class_="facts"),
        *_found(analysis, adjusted),
        *_annotators(analysis),
        *_scores(analysis),
        *_trusted(analysis, trust),
        *_method(analysis, notes),
    )


def _found(analysis: Analysis, adjusted: str) -> list[Element]:
    """The ranking and its tests, as far as there are systems for them."""
    systems = len(analysis.ranking.order)
    return [
        *(_ranking(analysis) if systems else []),
        *(_significance(analysis, adjusted) if systems > 1 else []),
    ]


def _trusted(analysis: Analysis, trust: Trust | None) -> list[Element]:
    """Nothing about a ranking that is not there."""
    if not len(analysis.ranking.order):
        return []
    return _trust(analysis, trust) if trust else _no_trust()


def _facts(analysis: Analysis) -> str:
    used, people = int(analysis.captions.n.sum()), int(analysis.used.sum())
    given = f"{len(analysis.ratings):,} ratings by {len(analysis.ratings.annotators):,} annotators"
    if not used:
        return f"{given}; none of them counts."
    return (
        f"{given}; {used:,} ratings of {len(analysis.captions.n):,} captions by {people:,} "
        f"annotators count in the ranking of {len(analysis.ranking.order)} systems."
    )


def _ranking(analysis: Analysis) -> list[Element]:
    rows = charts.ranking_rows(analysis)
    confidence = f"{100 * analysis.settings.confidence:g} %"
    units = {"caption": "videos", "annotator": "annotators"}[analysis.settings.resample]
    caption = (
        f"Mean z score and {confidence} interval (bootstrap over {units}). Dashed lines part "
        "clusters: every system above is significantly better than every one below."
    )
    return [
        element("h2", "Ranking"),
        drawn(figures.ranking_figure(rows), caption),
        table(rows, charts.RANKING_HEADINGS, clusters="ranks"),
        element("p", sentences.raw_sentence(analysis)),
    ]


def significance_picture(analysis: Analysis, adjusted: str = "p") -> str:
    """Who is better than whom, as a file of its own."""
    return picture(figures.significance_figure(charts.significance_rows(analysis, adjusted)))


def _significance(analysis: Analysis, adjusted: str) -> list[Element]:
    rows = charts.significance_rows(analysis, adjusted)
    caption = (
        f"p of the one-sided rank-sum test on caption z scores{_ADJUSTED[adjusted]}. A filled "
        f"cell, p < {analysis.settings.alpha:g}, is a win of the row's system over the column's."
    )
    return [
        element("h2", "Which differences are significant"),
        drawn(figures.significance_figure(rows), caption),
        folded("Every ordered pair, with adjusted p values", rows, charts.SIGNIFICANCE_HEADINGS),
    ]


def _annotators(analysis: Analysis) -> list[Element]:
    rows = charts.annotator_rows(analysis)
    parts = [element("h2", "Annotators"), element("p", sentences.quality_sentence(analysis))]
    caption = (
        "Each mark is an annotator. Below the dashed line degraded captions got lower scores than "
        "their originals, as they should."
    )
    if any(row["pairs"] for row in rows):
        parts.append(drawn(figures.annotators_figure(rows), caption))
    return [*parts, folded("Every annotator", rows, charts.ANNOTATOR_HEADINGS)]


def _scores(analysis: Analysis) -> list[Element]:
    rows = charts.distribution_rows(analysis)
    if not rows:
        return []
    caption = f"Share of ratings by raw score, in steps of {charts.BIN_WIDTH}."
    return [
        element("h2", "Scores given"),
        drawn(figures.distributions_figure(rows), caption),
        folded("The numbers behind the bars", rows, charts.DISTRIBUTION_HEADINGS),
    ]


def _no_trust() -> list[Element]:
    missing = (
        "Agreement, replication and threshold sensitivity were not computed for this report: with "
        f"more than {QUICK_RATINGS:,} ratings they take longer than all the rest."
    )
    return [element("h2", "How far to trust it"), element("p", missing)]


def _trust(analysis: Analysis, trust: Trust) -> list[Element]:
    parts = [element("h2", "How far to trust it")]
    parts += [element("h3", "Agreement"), element("p", sentences.agreement_sentence(trust))]
    if trust.alpha_z.units:
        complete = any("low" in row for row in _agreement_rows(trust))
        headings = {"form": "Measure", "estimate": "Value"} | (_INTERVAL if complete else {})
        parts.append(table(_agreement_rows(trust), headings))
    parts.append(element("p", sentences.effective_sentence(analysis, trust)))
    parts += [element("h3", "Replication"), element("p", sentences.replication_sentence(trust))]
    parts.append(table(_replication_rows(trust), _REPLICATION))
    parts += [element("h3", "Quality threshold"), *_sensitivity(trust)]
    parts += [element("h3", "Ties"), element("p", sentences.separation_sentence(analysis, trust))]
    if trust.separations:
        parts.append(folded("Every tie", tie_rows(analysis, trust), _TIES))
    parts += [element("h3", "When to stop")]
    parts += [element("p", sentences.stopping_sentence(analysis, trust))]
    if len(analysis.ranking.order) > 1:
        rows = anytime_rows(analysis, trust)
        parts.append(folded("Differences with intervals that hold at every look", rows, _ANYTIME))
    parts += [element("h3", "Second opinion")]
    parts += [element("p", sentences.mixed_sentence(analysis, trust))]
    if trust.mixed is not None and len(analysis.ranking.order):
        parts.append(folded("Means of the mixed model", mixed_rows(analysis, trust), _MIXED))
    return parts


def _sensitivity(trust: Trust) -> list[Element]:
    parts = [element("p", sentences.sensitivity_sentence(trust))]
    if trust.sensitivity is None or np.isnan(trust.sensitivity.tau).all():
        return parts
    rows = threshold_rows(trust.sensitivity)
    caption = (
        "Agreement of the ranking at each threshold with the ranking by everybody. The band holds "
        "95 % of random drops of as many annotators."
    )
    figure = drawn(figures.sensitivity_figure(rows), caption)
    return [*parts, figure, folded("The thresholds", rows, charts.SENSITIVITY_HEADINGS)]


def _method(analysis: Analysis, notes: Sequence[str]) -> list[Element]:
    rows = [{"name": name, "value": value} for name, value in analysis.signature.parts]
    return [
        element("h2", "How it was computed"),
        element(
            "p",
            "z scores: each annotator's ratings less their mean, over their standard deviation. A "
            "caption's score is the mean over its ratings, a system's the mean over its captions. "
            "The same ratings with the same settings give the same numbers.",
        ),
        *(element("p", f"{note[:1].upper()}{note[1:].rstrip('.')}.") for note in notes),
        table(rows, {"name": "Setting", "value": "Value"}),
        element("p", str(analysis.signature), class_="signature"),
    ]


def _agreement_rows(trust: Trust) -> list[Row]:
    rows: list[Row] = [
        {"form": "Krippendorff's α, z scores", "estimate": trust.alpha_z.alpha},
        {"form": "Krippendorff's α, raw scores", "estimate": trust.alpha_raw.alpha},
        {"form": "Kendall's τ-b, mean over pairs", "estimate": trust.pairwise.mean_kendall},
        {"form": "Spearman's ρ, mean over pairs", "estimate": trust.pairwise.mean_spearman},
    ]
    rows += [
        {"form": result.form, "estimate": result.icc}
        | ({"low": result.low, "high": result.high} if np.isfinite(result.low) else {})
        for result in trust.intraclass
    ]
    return rows


def _replication_rows(trust: Trust) -> list[Row]:
    found = {
        "Pearson's r, z scores": trust.replication.pearson,
        "Pearson's r, raw scores": trust.replication_raw.pearson,
        "Spearman's ρ, z scores": trust.replication.spearman,
        "Spearman's ρ, raw scores": trust.replication_raw.spearman,
    }
    return [
        {
            "form": form,
            "estimate": result.mean,
            "low": result.low,
            "high": result.high,
            "reliability": result.reliability,
        }
        for form, result in found.items()
    ]


_ADJUSTED: Final = {
    "p": "",
    "p_holm": ", adjusted by Holm",
    "p_bh": ", adjusted by Benjamini and Hochberg",
}
_INTERVAL: Final = {"low": "95 % from", "high": "to"}
_REPLICATION: Final = {
    "form": "Between halves",
    "estimate": "Mean",
    "low": "95 % of splits from",
    "high": "to",
    "reliability": "Whole crowd",
}
_TIES: Final = {
    "better": "Better",
    "worse": "Worse",
    "p": "p",
    "factor": "Ratings needed, × now",
    "more_ratings": "More ratings",
}
_ANYTIME: Final = {
    "better": "System",
    "worse": "less system",
    "difference": "Difference in z",
    "low": "from",
    "high": "to",
    "decided": "Decided",
}
_MIXED: Final = {"system": "System", "mean": "Mean score", "standard_error": "Standard error"}
