"""Backdrops out of town: beach, meadow, snowy field, desert, forest."""

from __future__ import annotations

from functools import partial
from math import sin

import numpy as np
from PIL import Image

from rehearsal.demo.art.easel import MARGIN, Easel, Layer, below, level, peaks, ridge
from rehearsal.demo.art.palette import dark, mix, pale
from rehearsal.demo.art.pen import HEIGHT, WIDTH, Colour, Pen
from rehearsal.demo.art.sky import sky

LEFT, RIGHT = -MARGIN, WIDTH + MARGIN


def specks(
    easel: Easel, sheet: Image.Image, top: float, colours: list[Colour], count: int, size: float
) -> None:
    """Pebbles, leaves or blossoms, smaller and denser towards the horizon."""
    spots = easel.rng.uniform((LEFT, 0, 0), (RIGHT, 1, len(colours)), (count, 3))

    def draw(pen: Pen) -> None:
        for x, far, pick in spots.tolist():
            y = top + (HEIGHT - top) * far**1.6
            near = 0.4 + 0.9 * far
            pen.ellipse(x, y, size * near, size * near * 0.55, easel.lit(colours[int(pick)]))

    easel.paint(sheet, draw)


def beach(easel: Easel) -> list[Layer]:
    far = easel.sheet()
    sea = (easel.lit((60, 140, 190)), easel.lit((70, 172, 200)), easel.lit((150, 218, 216)))
    easel.wash(far, level(4.3), (mix(sea[0], easel.light.sky[-1], 0.45), *sea), depth=1.9)
    easel.paint(far, lambda pen: sea_lines(pen, easel, 4.36, 5.7))
    near = easel.sheet()
    shore = np.array(
        [(x, 5.75 + 0.13 * sin(x * 0.9) + 0.05 * sin(x * 2.3)) for x in np.linspace(-2, 18, 80)]
    )
    easel.wash(near, below(shore - (0, 0.16)), (easel.lit((238, 250, 246)),))
    easel.wash(
        near,
        below(shore),
        (easel.lit((196, 160, 112)), easel.lit((238, 208, 150)), easel.lit((246, 220, 164))),
    )
    specks(easel, near, 6.1, [(214, 182, 128), (252, 236, 196), (190, 150, 104)], 240, 0.06)
    specks(easel, near, 6.6, [(250, 240, 230), (240, 160, 140)], 10, 0.13)
    return [*sky(easel, 4.3), Layer.of(far, 0.35), Layer.of(near, 1.0)]


def sea_lines(pen: Pen, easel: Easel, top: float, bottom: float) -> None:
    glint = mix(easel.light.sky[-1], (255, 255, 255), 0.5)
    for x, depth in easel.rng.uniform((LEFT, 0), (RIGHT, 1), (90, 2)).tolist():
        y = top + (bottom - top) * depth
        pen.ellipse(x, y, 0.12 + 0.5 * depth, 0.012 + 0.016 * depth, glint)


def meadow(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    haze = easel.light.haze
    for y, share, colour in (
        (4.5, 0.6, (96, 160, 150)),
        (4.9, 0.35, (110, 176, 110)),
        (5.3, 0.1, (122, 190, 92)),
    ):
        line = ridge(easel.rng, y, 0.7, 1.1)
        tone = mix(easel.lit(colour), haze, share)
        easel.wash(far, below(line), (pale(tone, 0.12), dark(tone, 0.1)), depth=2.5)
    easel.paint(
        far, lambda pen: _distant_trees(pen, easel, mix(easel.lit((70, 140, 80)), haze, 0.25))
    )
    easel.wash(
        near,
        below(ridge(easel.rng, 5.75, 0.22, 0.8)),
        (easel.lit((150, 208, 92)), easel.lit((104, 178, 72)), easel.lit((76, 150, 62))),
    )
    easel.paint(near, lambda pen: _grass(pen, easel))
    specks(
        easel,
        near,
        6.0,
        [(255, 255, 250), (250, 214, 70), (240, 120, 150), (170, 120, 220)],
        110,
        0.075,
    )
    return [*sky(easel, 4.9), Layer.of(far, 0.4), Layer.of(near, 1.0)]


def _distant_trees(pen: Pen, easel: Easel, colour: Colour) -> None:
    for x, size in easel.rng.uniform((LEFT, 0.16), (RIGHT, 0.34), (16, 2)).tolist():
        y = 5.2
        pen.ellipse(x, y - size, size, size * 1.15, colour)
        pen.ellipse(x + size * 0.8, y - size * 0.6, size * 0.7, size * 0.8, dark(colour, 0.1))


def _grass(pen: Pen, easel: Easel) -> None:
    for x, far in easel.rng.uniform((LEFT, 0), (RIGHT, 1), (170, 2)).tolist():
        y, tall = 5.95 + 3.05 * far**1.4, 0.1 + 0.2 * far
        blade = easel.lit(mix((92, 164, 66), (58, 128, 54), far))
        for lean in (-0.5, 0.0, 0.5):
            pen.stroke([(x, y), (x + lean * tall, y - tall)], 0.03, blade)


def snowfield(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    rock = mix(easel.lit((150, 172, 206)), easel.light.haze, 0.45)
    line = peaks(easel.rng, 5.2, 2.6, 5)
    easel.wash(
        far, below(line), (mix(rock, easel.lit((255, 255, 255)), 0.75), rock, rock), depth=3.2
    )
    hill = easel.lit((226, 236, 250))
    easel.wash(far, below(ridge(easel.rng, 5.1, 0.5, 0.9)), (hill, mix(hill, rock, 0.3)), depth=1.5)
    easel.paint(far, lambda pen: _pines(pen, easel))
    snow = (easel.lit((236, 243, 254)), easel.lit((250, 252, 255)), easel.lit((222, 232, 248)))
    easel.wash(near, below(ridge(easel.rng, 5.8, 0.24, 0.8)), snow)
    specks(easel, near, 6.1, [(214, 226, 246), (255, 255, 255)], 70, 0.2)
    return [*sky(easel, 5.0), Layer.of(far, 0.4), Layer.of(near, 1.0)]


def _pines(pen: Pen, easel: Easel) -> None:
    needle = easel.lit((58, 104, 96))
    for x, size in sorted(
        easel.rng.uniform((LEFT, 0.55), (RIGHT, 1.1), (15, 2)).tolist(), key=lambda p: p[1]
    ):
        tree = pen.at(x, 5.5 + 0.3 * size, scale=size)
        tree.box(-0.08, -0.3, 0.08, 0, easel.lit((100, 72, 56)))
        for step in range(3):
            y, half = -0.2 - 0.42 * step, 0.52 - 0.13 * step
            tree.polygon([(-half, y), (half, y), (0, y - 0.72)], dark(needle, 0.12 - 0.06 * step))
            tree.polygon(
                [(-half * 0.6, y - 0.32), (half * 0.3, y - 0.36), (0, y - 0.72)],
                easel.lit((244, 249, 255)),
            )


def desert(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    mesa = mix(easel.lit((206, 116, 78)), easel.light.haze, 0.3)
    easel.paint(far, lambda pen: _mesas(pen, easel, mesa))
    for y, colour in ((5.2, (232, 178, 112)), (5.6, (240, 192, 122))):
        easel.wash(
            far,
            below(ridge(easel.rng, y, 0.5, 0.8)),
            (easel.lit(pale(colour, 0.15)), easel.lit(dark(colour, 0.06))),
            depth=1.2,
        )
    sand = (easel.lit((246, 206, 136)), easel.lit((238, 190, 116)), easel.lit((222, 170, 100)))
    easel.wash(near, below(ridge(easel.rng, 6.0, 0.2, 0.6)), sand)
    specks(easel, near, 6.2, [(214, 160, 96), (252, 220, 160)], 150, 0.08)
    return [*sky(easel, 5.2), Layer.of(far, 0.4), Layer.of(near, 1.0)]


def _mesas(pen: Pen, easel: Easel, colour: Colour) -> None:
    for x, wide, tall in easel.rng.uniform((0, 0.9, 0.8), (WIDTH, 1.9, 1.9), (4, 3)).tolist():
        rock = pen.at(x, 5.4)
        rock.polygon(
            [(-wide - 0.4, 0), (-wide * 0.72, -tall), (wide * 0.7, -tall), (wide + 0.4, 0)], colour
        )
        rock.polygon(
            [(wide * 0.2, 0), (wide * 0.34, -tall), (wide * 0.7, -tall), (wide + 0.4, 0)],
            dark(colour, 0.16),
        )
        for k in (0.3, 0.55):
            rock.stroke([(-wide, -tall * k), (wide, -tall * k)], 0.05, dark(colour, 0.1))


def forest(easel: Easel) -> list[Layer]:
    far, near = easel.sheet(), easel.sheet()
    haze = mix(easel.light.haze, easel.lit((206, 226, 186)), 0.5)
    easel.wash(far, level(0), (mix(easel.light.sky[-1], haze, 0.4), haze), depth=6)
    for share, count in ((0.72, 16), (0.45, 12), (0.15, 8)):
        easel.paint(far, partial(_trunks, easel=easel, haze=haze, share=share, count=count))
    floor = (easel.lit((122, 132, 70)), easel.lit((132, 112, 66)), easel.lit((100, 82, 52)))
    easel.wash(near, below(ridge(easel.rng, 5.9, 0.25, 0.9)), floor)
    specks(
        easel, near, 6.1, [(214, 120, 48), (196, 84, 44), (226, 168, 66), (120, 130, 60)], 230, 0.1
    )
    return [Layer.of(far, 0.4), Layer.of(near, 1.0)]


def _trunks(pen: Pen, easel: Easel, haze: Colour, share: float, count: int) -> None:
    bark, leaf = (
        mix(easel.lit((88, 62, 46)), haze, share),
        mix(easel.lit((74, 128, 58)), haze, share),
    )
    thick = 0.5 * (1 - share) + 0.1
    for x in (np.linspace(LEFT, RIGHT, count) + easel.rng.uniform(-0.5, 0.5, count)).tolist():
        foot = 6.3 - share
        pen.polygon(
            [(x - thick, foot), (x - thick * 0.5, 0), (x + thick * 0.5, 0), (x + thick, foot)], bark
        )
        pen.polygon(
            [
                (x + thick * 0.2, foot),
                (x + thick * 0.1, 0),
                (x + thick * 0.5, 0),
                (x + thick, foot),
            ],
            dark(bark, 0.14),
        )
    for x, y, r in easel.rng.uniform(
        (LEFT, -0.4, 0.4), (RIGHT, 2.0 - share, 1.0), (count * 3, 3)
    ).tolist():
        pen.ellipse(x, y, r * 1.3, r * 0.8, mix(leaf, (250, 236, 120), 0.12 * (y + 0.5)))


def rails(easel: Easel) -> Layer:
    """The track a train runs on."""
    sheet = easel.sheet()

    def draw(pen: Pen) -> None:
        pen.box(LEFT - 1, 7.2, RIGHT + 1, 7.56, easel.lit((150, 138, 124)))
        for x in np.arange(LEFT - 1, RIGHT + 1, 0.5).tolist():
            pen.polygon(
                [(x, 7.24), (x + 0.2, 7.24), (x + 0.17, 7.5), (x - 0.05, 7.5)],
                easel.lit((110, 76, 54)),
            )
        for y in (7.3, 7.44):
            pen.stroke([(LEFT - 1, y), (RIGHT + 1, y)], 0.05, easel.lit((206, 208, 214)))

    easel.paint(sheet, draw)
    return Layer.of(sheet, 1.0)
