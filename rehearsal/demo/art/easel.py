"""What backdrops are painted with: graded washes, ridges of hills, glows, and layers that pan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter

from rehearsal.demo.art.palette import SHADOW, Light, tinted
from rehearsal.demo.art.pen import HEIGHT, WIDTH, Canvas, Colour, Pen, Points

MARGIN = 0.75
"""World units painted beyond each side of the frame, for the camera to pan into."""


@dataclass(frozen=True)
class Layer:
    """A painted sheet: `depth` 1 moves with the camera, 0 stays; `drift` moves by itself (units/s).

    Only the part with paint on it is kept, its corner at (`left`, `top`) of the sheet; `cover` (how
    much of what lies behind shines through) is None for a sheet that hides everything.
    """

    colour: Image.Image
    cover: Image.Image | None
    left: int
    top: int
    depth: float
    drift: float = 0.0

    @classmethod
    def of(cls, sheet: Image.Image, depth: float, drift: float = 0.0) -> Layer:
        """Premultiply, so that blending two shifts of the sheet leaves no dark fringe."""
        if sheet.getchannel("A").getextrema() == (255, 255):
            return cls(sheet.convert("RGB"), None, 0, 0, depth, drift)
        left, top, right, bottom = sheet.getbbox() or (0, 0, *sheet.size)
        part = sheet.crop((left - 2, top, right + 2, bottom))
        alpha = part.getchannel("A")
        colour = Image.composite(part.convert("RGB"), Image.new("RGB", part.size), alpha)
        cover = Image.merge("RGB", [ImageChops.invert(alpha)] * 3)
        return cls(colour, cover, left - 2, top, depth, drift)

    def lay(self, frame: Image.Image, shift: float) -> None:
        """Put this sheet on the frame, `shift` pixels (a fraction too) to the left."""
        x = self.left - shift
        whole = int(np.floor(x))
        start, stop = max(0, whole + 1), min(frame.width, whole + self.colour.width)
        if start >= stop:
            return
        columns, fraction = (start - whole, stop - whole), x - whole
        paint = _shifted(self.colour, columns, fraction)
        if self.cover is not None:
            behind = frame.crop((start, self.top, stop, self.top + paint.height))
            seen = ImageChops.multiply(behind, _shifted(self.cover, columns, fraction))
            paint = ImageChops.add(seen, paint)
        frame.paste(paint, (start, self.top))


def _shifted(sheet: Image.Image, columns: tuple[int, int], fraction: float) -> Image.Image:
    """Columns of the sheet moved right by a fraction of a pixel."""
    start, stop = columns
    here = sheet.crop((start, 0, stop, sheet.height))
    if fraction == 0:
        return here
    return Image.blend(here, sheet.crop((start - 1, 0, stop - 1, sheet.height)), fraction)


@dataclass(frozen=True)
class Easel:
    """A frame size, a light and a source of chance; hands out sheets and paints on them."""

    size: tuple[int, int]
    light: Light
    rng: np.random.Generator

    @property
    def unit(self) -> float:
        return self.size[0] / WIDTH

    @property
    def margin(self) -> int:
        """Pixels painted beyond each side of the frame."""
        return round(MARGIN * self.unit)

    @property
    def sheet_size(self) -> tuple[int, int]:
        return self.size[0] + 2 * self.margin + 1, self.size[1]

    def lit(self, colour: Colour) -> Colour:
        """The colour of a thing of the landscape under this light."""
        return tinted(colour, self.light.ground)

    def sheet(self) -> Image.Image:
        return Image.new("RGBA", self.sheet_size)

    def paint(self, sheet: Image.Image, draw: Callable[[Pen], None]) -> None:
        """Draw with a pen, edges smoothed, on top of the sheet."""
        canvas = self._canvas()
        draw(canvas.pen)
        sheet.alpha_composite(canvas.picture())

    def wash(
        self, sheet: Image.Image, shape: Points, colours: tuple[Colour, ...], *, depth: float = 0.0
    ) -> None:
        """Fill a shape with colours graded from its top to its bottom (or over `depth` units)."""
        canvas = self._canvas()
        canvas.pen.polygon(shape, (255, 255, 255))
        top = float(shape[:, 1].min())
        bottom = top + depth if depth else float(shape[:, 1].max())
        graded = self.graded(top, bottom, colours)
        graded.putalpha(canvas.picture().getchannel("A"))
        sheet.alpha_composite(graded)

    def shade(self, sheet: Image.Image, x: float, y: float, half: float) -> None:
        """The soft shadow of something standing at (x, y)."""
        sheet.alpha_composite(
            self.blurred(
                lambda pen: pen.ellipse(x, y, half, 0.18 * half, SHADOW),
                SHADOW,
                0.1,
                self.light.shadow,
            )
        )

    def graded(self, top: float, bottom: float, colours: tuple[Colour, ...]) -> Image.Image:
        """A vertical gradient with a little noise, without which it would show bands."""
        width, height = self.sheet_size
        y = (np.arange(height) + 0.5) / height * HEIGHT
        stops = np.linspace(top, bottom, len(colours))
        column = np.column_stack([np.interp(y, stops, channel) for channel in np.array(colours).T])
        noise = self.rng.integers(-1, 2, (height, width, 1), dtype=np.int16)
        picture = column.astype(np.int16)[:, None, :] + noise
        return Image.fromarray(picture.clip(0, 255).astype(np.uint8))

    def glow(
        self, sheet: Image.Image, x: float, y: float, radius: float, colour: Colour, strength: float
    ) -> None:
        """A soft round light."""
        width, height = self.sheet_size
        px = (np.arange(width) + 0.5) / self.unit - MARGIN - x
        py = (np.arange(height) + 0.5) / height * HEIGHT - y
        distance = np.sqrt(px[None, :] ** 2 + py[:, None] ** 2) / radius
        alpha = 255 * strength * np.clip(1 - distance, 0, 1) ** 2
        light = Image.new("RGBA", sheet.size, colour)
        light.putalpha(Image.fromarray(alpha.astype(np.uint8)))
        sheet.alpha_composite(light)

    def blurred(
        self, draw: Callable[[Pen], None], colour: Colour, radius: float, strength: float
    ) -> Image.Image:
        """A drawing's outline in one colour, out of focus and partly transparent: clouds, rays."""
        canvas = self._canvas()
        draw(canvas.pen)
        alpha = (
            canvas.picture().getchannel("A").filter(ImageFilter.GaussianBlur(radius * self.unit))
        )
        soft = Image.new("RGBA", self.sheet_size, colour)
        soft.putalpha(alpha.point([round(strength * a) for a in range(256)]))
        return soft

    def _canvas(self) -> Canvas:
        return Canvas.blank(self.sheet_size, self.unit, (-self.margin / self.unit, 0))


def below(line: Points) -> Points:
    """The area under a line, down to the bottom of the frame."""
    return np.vstack([line, [(line[-1, 0], HEIGHT + 0.2), (line[0, 0], HEIGHT + 0.2)]])


def level(y: float) -> Points:
    """Everything below a horizon."""
    return below(np.array([(-2.0, y), (WIDTH + 2, y)]))


def ridge(rng: np.random.Generator, y: float, height: float, waves: float) -> Points:
    """A rolling line of hills about `y`."""
    x = np.linspace(-2, WIDTH + 2, 90)
    phases: NDArray[np.float64] = rng.uniform(0, 2 * np.pi, 3)
    wave = sum(
        np.sin(x / WIDTH * 2 * np.pi * waves * 2**k + phases[k]) / 2**k for k in range(len(phases))
    )
    return np.column_stack([x, y - height * 0.5 * np.asarray(wave)])


def peaks(rng: np.random.Generator, y: float, height: float, count: int) -> Points:
    """A jagged line of mountains standing on `y`."""
    x = np.linspace(-2, WIDTH + 2, 2 * count + 1) + np.append(
        np.append(0, rng.uniform(-0.4, 0.4, 2 * count - 1)), 0
    )
    tops = np.where(np.arange(2 * count + 1) % 2, rng.uniform(0.55, 1, 2 * count + 1), 0.1)
    return np.column_stack([x, y - height * tops])
