"""Backdrops in town: a street and a harbour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rehearsal.demo.art.countryside import LEFT, RIGHT, sea_lines
from rehearsal.demo.art.easel import Easel, Layer, below, level, ridge
from rehearsal.demo.art.palette import dark, mix, pale
from rehearsal.demo.art.pen import Colour, Pen
from rehearsal.demo.art.sky import sky

FACADES: list[Colour] = [
    (204, 110, 90),
    (228, 184, 120),
    (150, 170, 190),
    (222, 206, 184),
    (160, 124, 150),
    (130, 168, 148),
]
WARM: Colour = (255, 214, 126)
LAMP_POSTS = (2.6, 8.2, 13.8)


def street(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    easel.paint(far, lambda pen: _skyline(pen, easel))
    easel.paint(near, lambda pen: _houses(pen, easel))
    easel.wash(
        near, level(5.7), (easel.lit((176, 172, 170)), easel.lit((198, 194, 190))), depth=0.6
    )
    easel.wash(near, level(6.3), (easel.lit((150, 148, 148)),))
    easel.wash(near, level(6.42), (easel.lit((92, 94, 104)), easel.lit((74, 76, 86))), depth=2.4)
    easel.paint(near, lambda pen: _road(pen, easel))
    if easel.light.lamps:
        for x in LAMP_POSTS:
            easel.glow(near, x, 2.75, 2.6, WARM, 0.6)
            easel.glow(near, x, 6.3, 2.2, WARM, 0.28)
    return [*sky(easel, 5.0, sun=False), Layer.of(far, 0.3), Layer.of(near, 1.0)]


def _skyline(pen: Pen, easel: Easel) -> None:
    tone = mix(easel.lit((120, 140, 170)), easel.light.haze, 0.4)
    for x, wide, tall in easel.rng.uniform((LEFT, 0.6, 2.2), (RIGHT, 1.1, 4.6), (14, 3)).tolist():
        shade = mix(tone, easel.light.haze, float(easel.rng.uniform(0, 0.4)))
        pen.box(x - wide, 6 - tall, x + wide, 6.2, shade)
        for row in np.arange(6.2 - tall, 5, 0.42).tolist():
            for column in np.linspace(-wide + 0.25, wide - 0.25, 4).tolist():
                if easel.rng.uniform() < 0.45:
                    pane = _window(easel, shade, 0.75)
                    pen.at(x + column, row).box(-0.07, 0, 0.07, 0.16, pane)


def _window(easel: Easel, wall: Colour, lit: float) -> Colour:
    if not easel.light.lamps:
        return mix(wall, (226, 240, 250), 0.7)
    return WARM if easel.rng.uniform() < lit else dark(wall, 0.35)


def _houses(pen: Pen, easel: Easel) -> None:
    x, pick = LEFT - 0.2, int(easel.rng.integers(len(FACADES)))
    while x < RIGHT:
        wide, tall = easel.rng.uniform((2.0, 3.15), (2.8, 3.95)).tolist()
        wall = easel.lit(FACADES[pick % len(FACADES)])
        _house_front(pen.at(x, 5.7), easel, wall, wide, tall)
        x, pick = x + wide, pick + 1


def _house_front(pen: Pen, easel: Easel, wall: Colour, wide: float, tall: float) -> None:
    pen.box(0, -tall, wide, 0, wall)
    pen.box(wide - 0.1, -tall, wide, 0, dark(wall, 0.15))
    pen.box(-0.04, -tall - 0.14, wide + 0.04, -tall + 0.06, dark(wall, 0.3))
    for y in (0.4 - tall, 0.4 - tall / 2 - 0.65):
        for x in np.linspace(0.25, wide - 0.75, 3).tolist():
            pen.box(x - 0.05, y - 0.05, x + 0.55, y + 0.72, pale(wall, 0.35))
            pen.box(x, y, x + 0.5, y + 0.66, _window(easel, wall, 0.5))
            pen.stroke([(x + 0.25, y), (x + 0.25, y + 0.66)], 0.03, pale(wall, 0.35))
    _shop(pen, easel, wall, wide)


def _shop(pen: Pen, easel: Easel, wall: Colour, wide: float) -> None:
    pen.box(0.2, -0.86, wide - 0.85, -0.12, _window(easel, wall, 0.8))
    pen.box(wide - 0.7, -0.92, wide - 0.24, 0, dark(wall, 0.5))
    awning = easel.lit([(196, 60, 60), (60, 120, 90), (70, 90, 150)][int(easel.rng.integers(3))])
    stripes = np.linspace(0.1, wide - 0.75, 8).tolist()
    for k, (a, b) in enumerate(pairwise(stripes)):
        pen.polygon(
            [(a, -1.12), (b, -1.12), (b, -0.82), (a, -0.82)],
            awning if k % 2 else easel.lit((244, 240, 232)),
        )


def _road(pen: Pen, easel: Easel) -> None:
    for x in np.arange(-2, 18, 2.2).tolist():
        pen.polygon(
            [(x, 7.62), (x + 1.1, 7.62), (x + 1.06, 7.74), (x - 0.06, 7.74)],
            easel.lit((236, 230, 210)),
        )
    for x in LAMP_POSTS:
        pen.stroke([(x, 6.2), (x, 2.7)], 0.11, easel.lit((70, 74, 84)))
        pen.rounded(x - 0.34, 2.5, x + 0.34, 2.74, 0.1, easel.lit((70, 74, 84)))
        lamp = (255, 244, 200) if easel.light.lamps else easel.lit((226, 226, 214))
        pen.ellipse(x, 2.8, 0.22, 0.14, lamp)


def harbour(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    hill = mix(easel.lit((110, 150, 120)), easel.light.haze, 0.45)
    easel.wash(far, below(ridge(easel.rng, 3.9, 0.8, 0.7)), (pale(hill, 0.1), hill), depth=2)
    easel.paint(far, lambda pen: _quay(pen, easel))
    sea = (easel.lit((84, 160, 190)), easel.lit((48, 128, 178)), easel.lit((28, 92, 146)))
    easel.wash(near, level(5.3), (mix(sea[0], easel.light.sky[-1], 0.4), *sea))
    easel.paint(near, lambda pen: sea_lines(pen, easel, 5.5, 9.0))
    return [*sky(easel, 4.4), Layer.of(far, 0.5), Layer.of(near, 0.7)]


def _quay(pen: Pen, easel: Easel) -> None:
    row = pen.at(0, 5.0, scale=0.62)
    x, pick = LEFT / 0.62 - 1, int(easel.rng.integers(len(FACADES)))
    while x < RIGHT / 0.62:
        wide, tall = easel.rng.uniform((1.3, 1.9), (1.9, 2.9)).tolist()
        _gabled(row.at(x, 0), easel, easel.lit(pale(FACADES[pick % len(FACADES)], 0.1)), wide, tall)
        x, pick = x + wide, pick + 1
    pen.box(LEFT - 1, 4.98, RIGHT + 1, 5.4, easel.lit((128, 116, 110)))
    pen.box(LEFT - 1, 4.96, RIGHT + 1, 5.04, easel.lit((176, 166, 156)))


def _gabled(pen: Pen, easel: Easel, wall: Colour, wide: float, tall: float) -> None:
    pen.box(0, -tall, wide, 0, wall)
    pen.polygon(
        [(-0.06, -tall), (wide / 2, -tall - 0.85), (wide + 0.06, -tall)], easel.lit((150, 84, 70))
    )
    for row in (0.3, 1.1):
        for x in (wide * 0.18, wide * 0.6):
            pen.box(x, -tall + row, x + wide * 0.22, -tall + row + 0.42, _window(easel, wall, 0.6))
    pen.box(wide * 0.4, -0.6, wide * 0.62, 0, dark(wall, 0.45))
