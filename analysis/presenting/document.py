"""The frame of a self-contained HTML file: style, policy, tables, figures and what folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from analysis.presenting.charts import Row, Spec
from analysis.presenting.drawing import STYLE, can_draw, draw
from analysis.presenting.markup import Content, element, markup
from analysis.presenting.sentences import cell, is_number

Show = Callable[[str, object], str]

MOST_ROWS: Final = 500
"""Rows of a long table. The files beside the report hold all of them."""
NOT_DRAWN: Final = (
    "The chart is left out: the Python package vl-convert-python, which draws it, is not installed."
)
# Nothing may be loaded and nothing may run, whatever a caption or a name contains.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Shown:
    """What a reader sees of a finding.

    Parameters
    ----------
    sentence : what the numbers say
    rows, headings : a table; the headings are by column
    summary : what the table is called where it is folded; without it the table lies open
    spec : a Vega-Lite chart, which the table explains
    caption : what stands under the chart
    clusters : the column that parts rows by a line
    """

    sentence: str = ""
    rows: Sequence[Row] = ()
    headings: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    spec: Spec | None = None
    caption: str = ""
    clusters: str | None = None

    @property
    def is_open(self) -> bool:
        return not self.summary


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


def picture(spec: Spec) -> str:
    """A chart as a file of its own, style and all."""
    figure = draw(spec)
    figure.set("xmlns", "http://www.w3.org/2000/svg")
    figure.insert(0, element("style", STYLE.read_text(encoding="utf-8")))
    return markup(figure)


def chart(spec: Spec, caption: str) -> Element:
    """A drawing over its caption; where nothing can be drawn, a sentence says so."""
    if not can_draw():
        return element("p", f"{caption} {NOT_DRAWN}", class_="facts")
    return element("figure", element("div", draw(spec)), element("figcaption", caption))


def laid_out(shown: Shown, *, show: Show = cell) -> list[Element]:
    """A finding in a report: what it says, its chart, its table."""
    parts = [element("p", shown.sentence)] if shown.sentence else []
    if shown.spec is not None:
        parts.append(chart(shown.spec, shown.caption))
    if shown.rows and shown.summary:
        parts.append(folded(shown.summary, shown.rows, shown.headings, show=show))
    elif shown.rows:
        parts.append(table(shown.rows, shown.headings, clusters=shown.clusters, show=show))
    return parts


def sentence(text: str) -> str:
    """
    >>> sentence("captions were merged")
    'Captions were merged.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


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
