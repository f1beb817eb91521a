"""Charts as SVG, for files that stand alone: no script, no font to fetch, light, dark and print.

Vega itself draws them (vl-convert), from the specifications that pages draw with the same Vega.
Colours are the custom properties of `document.css`. Web machines have no vl-convert: whoever needs
a drawing there asks a worker.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import Final
from xml.etree.ElementTree import Element, fromstring

from analysis.presenting.charts import Spec

WIDTH: Final = 720
VEGA_LITE: Final = "6.4"
SVG: Final = "{http://www.w3.org/2000/svg}"
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
        "win": {"color": "var(--one)", "stroke": "var(--paper)"},
        "win-value": {"color": "var(--paper)", "fontWeight": 600, "fontSize": 12},
        "no-win": {"color": "var(--sunken)", "stroke": "var(--paper)"},
        "no-win-value": {"color": "var(--soft)", "fontSize": 12},
    },
}


def can_draw() -> bool:
    """Whether this machine has what charts are drawn with."""
    return find_spec("vl_convert") is not None


def draw(spec: Spec) -> Element:
    """A chart that says in words what it is."""
    import vl_convert

    fixed = spec | {"config": THEME}
    if "facet" not in spec:  # whose panels have a width of their own
        fixed["width"] = WIDTH
    text = vl_convert.vegalite_to_svg(fixed, vl_version=VEGA_LITE)
    drawn = fromstring(_CONTROL.sub("", text))  # noqa: S314  # of our own making
    for part in drawn.iter():
        part.tag = part.tag.removeprefix(SVG)
        part.attrib.pop("font-family", None)  # the document's own
    title = Element("title")
    title.text = spec["description"]
    drawn.insert(0, title)
    drawn.set("role", "img")
    return drawn
