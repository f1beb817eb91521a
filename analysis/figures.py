"""The charts of the report as SVG: no script, no font to fetch, light, dark and print by CSS.

Each takes rows of `analysis.charts`, so that page and report show the same numbers. Classes carry
colour; the report's style sheet (`analysis/report.css`) gives them their values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.etree.ElementTree import Element

from analysis.charts import BIN_WIDTH, STATUSES, Row
from analysis.markup import element

WIDTH: Final = 720
CHARACTER: Final = 7.2  # width of an average letter at the size of labels
LONGEST: Final = 26  # letters of a label that are shown


@dataclass(frozen=True, slots=True)
class Scale:
    """A value's place between two pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ranking_figure(
    rows: Sequence[Row],
    *,
    axis: str = "Mean z score",
    name: str = "Mean z score of each system, best first",
) -> Element:
    """Systems best first with score and interval; dashed lines part the clusters."""
    left, step = _label_width(row["system"] for row in rows), 30
    bottom = step * len(rows) + 8
    ends = [
        value for row in rows for value in (row["z_low"], row["z_high"], row["z"]) if _is(value)
    ]
    ticks = nice_ticks(min(ends, default=0.0), max(ends, default=1.0))
    x = Scale(ticks[0], ticks[-1], left, WIDTH - 14)
    parts = _x_axis(x, ticks, bottom, axis)
    for place, row in enumerate(rows):
        y = step * place + step / 2 + 4
        parts.append(_label(row["system"], left - 10, y + 4, "end"))
        if _is(row["z_low"]) and _is(row["z_high"]):
            parts.append(_line(x(row["z_low"]), y, x(row["z_high"]), y, "interval"))
        parts.append(element("circle", cx=x(row["z"]), cy=y, r=5.0, class_="mark"))
    for place, (above, below) in enumerate(pairwise(rows), 1):
        if above["ranks"] != below["ranks"]:
            parts.append(_line(0, step * place + 4, WIDTH, step * place + 4, "boundary"))
    return _figure(name, bottom + 40, parts)


def significance_figure(
    rows: Sequence[Row], *, name: str = "p that the row's system is better than the column's"
) -> Element:
    """A square of cells, filled where the row's system is significantly better."""
    systems = list(dict.fromkeys(row["better"] for row in rows))
    left = _label_width(systems)
    slanted = 0.72 * left
    top = 16 + slanted
    size = min(56.0, (WIDTH - left - slanted) / max(len(systems), 1))
    place = {system: number for number, system in enumerate(systems)}
    parts: list[Element] = []
    for system, number in place.items():
        middle = left + size * (number + 0.5)
        turned = f"rotate(-45 {middle:.1f} {top - 8:.1f})"
        parts.append(_label(system, left - 10, top + 26 * number + 17, "end"))
        parts.append(_label(system, middle, top - 8, "start", transform=turned))
    for row in rows:
        x, y = left + size * place[row["worse"]], top + 26 * place[row["better"]]
        tip = element("title", f"{row['better']} better than {row['worse']}: p = {row['shown']}")
        kind = "cell win" if row["win"] else "cell"
        parts.append(
            element("rect", tip, x=x + 0.5, y=y + 0.5, width=size - 1, height=25.0, class_=kind)
        )
        if size >= 38:
            words = "value win" if row["win"] else "value"
            parts.append(_text(row["shown"], x + size / 2, y + 17.0, "middle", words))
    return _figure(name, top + 26 * len(systems) + 8, parts)


def scatter_figure(rows: Sequence[Row], x_title: str, y_title: str) -> Element:
    """One mark per row; those that stand out are squares, and say what they are on hovering."""
    left, bottom = 62, 320
    across = nice_ticks(min(row["x"] for row in rows), max(row["x"] for row in rows))
    up = nice_ticks(min(row["y"] for row in rows), max(row["y"] for row in rows))
    x, y = Scale(across[0], across[-1], left, WIDTH - 14), Scale(up[0], up[-1], bottom, 14)
    parts = _x_axis(x, across, bottom, x_title)
    parts += _y_axis(y, up, left, WIDTH - 14, y_title)
    for row in sorted(rows, key=lambda row: bool(row["out"])):
        if row["out"]:
            mark = _square(x(row["x"]), y(row["y"]))
            mark.append(element("title", row["tip"]))
        else:
            mark = element("circle", cx=x(row["x"]), cy=y(row["y"]), r=2.2, class_="dot")
        parts.append(mark)
    return _figure(f"{y_title} against {x_title}", bottom + 44, parts)


def annotators_figure(rows: Sequence[Row]) -> Element:
    """Degraded against original means; below the diagonal is as it should be."""
    left, bottom, side = 54, 400, 380
    x, y = Scale(0, 100, left, left + side), Scale(0, 100, bottom, bottom - side)
    ticks = [0, 20, 40, 60, 80, 100]
    parts = _x_axis(x, ticks, bottom, "Mean score of original captions", end=left + side)
    parts += _y_axis(y, ticks, left, left + side, "Mean score of their degraded versions")
    parts.append(_line(x(0), y(0), x(100), y(100), "boundary"))
    for row in rows:
        if _is(row["original"]) and _is(row["degraded"]):
            words = f"{row['annotator']}: {row['original']:.1f}, degraded {row['degraded']:.1f}"
            shape = _MARKS[row["status"]](x(row["original"]), y(row["degraded"]))
            shape.append(element("title", f"{words}, {row['status']}"))
            parts.append(shape)
    shown = [status for status in STATUSES if any(row["status"] == status for row in rows)]
    for number, status in enumerate(shown):
        parts.append(_MARKS[status](left + side + 40, 40.0 + 24 * number))
        parts.append(_text(status, left + side + 54, 44.0 + 24 * number, "start"))
    return _figure("Mean score of degraded against original captions", bottom + 44, parts)


def distributions_figure(rows: Sequence[Row]) -> Element:
    """One row of bars per system, and for control and degraded captions."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    left, step = _label_width(groups), 46 if len(groups) <= 10 else 32
    bottom = step * len(groups) + 6
    tallest = max((row["share"] for row in rows), default=1.0) or 1.0
    x = Scale(0, 100, left, WIDTH - 14)
    parts = _x_axis(x, [0, 20, 40, 60, 80, 100], bottom, "Raw score")
    for place, group in enumerate(groups, 1):
        floor = step * place
        parts.append(_label(group, left - 10, floor - 4, "end"))
        parts.append(_line(left, floor, WIDTH - 14, floor, "grid"))
        parts += [
            _bar(row, x, floor, (step - 8) / tallest) for row in rows if row["group"] == group
        ]
    return _figure("Share of ratings by score", bottom + 40, parts)


def sensitivity_figure(rows: Sequence[Row]) -> Element:
    """Agreement with everybody's ranking at each threshold, over the band of random drops."""
    rows = [row for row in rows if all(_is(row[name]) for name in ("tau", "low", "high"))]
    left, bottom = 62, 240
    values = [row[name] for row in rows for name in ("tau", "low", "high")]
    ticks = nice_ticks(min(values, default=0.0), max(values, default=1.0))
    y = Scale(ticks[0], ticks[-1], bottom, 14)
    steps = Scale(0, max(len(rows) - 1, 1), left + 40, WIDTH - 54)
    places = [steps(number) for number in range(len(rows))]
    parts = _y_axis(y, ticks, left, WIDTH - 14, "Kendall's τ with everybody's ranking")
    around = [(place, y(row["high"])) for place, row in zip(places, rows, strict=True)]
    around += [(place, y(row["low"])) for place, row in zip(places, rows, strict=True)][::-1]
    parts.append(element("polygon", points=_points(around), class_="band"))
    line = [(place, y(row["tau"])) for place, row in zip(places, rows, strict=True)]
    parts.append(element("polyline", points=_points(line), class_="path"))
    parts += [
        element("circle", cx=place, cy=height, r=4.5, class_="mark") for place, height in line
    ]
    for place, row in zip(places, rows, strict=True):
        parts.append(_text(f"{row['threshold']:g}", place, bottom + 20, "middle"))
        parts.append(_text(f"{row['kept']:.0f} kept", place, bottom + 36, "middle", "faint"))
    title = "Annotators kept: those with a quality-control p below"
    parts.append(_text(title, (left + WIDTH - 14) / 2, bottom + 60, "middle", "axis"))
    return _figure("Agreement with everybody's ranking by threshold", bottom + 70, parts)


def nice_ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round numbers from below the lowest to above the highest value.

    >>> nice_ticks(-0.43, 0.31)
    [-0.6, -0.4, -0.2, 0.0, 0.2, 0.4]
    """
    spread = (high - low) or 1.0
    rough = spread / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def _figure(name: str, height: float, parts: Sequence[Element]) -> Element:
    box = f"0 0 {WIDTH} {height:.0f}"
    return element("svg", element("title", name), *parts, viewBox=box, role="img", width=WIDTH)


def _x_axis(
    x: Scale, ticks: Sequence[float], bottom: float, title: str, end: float = WIDTH - 14
) -> list[Element]:
    parts = [_line(x(tick), 4, x(tick), bottom, "grid") for tick in ticks]
    parts += [_text(_tick(tick), x(tick), bottom + 18, "middle") for tick in ticks]
    return [*parts, _text(title, (x.start + end) / 2, bottom + 36, "middle", "axis")]


def _y_axis(
    y: Scale, ticks: Sequence[float], left: float, right: float, title: str
) -> list[Element]:
    parts = [_line(left, y(tick), right, y(tick), "grid") for tick in ticks]
    parts += [_text(_tick(tick), left - 8, y(tick) + 4, "end") for tick in ticks]
    middle = (y.start + y.end) / 2
    turned = f"rotate(-90 14 {middle:.1f})"
    return [*parts, _text(title, 14, middle, "middle", "axis", transform=turned)]


def _bar(row: Row, x: Scale, floor: float, height: float) -> Element:
    tall, left = row["share"] * height, x(row["from"])
    wide = x(row["from"] + BIN_WIDTH) - left - 0.6
    return element("rect", x=left, y=floor - tall, width=wide, height=tall, class_="bar")


def _label(text: str, x: float, y: float, anchor: str, **attributes: str) -> Element:
    """A name somebody chose: cut where it is too long, whole on hovering."""
    if len(text) <= LONGEST:
        return _text(text, x, y, anchor, **attributes)
    label = _text(text[: LONGEST - 1] + "…", x, y, anchor, **attributes)
    label.append(element("title", text))
    return label


def _text(
    text: str, x: float, y: float, anchor: str, kind: str | None = None, **attributes: str
) -> Element:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind, **attributes)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _circle(x: float, y: float) -> Element:
    return element("circle", cx=x, cy=y, r=4.0, class_="point one")


def _square(x: float, y: float) -> Element:
    return element("rect", x=x - 3.6, y=y - 3.6, width=7.2, height=7.2, class_="point two")


def _triangle(x: float, y: float) -> Element:
    corners = [(x, y - 4.6), (x + 4.4, y + 3.4), (x - 4.4, y + 3.4)]
    return element("polygon", points=_points(corners), class_="point three")


_MARKS: Final[dict[str, Callable[[float, float], Element]]] = dict(
    zip(STATUSES, (_circle, _square, _triangle), strict=True)
)


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _label_width(labels: Iterable[str]) -> float:
    """Room for the longest label, and no more."""
    longest = max((min(len(label), LONGEST) for label in labels), default=0)
    return max(60.0, CHARACTER * longest + 18)


def _tick(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _is(value: float | None) -> bool:
    return value is not None
