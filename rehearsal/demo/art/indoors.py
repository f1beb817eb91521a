"""Backdrops without weather: living room, kitchen, and the bottom of the sea."""

from __future__ import annotations

from itertools import pairwise
from math import sin

import numpy as np
from PIL import Image

from rehearsal.demo.art.countryside import LEFT, RIGHT, specks
from rehearsal.demo.art.easel import Easel, Layer, below, level, ridge
from rehearsal.demo.art.palette import dark, mix, pale
from rehearsal.demo.art.pen import Colour, Pen, Point

PLANK: Colour = (196, 148, 100)
CREAM: Colour = (250, 244, 230)


def living_room(easel: Easel) -> list[Layer]:
    wall = easel.sheet()
    easel.wash(wall, level(0), ((232, 214, 186), (244, 230, 206), (226, 204, 176)), depth=6)
    easel.paint(wall, lambda pen: _wallpaper(pen, (226, 206, 176)))
    _view(easel, wall, 10.2, 1.0, 13.4, 4.0)
    easel.paint(wall, _pictures)
    _floor(easel, wall, PLANK)
    easel.paint(wall, _rug)
    easel.paint(wall, _floor_lamp)
    easel.glow(wall, 1.4, 2.2, 3.4, (255, 232, 170), 0.5)
    return [Layer.of(wall, 0.8)]


def _wallpaper(pen: Pen, stripe: Colour) -> None:
    for x in np.arange(LEFT - 1, RIGHT + 1, 0.9).tolist():
        pen.box(x, 0, x + 0.34, 6, stripe)
    pen.box(LEFT - 1, 5.5, RIGHT + 1, 5.86, CREAM)
    pen.stroke([(LEFT - 1, 5.5), (RIGHT + 1, 5.5)], 0.04, dark(CREAM, 0.15))


def _view(
    easel: Easel, sheet: Image.Image, left: float, top: float, right: float, bottom: float
) -> None:
    """A window with the sky of this light in it."""
    easel.paint(
        sheet,
        lambda pen: pen.rounded(left - 0.18, top - 0.18, right + 0.18, bottom + 0.18, 0.06, CREAM),
    )
    pane = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    easel.wash(sheet, pane, easel.light.sky)

    def frame(pen: Pen) -> None:
        middle = (left + right) / 2
        hill = mix(easel.lit((110, 170, 110)), easel.light.haze, 0.3)
        hills = np.linspace(left, right, 20)
        line = np.column_stack([hills, bottom - 0.55 - 0.2 * np.sin(hills * 2)])
        pen.polygon([*line.tolist(), (right, bottom), (left, bottom)], hill)
        pen.box(middle - 0.06, top, middle + 0.06, bottom, CREAM)
        pen.box(left, (top + bottom) / 2 - 0.05, right, (top + bottom) / 2 + 0.05, CREAM)
        pen.box(left - 0.3, bottom + 0.1, right + 0.3, bottom + 0.3, dark(CREAM, 0.08))

    easel.paint(sheet, frame)


def _pictures(pen: Pen) -> None:
    for x, y, wide, tall, colour in (
        (5.2, 1.5, 1.5, 1.1, (120, 170, 190)),
        (7.2, 1.9, 0.9, 1.2, (214, 150, 120)),
    ):
        pen.box(x - 0.12, y - 0.12, x + wide + 0.12, y + tall + 0.12, (120, 84, 56))
        pen.box(x, y, x + wide, y + tall, pale(colour, 0.3))
        pen.polygon(
            [(x, y + tall), (x + wide * 0.4, y + tall * 0.45), (x + wide, y + tall)],
            dark(colour, 0.1),
        )
        pen.ellipse(x + wide * 0.72, y + tall * 0.3, 0.14, 0.14, (252, 226, 140))


def _floor(easel: Easel, sheet: Image.Image, wood: Colour) -> None:
    easel.wash(sheet, level(5.86), (dark(wood, 0.18), wood, pale(wood, 0.1)))

    def planks(pen: Pen) -> None:
        for x in np.linspace(-14, 30, 34).tolist():
            pen.stroke([(8 + (x - 8) * 0.5, 5.88), (x, 9.1)], 0.025, dark(wood, 0.25))

    easel.paint(sheet, planks)


def _rug(pen: Pen) -> None:
    for grow, colour in ((1.0, (150, 72, 84)), (0.9, (236, 214, 186)), (0.82, (176, 92, 98))):
        pen.ellipse(8, 7.6, 5.6 * grow, 1.05 * grow, colour)


def _floor_lamp(pen: Pen) -> None:
    pen.stroke("140,290 140,610", 0.09, (96, 80, 70))
    pen.ellipse(1.4, 6.12, 0.5, 0.13, (96, 80, 70))
    pen.polygon("95,170 185,170 220,290 60,290", (255, 236, 184))


def kitchen(easel: Easel) -> list[Layer]:
    wall = easel.sheet()
    easel.wash(wall, level(0), ((214, 232, 232), (196, 222, 222)), depth=6)
    easel.paint(wall, _tiles)
    _view(easel, wall, 7.0, 0.9, 9.8, 2.9)
    easel.paint(wall, _cupboards)
    easel.paint(wall, _fridge)
    easel.wash(wall, level(5.86), ((186, 180, 172), (228, 222, 212)))
    easel.paint(wall, _checks)
    easel.glow(wall, 8.4, 0.4, 5.0, (255, 246, 214), 0.35)
    return [Layer.of(wall, 0.8)]


def _tiles(pen: Pen) -> None:
    for x in np.arange(-1, 17.5, 0.6).tolist():
        pen.stroke([(x, 0), (x, 6)], 0.025, (226, 240, 240))
    for y in np.arange(0.3, 6, 0.6).tolist():
        pen.stroke([(-1, y), (17, y)], 0.025, (226, 240, 240))


def _cupboards(pen: Pen) -> None:
    door: Colour = (238, 232, 218)
    for x in (2.4, 4.4, 10.6):
        pen.rounded(x, 0.2, x + 1.9, 2.2, 0.06, door)
        pen.rounded(x + 0.16, 0.36, x + 1.74, 2.04, 0.05, dark(door, 0.05))
        pen.ellipse(x + 1.6, 1.9, 0.07, 0.07, (150, 120, 80))
    pen.box(-1, 4.2, 12.7, 5.9, door)
    pen.box(-1, 4.0, 12.8, 4.28, (148, 104, 72))
    for x in (0.0, 2.1, 6.6, 8.7, 10.8):
        pen.rounded(x, 4.44, x + 1.9, 5.76, 0.05, dark(door, 0.06))
        pen.stroke([(x + 0.7, 4.62), (x + 1.2, 4.62)], 0.06, (150, 120, 80))
    pen.rounded(4.3, 4.4, 6.3, 5.8, 0.06, (84, 88, 96))
    pen.rounded(4.6, 4.8, 6.0, 5.6, 0.06, (52, 54, 60))
    pen.ellipse(5.3, 3.7, 0.5, 0.34, (196, 76, 62))
    pen.box(4.78, 3.5, 5.82, 3.66, (170, 60, 52))
    pen.stroke("580,366 640,360", 0.08, (70, 60, 60))
    for x, colour in ((1.0, (214, 90, 80)), (1.6, (236, 190, 80)), (2.2, (100, 150, 110))):
        pen.rounded(x, 3.4, x + 0.46, 4.02, 0.08, colour)
        pen.rounded(x + 0.02, 3.3, x + 0.44, 3.46, 0.05, (120, 92, 68))


def _fridge(pen: Pen) -> None:
    pen.rounded(13.1, 1.2, 15.4, 5.95, 0.16, (200, 212, 220))
    pen.rounded(13.2, 1.3, 15.3, 5.85, 0.12, (236, 242, 246))
    pen.stroke("1320,290 1530,290", 0.05, (176, 190, 200))
    for top, bottom in ((2.1, 2.7), (3.2, 4.2)):
        pen.stroke([(13.5, top), (13.5, bottom)], 0.1, (160, 174, 184))
    pen.box(14.3, 3.5, 14.9, 4.2, (250, 230, 150))


def _checks(pen: Pen) -> None:
    for row, (top, bottom) in enumerate(pairwise((5.86, 6.2, 6.65, 7.25, 8.0, 9.1))):
        for left in range(-16 + row % 2, 32, 2):
            corners = ((left, top), (left + 1, top), (left + 1, bottom), (left, bottom))
            pen.polygon([_receding(x, y) for x, y in corners], (150, 168, 172))


def _receding(x: float, y: float) -> Point:
    """A point of the floor, drawn together towards the back."""
    return 8 + (x - 8) * (0.55 + 0.45 * (y - 5.86) / 3.14), y


def seabed(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    easel.wash(
        far,
        level(0),
        (easel.lit((96, 206, 226)), easel.lit((38, 142, 196)), easel.lit((18, 84, 150))),
    )
    far.alpha_composite(easel.blurred(_rays, (255, 255, 255), 0.16, 0.2))
    easel.wash(
        far,
        below(ridge(easel.rng, 6.6, 1.2, 1.0)),
        (easel.lit((34, 110, 158)), easel.lit((22, 78, 128))),
        depth=2,
    )
    easel.paint(near, lambda pen: _seaweed(pen, easel))
    easel.wash(
        near,
        below(ridge(easel.rng, 7.9, 0.3, 0.9)),
        (easel.lit((226, 208, 158)), easel.lit((170, 156, 128))),
    )
    specks(easel, near, 8.1, [(196, 176, 130), (244, 230, 190), (240, 140, 120)], 70, 0.08)
    easel.paint(near, lambda pen: _coral(pen, easel))
    return [Layer.of(far, 0.3), Layer.of(near, 1.0)]


def _rays(pen: Pen) -> None:
    for x in (1.0, 4.0, 6.2, 10.0, 13.5):
        pen.polygon([(x, -0.5), (x + 1.0, -0.5), (x - 1.0, 8), (x - 3.4, 8)], (255, 255, 255))


def _seaweed(pen: Pen, easel: Easel) -> None:
    for x, tall in easel.rng.uniform((LEFT, 0.8), (RIGHT, 2.6), (22, 2)).tolist():
        stem = [(x + 0.14 * sin(k * 1.4 + x), 8.2 - tall * k / 6) for k in range(7)]
        pen.stroke(stem, 0.14, easel.lit(mix((40, 130, 84), (90, 160, 70), tall / 3)), smooth=True)


def _coral(pen: Pen, easel: Easel) -> None:
    for x, pick in easel.rng.uniform((LEFT, 0), (RIGHT, 3), (7, 2)).tolist():
        colour = easel.lit([(240, 110, 120), (250, 160, 90), (190, 110, 200)][int(pick)])
        for lean in (-0.5, -0.18, 0.15, 0.48):
            pen.stroke(
                [(x, 8.5), (x + lean * 0.6, 8.1), (x + lean, 7.7 + abs(lean) * 0.3)],
                0.15,
                colour,
                smooth=True,
            )
