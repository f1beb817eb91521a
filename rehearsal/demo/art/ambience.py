"""What fills the air: snow, rain, glints on the water, bubbles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from rehearsal.demo.art.easel import Easel
from rehearsal.demo.art.palette import mix
from rehearsal.demo.art.pen import HEIGHT, WIDTH, Colour
from rehearsal.demo.story import Story

Effect = Callable[[Image.Image, float], None]


@dataclass(frozen=True)
class Ambience:
    """Effects drawn behind and before the actors, given the frame and the seconds gone by."""

    behind: Effect
    before: Effect


def ambience(story: Story, easel: Easel) -> Ambience:
    """What the place and the weather of a story put into the air."""
    behind = {"beach": (4.4, 5.6), "harbour": (5.5, 8.9)}.get(story.place or "")
    before = {"snow": _snow, "rain": _rain}.get(story.weather or "")
    if story.place == "seabed":
        before = _bubbles
    return Ambience(
        _glints(easel, *behind) if behind else _nothing, before(easel) if before else _nothing
    )


def _nothing(frame: Image.Image, seconds: float) -> None:
    return None


def _dots(
    frame: Image.Image, unit: float, spots: NDArray[np.float64], colour: Colour, strength: float
) -> None:
    """Soft dots at (x, y) of radius r."""
    for x, y, r in spots.tolist():
        size = max(1, round(2 * r * unit))
        left, top = round(x * unit - size / 2), round(y * unit - size / 2)
        frame.paste(colour, (left, top, left + size, top + size), _dot(size, strength))


@cache
def _dot(size: int, strength: float) -> Image.Image:
    mask = Image.new("L", (4 * size, 4 * size))
    edge = 0.4 * size
    round_box = (edge, edge, 4 * size - edge, 4 * size - edge)
    ImageDraw.Draw(mask).ellipse(round_box, fill=round(255 * strength))
    return mask.reduce(4)


def _snow(easel: Easel) -> Effect:
    flakes = easel.rng.uniform((0, 0, 0.03), (WIDTH, HEIGHT, 0.085), (110, 3))
    sway = easel.rng.uniform(0, 2 * np.pi, 110)

    def fall(frame: Image.Image, seconds: float) -> None:
        x = flakes[:, 0] + 0.25 * np.sin(seconds * 1.3 + sway)
        y = (flakes[:, 1] + seconds * (0.7 + 16 * flakes[:, 2])) % (HEIGHT + 0.4) - 0.2
        _dots(frame, easel.unit, np.column_stack([x, y, flakes[:, 2]]), (255, 255, 255), 0.9)

    return fall


def _rain(easel: Easel) -> Effect:
    drops = easel.rng.uniform((0, 0, 9.0), (WIDTH + 2, HEIGHT, 14.0), (120, 3))
    colour = mix(easel.light.sky[-1], (255, 255, 255), 0.35)

    def fall(frame: Image.Image, seconds: float) -> None:
        streaks = Image.new("L", frame.size)
        draw = ImageDraw.Draw(streaks)
        for x, y, speed in drops.tolist():
            top = (y + seconds * speed) % (HEIGHT + 1) - 1
            left = (x - 0.12 * seconds * speed) % (WIDTH + 2) - 1
            ends = (
                left * easel.unit,
                top * easel.unit,
                (left - 0.06) * easel.unit,
                (top + 0.5) * easel.unit,
            )
            draw.line(ends, fill=110, width=max(1, round(easel.unit / 40)))
        frame.paste(colour, (0, 0, *frame.size), streaks)

    return fall


def _glints(easel: Easel, top: float, bottom: float) -> Effect:
    spots = easel.rng.uniform((0, top, 0), (WIDTH, bottom, 2 * np.pi), (46, 3))
    colour = mix(easel.light.sky[-1], (255, 255, 255), 0.75)

    def twinkle(frame: Image.Image, seconds: float) -> None:
        bright = np.clip(np.sin(2.2 * seconds + spots[:, 2]), 0, 1) * 0.055
        shown = np.column_stack([spots[:, :2], bright])[bright > 0.012]
        _dots(frame, easel.unit, shown, colour, 0.8)

    return twinkle


def _bubbles(easel: Easel) -> Effect:
    bubbles = easel.rng.uniform((0, 0, 0.04), (WIDTH, HEIGHT, 0.12), (26, 3))

    def rise(frame: Image.Image, seconds: float) -> None:
        x = bubbles[:, 0] + 0.12 * np.sin(2 * seconds + bubbles[:, 1] * 3)
        y = HEIGHT + 0.2 - (bubbles[:, 1] + seconds * (0.6 + 6 * bubbles[:, 2])) % (HEIGHT + 0.4)
        spots = np.column_stack([x, y, bubbles[:, 2]])
        _dots(frame, easel.unit, spots, (214, 244, 255), 0.4)
        shine = spots + np.array([-0.02, -0.03, 0])
        _dots(frame, easel.unit, shine * (1, 1, 0.35), (255, 255, 255), 0.8)

    return rise
