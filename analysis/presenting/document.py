"""The frame of a self-contained HTML file: style, policy, tables, figures and what folds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, fromstring, tostring

from analysis.presenting.charts import Row, Spec
from analysis.presenting.sentences import cell, is_number
from analysis.stats.signature import Signature

Show = Callable[[str, object], str]

MOST_ROWS: Final = 500
"""Rows of a long table. The files beside the report hold all of them."""
STYLE: Final = Path(__file__).with_name("document.css")
NOT_DRAWN: Final = (
    "The chart is left out: the Python package vl-convert-python, which draws it, is not installed."
)
# Nothing may be loaded and nothing may run, whatever a caption or a name contains.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
WIDTH: Final = 720
SHARPNESS: Final = 2
VEGA_LITE: Final = "6.4"
SVG: Final = "{http://www.w3.org/2000/svg}"
_VARIABLE: Final = re.compile(r"var\(--(\w+)\)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # no XML can hold them

_TEXT: Final = {"labelColor": "var(--soft)", "titleColor": "var(--soft)"}
_SIZES: Final = {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": 500}
THEME: Final = {
    "aria": False,
    "background": None,
    "font": "sans-serif",
    "range": {"category": [f"var(--{name})" for name in ("one", "two", "three", "four", "five")]},
    "mark": {"color": "var(--one)"},
    "view": {"stroke": None},
    "axis": {
        **_TEXT,
        **_SIZES,
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "titlePadding": 10,
        "labelSeparation": 6,
    },
    "legend": {**_TEXT, **_SIZES},
    "rule": {"color": "var(--soft)"},
    "text": {"color": "var(--soft)"},
    "style": {
        "shade": {"color": "var(--sunken)"},
        "win": {"color": "var(--one)", "stroke": "var(--paper)"},
        "win-value": {"color": "var(--paper)", "fontWeight": 600, "fontSize": 12},
        "no-win": {"color": "var(--sunken)", "stroke": "var(--paper)"},
        "no-win-value": {"color": "var(--soft)", "fontSize": 12},
    },
}
Content = Element | str | None
Attribute = str | float | int | bool | None


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


def title_of(what: str, source: str, signature: Signature) -> str:
    """What a report is about: the file or campaign, and the day of its last rating where it is
    known. The same data, the same bytes: today is no part of it.
    """
    last = signature.as_dict().get("cutoff", "none")
    day = "" if last == "none" else f", ratings until {last[:10]}"
    return f"{what}: {source}{day}"


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


def can_draw() -> bool:
    """Whether this machine has what charts are drawn with."""
    return find_spec("vl_convert") is not None


def draw(spec: Spec) -> Element:
    """A chart that says in words what it is."""
    import vl_convert

    text = vl_convert.vegalite_to_svg(_fixed(spec, THEME), vl_version=VEGA_LITE)
    drawn = fromstring(_CONTROL.sub("", text))  # noqa: S314  # of our own making
    for part in drawn.iter():
        part.tag = part.tag.removeprefix(SVG)
        part.attrib.pop("font-family", None)  # the document's own
    title = Element("title")
    title.text = spec["description"]
    drawn.insert(0, title)
    drawn.set("role", "img")
    return drawn


def draw_png(spec: Spec) -> bytes:
    """The same as pixels, on white: these cannot follow the theme of who looks."""
    import vl_convert

    named = json.dumps(THEME | {"background": "var(--paper)"})
    theme = json.loads(_VARIABLE.sub(lambda match: light_colours()[match[1]], named))
    drawn: bytes = vl_convert.vegalite_to_png(
        _fixed(spec, theme), vl_version=VEGA_LITE, scale=SHARPNESS
    )
    return drawn


@cache
def light_colours() -> dict[str, str]:
    """The colours of the document's light theme, by name."""
    light = STYLE.read_text(encoding="utf-8").partition("@media")[0]
    return dict(re.findall(r"--(\w+): (#\w+);", light))


def _fixed(spec: Spec, theme: Any) -> Spec:
    """Of a width of its own: nothing is around a file."""
    width = {"width": WIDTH} if spec.get("width") == "container" else {}
    return spec | width | {"config": theme}


def element(tag: str, *content: Content, **attributes: Attribute) -> Element:
    """An element with text and children; None leaves out, `class_` and `stroke_width` are mended.

    >>> markup(element("p", "a < ", element("b", "b"), class_="note", hidden=None))
    '<p class="note">a &lt; <b>b</b></p>'
    """
    made = Element(
        tag, {_name(key): _text(value) for key, value in attributes.items() if _set(value)}
    )
    last: Element | None = None
    for part in content:
        if isinstance(part, Element):
            made.append(part)
            last = part
        elif part is not None and last is None:
            made.text = (made.text or "") + part
        elif part is not None and last is not None:
            last.tail = (last.tail or "") + part
    return made


def markup(root: Element) -> str:
    return tostring(root, encoding="unicode", method="html")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _set(value: Attribute) -> bool:
    return value is not None and value is not False


def _text(value: Attribute) -> str:
    """Coordinates to a tenth of a pixel: finer cannot be seen, and a report holds thousands."""
    if value is True:
        return ""
    return f"{round(value, 1):g}" if isinstance(value, float) else str(value)
