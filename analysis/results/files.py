"""Every file of a result by name, each made of its numbers when it is asked for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from analysis.presenting.downloads import table_file, table_formats
from analysis.presenting.exports import Table, as_lines
from analysis.results.latex import ranking_table, significance_matrix
from analysis.results.numbers import as_json
from analysis.results.pipeline import Analysis
from analysis.results.registry import Section, Summary, findings
from analysis.results.report import TITLE, report_html, significance_picture
from analysis.stats.signature import cutoff

Maker = Callable[[], bytes]
ADJUSTED: Final = {"": "p", "-holm": "p_holm", "-bh": "p_bh"}
"""How p is adjusted for many tests, by what is added to the names of files."""
DRAWN: Final = ("html", "svg", "png")
"""Kinds of files with charts, which web machines cannot draw."""


def title_of(source: str, analysis: Analysis) -> str:
    """The file, and the day of its last rating where it tells: the same file, the same bytes."""
    last = cutoff(analysis.ratings)
    day = f", ratings until {last[:10]}" if last else ""
    return f"Direct Assessment: {source}{day}"


def result_files(
    summary: Summary, captions: Callable[[], Table], *, title: str = TITLE
) -> dict[str, Maker]:
    """What makes each file, by its name. ``captions`` is called for a file of captions."""
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
    return {name: listed[name] for name in ("system", "item", "raw", "z", "n")}


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
