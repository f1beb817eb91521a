"""One self-contained HTML file of a ranking: every finding, how it was computed, the signature.

Charts are inline SVG (`analysis.presenting.document`), so that the file needs no script and no
network, prints, and follows the reader's light or dark.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from analysis.presenting.document import (
    Shown,
    element,
    html_document,
    laid_out,
    picture,
    sentence,
    table,
)
from analysis.results.findings.ranking import ranking_sentence
from analysis.results.registry import Counts, Finding, Section, Summary
from analysis.results.settings import QUICK_RATINGS

TITLE = "Direct Assessment: results"
METHOD = (
    "z scores: each annotator's ratings less their mean, over their standard deviation. A "
    "caption's score is the mean over its ratings, a system's the mean over its captions. The same "
    "ratings with the same settings give the same numbers."
)
NO_TRUST = (
    "Agreement, replication and threshold sensitivity were not computed for this report: with more "
    f"than {QUICK_RATINGS:,} ratings they take longer than all the rest."
)


def report_html(summary: Summary, *, title: str = TITLE, adjusted: str = "p") -> str:
    """The whole report.

    Parameters
    ----------
    adjusted
        Which p tells the pairs apart: p, p_holm or p_bh. Ranks and clusters always go by p.
    """
    shown = summary.shown(adjusted)
    lede = ranking_sentence(summary.numbers["ranking"], summary.context())
    return html_document(
        title,
        element("p", lede, class_="lede"),
        element(
            "p", _facts(summary.counts, len(summary.numbers["ranking"].ranked)), class_="facts"
        ),
        *_section(shown, Section.RANKING),
        *_trust(summary, shown),
        *_section(shown, Section.RATINGS),
        *_method(summary),
    )


def significance_picture(summary: Summary, adjusted: str = "p") -> str:
    """Who is better than whom, as a file of its own; empty with fewer than two systems."""
    specs = [shown.spec for finding, shown in summary.shown(adjusted) if finding.name == NAME]
    return picture(specs[0]) if specs and specs[0] else ""


NAME = "significance"


def _facts(counts: Counts, ranked: int) -> str:
    given = f"{counts.ratings:,} ratings by {counts.annotators:,} annotators"
    if not counts.ratings_used:
        return f"{given}; none of them counts."
    return (
        f"{given}; {counts.ratings_used:,} ratings of {counts.captions:,} captions by "
        f"{counts.annotators_used:,} annotators count in the ranking of {ranked} systems."
    )


def _section(
    shown: list[tuple[Finding, Shown]], section: Section, heading: str = "h2"
) -> list[Element]:
    return [
        part
        for finding, each in shown
        if finding.section == section and (each.sentence or each.rows)
        for part in (element(heading, finding.title), *laid_out(each))
    ]


def _trust(summary: Summary, shown: list[tuple[Finding, Shown]]) -> list[Element]:
    """Nothing about a ranking that is not there."""
    if not summary.numbers["ranking"].ranked:
        return []
    found = _section(shown, Section.TRUST, "h3") or [element("p", NO_TRUST)]
    return [element("h2", "How far to trust it"), *found]


def _method(summary: Summary) -> list[Element]:
    rows = [{"name": name, "value": value} for name, value in summary.signature.parts]
    return [
        element("h2", "How it was computed"),
        element("p", METHOD),
        *(element("p", sentence(note)) for note in summary.notes),
        table(rows, {"name": "Setting", "value": "Value"}),
        element("p", str(summary.signature), class_="signature"),
    ]
