"""A pen that draws in world units on an oversampled canvas, so that every edge comes out smooth.

The world is 16 units wide and 9 high, y pointing down; a canvas knows how many pixels a unit has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Colour = tuple[int, int, int]
Point = tuple[float, float]
Points = NDArray[np.float64]
Shape = str | Sequence[Point] | Points
"""Points: a sequence, or the text of an SVG `points` attribute in hundredths of a unit."""

WIDTH, HEIGHT = 16.0, 9.0
OVERSAMPLE = 3
_TURN = np.linspace(0, 2 * np.pi, 36, endpoint=False)
_CIRCLE = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
_CURVE_STEPS = 6


@dataclass(frozen=True)
class Pen:
    """Draws on `draw` through an affine map from local units to oversampled pixels."""

    draw: ImageDraw.ImageDraw
    matrix: Points
    offset: Points

    @property
    def unit(self) -> float:
        """Oversampled pixels per local unit."""
        (a, b), (c, d) = self.matrix.tolist()
        return float(abs(a * d - b * c) ** 0.5)

    def at(
        self, x: float, y: float, *, scale: float = 1.0, turn: float = 0.0, flip: bool = False
    ) -> Pen:
        """The same pen with its origin moved to (x, y), turned (radians), scaled and mirrored."""
        cos, sin = np.cos(turn), np.sin(turn)
        local = scale * np.array([[cos, -sin], [sin, cos]]) @ np.diag([-1.0 if flip else 1.0, 1.0])
        return Pen(self.draw, self.matrix @ local, self.offset + self.matrix @ np.array([x, y]))

    def polygon(self, shape: Shape, fill: Colour) -> None:
        self._fill(_points(shape), fill)

    def ellipse(
        self, x: float, y: float, rx: float, ry: float, fill: Colour, turn: float = 0.0
    ) -> None:
        cos, sin = np.cos(turn), np.sin(turn)
        axes = np.array([[rx * cos, rx * sin], [-ry * sin, ry * cos]])
        self._fill(_CIRCLE @ axes + np.array([x, y]), fill)

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        self._fill(
            np.array([(left, top), (right, top), (right, bottom), (left, bottom)], dtype=float),
            fill,
        )

    def rounded(
        self, left: float, top: float, right: float, bottom: float, radius: float, fill: Colour
    ) -> None:
        """A box with round corners."""
        centres = np.array(
            [(right, bottom), (left, bottom), (left, top), (right, top)], dtype=float
        )
        inward = radius * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=float)
        arcs = _CIRCLE.reshape(4, -1, 2) * radius + (centres + inward)[:, None, :]
        self._fill(arcs.reshape(-1, 2), fill)

    def blob(self, shape: Shape, fill: Colour) -> None:
        """A smooth closed shape through the points."""
        self._fill(_smooth(_points(shape), closed=True), fill)

    def stroke(self, shape: Shape, width: float, fill: Colour, *, smooth: bool = False) -> None:
        """A line with round ends, straight or curved through its points."""
        half = max(width, 1 / self.unit) / 2
        path = _points(shape)
        if smooth:
            self._fill(_ribbon(_smooth(path, closed=False), half), fill)
            path = path[[0, -1]]
        else:
            for start in range(len(path) - 1):
                self._fill(_ribbon(path[start : start + 2], half), fill)
        for x, y in path.tolist():
            self.ellipse(x, y, half, half, fill)

    def _fill(self, points: Points, fill: Colour) -> None:
        pixels = points @ self.matrix.T + self.offset
        self.draw.polygon([tuple(p) for p in pixels.tolist()], fill=(*fill, 255))


def _points(shape: Shape) -> Points:
    return _parsed(shape) if isinstance(shape, str) else np.asarray(shape, dtype=float)


@cache
def _parsed(text: str) -> Points:
    return np.array([pair.split(",") for pair in text.split()], dtype=float) / 100


def _smooth(points: Points, *, closed: bool) -> Points:
    """Catmull-Rom curve through the points."""
    if closed:
        before, after, last = np.roll(points, 1, 0), np.roll(points, -1, 0), np.roll(points, -2, 0)
        start = points
    else:
        padded = np.vstack([points[:1], points, points[-1:]])
        before, start, after, last = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    t = np.linspace(0, 1, _CURVE_STEPS, endpoint=False)[:, None, None]
    curve = 0.5 * (
        2 * start
        + (after - before) * t
        + (2 * before - 5 * start + 4 * after - last) * t**2
        + (3 * start - before - 3 * after + last) * t**3
    )
    path = curve.transpose(1, 0, 2).reshape(-1, 2)
    return path if closed else np.vstack([path, points[-1:]])


def _ribbon(path: Points, half: float) -> Points:
    """The outline of a band along a path, `half` to each side of it."""
    along = np.empty_like(path)
    along[1:-1] = path[2:] - path[:-2]
    along[0], along[-1] = path[1] - path[0], path[-1] - path[-2]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
    aside = along[:, ::-1] * np.array([-half, half]) / length[:, None]
    return np.concatenate([path + aside, (path - aside)[::-1]])


@dataclass(frozen=True)
class Canvas:
    """A transparent picture of `size` pixels whose top left corner is `corner` in world units."""

    image: Image.Image
    pen: Pen

    @classmethod
    def blank(cls, size: tuple[int, int], unit: float, corner: Point = (0.0, 0.0)) -> Canvas:
        big = (size[0] * OVERSAMPLE, size[1] * OVERSAMPLE)
        image = Image.new("RGBX", big)
        matrix = np.eye(2) * unit * OVERSAMPLE
        return cls(image, Pen(ImageDraw.Draw(image), matrix, -(matrix @ np.asarray(corner))))

    def picture(self) -> Image.Image:
        """The drawing at its final size with smooth edges, as RGBA.

        Paint is opaque, so the big picture is premultiplied as it stands, its fourth byte being the
        coverage: averaging it directly saves converting nine times as many pixels.
        """
        small = self.image.reduce(OVERSAMPLE)
        return Image.frombytes("RGBa", small.size, small.tobytes()).convert("RGBA")
