"""Charts as SVG and PNG, for files that stand alone: no script, no font to fetch, light and dark.

Vega itself draws them (vl-convert), from the specifications that pages draw with the same Vega.
Colours are the custom properties of `document.css`. Web machines have no vl-convert: whoever needs
a drawing there asks a worker.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, fromstring

from analysis.presenting.charts import Spec

STYLE: Final = Path(__file__).with_name("document.css")
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
