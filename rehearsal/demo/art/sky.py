"""The sky of each light: sun, moon, stars and clouds."""

from __future__ import annotations

from PIL import Image

from rehearsal.demo.art.easel import MARGIN, Easel, Layer
from rehearsal.demo.art.palette import mix
from rehearsal.demo.art.pen import WIDTH, Colour, Pen

SUN_X = 12.4


def sky(easel: Easel, horizon: float, *, sun: bool = True) -> list[Layer]:
    """The sky down to `horizon`, and its clouds, which drift."""
    sheet = easel.graded(0, horizon, easel.light.sky).convert("RGBA")
    if easel.light.orb == "moon":
        _night(easel, sheet, horizon)
    elif easel.light.orb and sun:
        _sun(easel, sheet, horizon)
    return [Layer.of(sheet, 0.0), Layer.of(_clouds(easel, horizon), 0.1, drift=0.09)]


def _sun(easel: Easel, sheet: Image.Image, horizon: float) -> None:
    low = easel.light.orb == "low sun"
    y = horizon - 0.7 if low else 1.5
    colour: Colour = (255, 236, 170) if low else (255, 250, 214)
    easel.glow(sheet, SUN_X, y, 6.0 if low else 3.6, colour, 0.75)
    easel.paint(
        sheet, lambda pen: pen.ellipse(SUN_X, y, 0.85, 0.85, mix(colour, (255, 255, 255), 0.3))
    )


def _night(easel: Easel, sheet: Image.Image, horizon: float) -> None:
    stars = easel.rng.uniform((-MARGIN, 0.1, 0.015), (WIDTH + MARGIN, horizon, 0.045), (90, 3))

    def draw(pen: Pen) -> None:
        for x, y, r in stars.tolist():
            pen.ellipse(x, y, r, r, mix((255, 255, 240), easel.light.sky[1], y / horizon * 0.7))
        pen.ellipse(SUN_X, 1.6, 0.75, 0.75, (250, 246, 222))
        for dx, dy, r in ((-0.2, -0.2, 0.16), (0.25, 0.1, 0.12), (-0.05, 0.32, 0.1)):
            pen.ellipse(SUN_X + dx, 1.6 + dy, r, r, (228, 222, 196))

    easel.glow(sheet, SUN_X, 1.6, 3.4, (196, 208, 255), 0.5)
    easel.paint(sheet, draw)


def _clouds(easel: Easel, horizon: float) -> Image.Image:
    colour = mix((255, 255, 255), easel.light.haze, 0.6 if easel.light.lamps else 0.15)
    centres = easel.rng.uniform((0, 0.6, 0.6), (WIDTH, max(1.0, horizon - 1.6), 1.1), (4, 3))
    puffs = easel.rng.uniform((-1.4, -0.18, 0.3), (1.4, 0.12, 0.5), (4, 7, 3))

    def draw(pen: Pen) -> None:
        for (x, y, size), cloud in zip(centres.tolist(), puffs.tolist(), strict=True):
            for dx, dy, r in cloud:
                tall = r * (1.2 - 0.4 * abs(dx))
                pen.ellipse(
                    x + dx * size, y + dy * size - tall * 0.3, r * 1.3 * size, tall * size, colour
                )

    return easel.blurred(draw, colour, 0.07, 0.45 if easel.light.orb == "moon" else 0.85)
