"""Every file of a result by name, each made of its numbers when it is asked for. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final
from xml.etree.ElementTree import Element

from analysis.presenting.document import (
    Shown,
    element,
    html_document,
    laid_out,
    picture,
    sentence,
    table,
    title_of,
)
from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.exports import Table, as_lines
from analysis.presenting.latex import escaped, number, p_matrix
from analysis.results.findings.ranking import ranking_sentence
from analysis.results.numbers import as_json
from analysis.results.registry import Counts, Finding, Section, Summary, findings
from analysis.results.settings import QUICK_RATINGS

Maker = Callable[[], bytes]
ADJUSTED: Final = {"": "p", "-holm": "p_holm", "-bh": "p_bh"}
"""How p is adjusted for many tests, by what is added to the names of files."""
DRAWN: Final = ("html", "svg", "png")
"""Kinds of files with charts, which web machines cannot draw."""
METHOD = (
    "z scores: each annotator's ratings minus their mean, divided by their standard deviation. A "
    "caption's score is the mean over its ratings, a system's the mean over its captions. The same "
    "ratings with the same settings give the same numbers."
)
NO_TRUST = (
    "Agreement, replication and threshold sensitivity were not computed for this report: with more "
    f"than {QUICK_RATINGS:,} ratings they take longer than everything else."
)


def result_files(
    summary: Summary, captions: Callable[[], Table], *, source: str = "results"
) -> dict[str, Maker]:
    """What makes each file, by its name. ``captions`` is called for a file of captions; ``source``
    is the file or the campaign that the report names.
    """
    title = title_of("Direct Assessment", source, summary.signature)
    made: dict[str, Maker] = {
        f"{name}.{format}": partial(_table, table, format, str(summary.signature))
        for name, table in (summary.tables() | {"captions": captions}).items()
        for format in table_formats()
    }
    made |= {
        "report.json": lambda: report_json(summary),
        "signature.txt": lambda: f"{summary.signature}\n".encode(),
        "ranking.tex": lambda: ranking_table(summary).encode(),
    }
    for which, p in ADJUSTED.items():
        made |= {
            f"significance{which}.tex": partial(_text, significance_matrix, summary, p),
            f"significance{which}.svg": partial(_text, significance_picture, summary, p),
            f"report{which}.html": partial(_text, report_html, summary, title=title, adjusted=p),
        }
    return made


def _table(table: Callable[[], Table], format: str, signature: str) -> bytes:
    return table_file(table(), format, signature)


def _text(make: Callable[..., str], *given: Any, **named: Any) -> bytes:
    return make(*given, **named).encode()


def known_names() -> set[str]:
    """Every file name a result may have."""
    tables = [name for finding in findings() for name in finding.tables]
    named = {f"{name}.{format}" for name in (*tables, "captions") for format in table_formats()}
    adjusted = {f"significance{which}.{kind}" for which in ADJUSTED for kind in ("tex", "svg")}
    reports = {f"report{which}.html" for which in ADJUSTED}
    return named | adjusted | reports | {"ranking.tex", "report.json", "signature.txt"}


def chosen_names(names: Iterable[str], *, format: str, latex: bool) -> list[str]:
    """Files that a command writes: tables of one format, and one report."""
    always = ("report.json", "report.html", "signature.txt")
    endings = (f".{format}", ".tex") if latex else (f".{format}",)
    return [name for name in names if name in always or name.endswith(endings)]


def captions_table(listed: Table) -> Table:
    """Score of every caption with a usable rating, of what `analysis.presenting.listings` lists."""
    columns = ("system", "item", "raw", "median", "z", "n")
    return {name: listed[name] for name in columns if name in listed}


def report_json(summary: Summary) -> bytes:
    """Everything but the captions, for programs to read."""
    content: dict[str, Any] = {
        "signature": str(summary.signature),
        "settings": summary.signature.as_dict(),
        "notes": list(summary.notes),
        "counts": as_json(summary.counts),
    }
    trusted: dict[str, Any] = {}
    for finding in summary.present():
        members = finding.members(summary.numbers[finding.name])
        (trusted if finding.section == Section.TRUST else content).update(as_json(members))
    return as_lines(content | {"trust": trusted or None})


def ranking_table(summary: Summary) -> str:
    """Systems best first with a rule between clusters (packages: booktabs)."""
    lines = [
        *_head(summary, "booktabs"),
        r"\begin{tabular}{clrrcrr}",
        r"\toprule",
        r"Rank & System & $z$ & Raw & Interval of $z$ & Wins & Captions \\",
        r"\midrule",
    ]
    cluster = math.nan
    for row in summary.numbers["ranking"].systems:
        if row.rank_low > cluster:
            lines.append(r"\midrule")
        cluster = row.rank_low
        cells = [
            _ranks(row.range_low, row.range_high),
            escaped(row.system),
            number(row.z, 3),
            number(row.raw, 1),
            f"[{number(row.z_low, 3)}, {number(row.z_high, 3)}]",
            str(row.wins),
            str(row.captions),
        ]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def significance_matrix(summary: Summary, adjusted: str = "p") -> str:
    """p that the row is better than the column, shaded where significant (package: xcolor).

    ``adjusted`` names which p: p, p_holm or p_bh.
    """
    systems = [row.system for row in summary.numbers["ranking"].systems]
    pairs = summary.numbers["significance"].pairs
    p = {(pair.better, pair.worse): getattr(pair, adjusted) for pair in pairs}
    lines = [
        *_head(summary, "[table]xcolor, booktabs, rotating"),
        f"% {adjusted}",
        *p_matrix(systems, p, summary.settings.alpha),
    ]
    return "\n".join([*lines, ""])


def _head(summary: Summary, packages: str) -> list[str]:
    return [f"% {summary.signature}", f"% packages: {packages}"]


def _ranks(low: float, high: float) -> str:
    if math.isnan(low):
        return "--"
    return f"{low:.0f}" if low == high else f"{low:.0f}--{high:.0f}"


def report_html(summary: Summary, *, title: str, adjusted: str = "p") -> str:
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
