"""The frame of a self-contained HTML file: style, policy, tables, figures and what folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element

from analysis.charts import Row
from analysis.markup import Content, element, markup
from analysis.sentences import cell, is_number

Show = Callable[[str, object], str]

MOST_ROWS: Final = 500
"""Rows of a long table. The files beside the report hold all of them."""
STYLE: Final = Path(__file__).with_name("report.css")
# Nothing may be loaded and nothing may run, whatever a caption or a name contains.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def html_document(title: str, *content: Content) -> str:
    """A whole page under its title."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        _policy(),
        element("title", title),
        element("style", STYLE.read_text(encoding="utf-8")),
    )
    body = element("body", element("h1", title), *content)
    return "<!doctype html>\n" + markup(element("html", head, body, lang="en")) + "\n"


def listing_document(
    title: str, rows: Sequence[Row], headings: Mapping[str, str], notes: Sequence[str]
) -> str:
    """A page to keep of what another page lists; ``notes`` say what it is and how it was made."""
    return html_document(
        title,
        *(element("p", note) for note in notes),
        table(rows, headings),
    )


def _policy() -> Element:
    made = element("meta", content=POLICY)
    made.set("http-equiv", "Content-Security-Policy")
    return made


def picture(figure: Element) -> str:
    """A figure as a file of its own, style and all."""
    figure.set("xmlns", "http://www.w3.org/2000/svg")
    figure.insert(0, element("style", STYLE.read_text(encoding="utf-8").replace("svg ", "")))
    return markup(figure)


def drawn(figure: Element, caption: str) -> Element:
    return element("figure", element("div", figure), element("figcaption", caption))


def folded(
    summary: str, rows: Sequence[Row], headings: Mapping[str, str], *, show: Show = cell
) -> Element:
    """A table the reader opens. Print shows it only when open."""
    more = len(rows) - MOST_ROWS
    note = f"… and {more:,} more, in the files beside this report." if more > 0 else None
    return element(
        "details",
        element("summary", summary),
        table(rows[:MOST_ROWS], headings, show=show),
        element("p", note) if note else None,
    )


def table(
    rows: Sequence[Row],
    headings: Mapping[str, str],
    *,
    clusters: str | None = None,
    show: Show = cell,
) -> Element:
    """Rows under headings; a line under the last row of each cluster. `show` writes a cell."""
    numeric = {name for name in headings if all(is_number(row.get(name)) for row in rows)}
    kind = {name: "number" if name in numeric else None for name in headings}
    head = element(
        "tr", *(element("th", text, class_=kind[name]) for name, text in headings.items())
    )
    lines = [
        element(
            "tr",
            *(element("td", _words(row, name, show), class_=kind[name]) for name in headings),
            class_="cluster" if clusters and _ends(rows, place, clusters) else None,
        )
        for place, row in enumerate(rows)
    ]
    made = element("table", element("thead", head), element("tbody", *lines))
    return element("div", made, class_="scroll")


def _words(row: Row, name: str, show: Show) -> str:
    """A cell is empty where a row has no such thing, and says so where it is not defined."""
    return show(name, row[name]) if name in row else ""


def _ends(rows: Sequence[Row], place: int, name: str) -> bool:
    return place + 1 < len(rows) and rows[place][name] != rows[place + 1][name]
