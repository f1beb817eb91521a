"""Laying drawn things on a frame: lit from above, with a soft shadow at their feet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageChops

from rehearsal.demo.art.palette import FOAM, LAMPLIGHT, SHADOW, Light
from rehearsal.demo.art.pen import WIDTH, Canvas, Colour, Pen


@dataclass(frozen=True)
class Compositor:
    """Knows the frame's size and the light that falls on what is laid there."""

    size: tuple[int, int]
    light: Light

    @property
    def unit(self) -> float:
        return self.size[0] / WIDTH

    def sprite(
        self,
        frame: Image.Image,
        foot: tuple[float, float],
        extent: tuple[float, float],
        draw: Callable[[Pen], None],
    ) -> None:
        """Draw within `extent` (half width, height) of a foot point, and lay it on the frame."""
        (x, y), (half, height) = foot, extent
        left, top = self._pixel(x - half) - 1, self._pixel(y - height) - 1
        right, bottom = self._pixel(x + half) + 2, self._pixel(y + 0.25 * height) + 2
        if right <= 0 or bottom <= 0 or left >= self.size[0] or top >= self.size[1]:
            return
        canvas = Canvas.blank(
            (right - left, bottom - top), self.unit, (left / self.unit, top / self.unit)
        )
        draw(canvas.pen)
        picture = canvas.picture()
        lit = ImageChops.multiply(picture, _falloff(picture.size, self.light.sprite))
        frame.paste(lit, (left, top), lit)

    def shadow(self, frame: Image.Image, x: float, y: float, half: float, strength: float) -> None:
        self._disc(frame, x, y, half, SHADOW, self.light.shadow * strength)

    def foam(self, frame: Image.Image, x: float, y: float, half: float) -> None:
        """Where a hull or a duck cuts the water."""
        self._disc(frame, x, y, half, FOAM, 0.5)

    def headlights(self, frame: Image.Image, x: float, y: float, half: float) -> None:
        """The pool of light before a car, once the lamps are lit."""
        if self.light.lamps:
            self._disc(frame, x, y, half, LAMPLIGHT, 0.3)

    def _disc(
        self, frame: Image.Image, x: float, y: float, half: float, colour: Colour, strength: float
    ) -> None:
        wide, tall = max(2, self._pixel(2 * half)), max(1, self._pixel(0.36 * half))
        mask = _soft_disc().resize((wide, tall)).point([round(strength * a) for a in range(256)])
        left, top = self._pixel(x - half), self._pixel(y - 0.18 * half)
        frame.paste(colour, (left, top, left + wide, top + tall), mask)

    def _pixel(self, length: float) -> int:
        return round(length * self.unit)


@cache
def _soft_disc() -> Image.Image:
    y, x = np.mgrid[-1:1:48j, -1:1:48j]
    return Image.fromarray((255 * np.clip(1.25 * (1 - x**2 - y**2), 0, 1)).astype(np.uint8))


def _falloff(size: tuple[int, int], tint: Colour) -> Image.Image:
    """The light on a sprite: full at the top, a little less below."""
    column = np.linspace(1.0, 0.84, size[1])[:, None, None] * np.array([*tint, 0.0])
    column[..., 3] = 255
    return Image.fromarray(column.astype(np.uint8)).resize(size)


def lens(size: tuple[int, int]) -> Image.Image:
    """What to multiply a frame with: corners a little darker, as in a photograph."""
    y, x = np.mgrid[-1 : 1 : size[1] * 1j, -1 : 1 : size[0] * 1j]
    bright = 255 * (1 - 0.16 * np.clip((x**2 + y**2) / 2, 0, 1) ** 1.6)
    return Image.merge("RGB", [Image.fromarray(bright.astype(np.uint8))] * 3)
