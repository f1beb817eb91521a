"""Drawing a scene frame by frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

from rehearsal.demo.art import countryside, indoors, town
from rehearsal.demo.art.ambience import Ambience, ambience
from rehearsal.demo.art.cast import CAST
from rehearsal.demo.art.easel import Easel, Layer
from rehearsal.demo.art.landmarks import landmark
from rehearsal.demo.art.palette import FOAM, LAMPLIGHT, LIGHTS, OVERCAST, PAINT, SHADOW, Light
from rehearsal.demo.art.pen import WIDTH, Canvas, Colour, Pen
from rehearsal.demo.art.pose import Pose
from rehearsal.demo.choreography import Moment
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.staging import Player, Prop, players, prop
from rehearsal.demo.story import Scene, Story

BACKDROPS: dict[str, Callable[[Easel], list[Layer]]] = {
    "beach": countryside.beach,
    "street": town.street,
    "snowfield": countryside.snowfield,
    "meadow": countryside.meadow,
    "harbour": town.harbour,
    "desert": countryside.desert,
    "forest": countryside.forest,
    "living room": indoors.living_room,
    "kitchen": indoors.kitchen,
    "seabed": indoors.seabed,
}
PAN = 0.5
"""How far the camera swings to each side, in world units."""


def frames(scene: Scene, count: int, size: tuple[int, int]) -> NDArray[np.uint8]:
    """`count` frames spread evenly over the scene, as an array (count, height, width, 3).

    The n-th of N frames shows the middle of the n-th of N equal parts of the clip.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    studio = Studio.build(scene, size)
    return np.stack([np.asarray(studio.shoot((n + 0.5) / count)) for n in range(count)])


@dataclass(frozen=True)
class Studio:
    """A scene set up for shooting: everything that does not move is painted once."""

    scene: Scene
    easel: Easel
    layers: list[Layer]
    ambience: Ambience
    compositor: Compositor
    lens: Image.Image
    cast: list[Player]
    prop: Prop | None
    landmark: Layer | None

    @classmethod
    def build(cls, scene: Scene, size: tuple[int, int]) -> Studio:
        if min(size) < 16:
            raise ValueError(f"size must be at least 16 pixels each way, got {size}")
        story, light = scene.story, _light(scene.story)
        easel = Easel(size, light, np.random.default_rng([scene.seed, 42]))
        layers = BACKDROPS[story.place or "meadow"](easel)
        if any(actor.kind == "train" for actor in story.actors):
            layers.append(countryside.rails(easel))
        standing = prop(scene)
        return cls(
            scene=scene,
            easel=easel,
            layers=layers,
            ambience=ambience(story, easel),
            compositor=Compositor(size, light),
            lens=lens(size),
            cast=players(scene),
            prop=standing,
            landmark=landmark(easel, standing.name, standing.x, standing.y, standing.scale)
            if standing
            else None,
        )

    def shoot(self, u: float) -> Image.Image:
        """The frame at time `u`, from 0 to 1."""
        seconds = u * self.scene.seconds
        camera = PAN * (2 * u - 1) * (1 if self.scene.seed % 4 < 2 else -1)
        frame = Image.new("RGB", self.easel.size)
        for layer in self.layers:
            pan = layer.depth * camera - layer.drift * (seconds - 3)
            layer.lay(frame, self.easel.margin + pan * self.easel.unit)
        self.ambience.behind(frame, seconds)
        self._stage(frame, u, seconds, camera)
        self.ambience.before(frame, seconds)
        return ImageChops.multiply(frame, self.lens)

    def _stage(self, frame: Image.Image, u: float, seconds: float, camera: float) -> None:
        """Actors, the farthest first, with the landmark where its depth puts it."""
        now = sorted(((player.at(u), player) for player in self.cast), key=lambda pair: pair[0].y)
        front = self.prop.y if self.prop else 0.0
        for moment, player in now:
            if moment.y <= front:
                self._draw_player(frame, player, moment, seconds, camera)
        if self.landmark:
            self.landmark.lay(frame, self.easel.margin + camera * self.easel.unit)
        for moment, player in now:
            if moment.y > front:
                self._draw_player(frame, player, moment, seconds, camera)

    def _draw_player(
        self, frame: Image.Image, player: Player, now: Moment, seconds: float, camera: float
    ) -> None:
        part, x = CAST[player.kind], now.x - camera
        self._touch_ground(frame, player, now, x)
        afloat = KINDS[player.kind].medium != "ground"
        bob = 0.08 * np.sin(1.7 * seconds + player.offset) if afloat else 0.0
        y = now.y - now.lift + bob
        phase = now.path / now.scale * part.step + seconds * part.beat + player.offset
        pose = Pose(phase, now.stride, now.view, now.gesture)
        self.compositor.sprite(
            frame,
            (x, y),
            (part.half * now.scale, (part.height + abs(now.tilt) * part.half) * now.scale),
            lambda pen: part.draw(
                pen.at(x, y, scale=now.scale, turn=now.tilt * now.sign, flip=now.sign < 0),
                PAINT[player.colour],
                pose,
            ),
        )

    def _touch_ground(self, frame: Image.Image, player: Player, now: Moment, x: float) -> None:
        """Shadow, foam or headlights: what ties an actor to the place."""
        kind, half = KINDS[player.kind], CAST[player.kind].half * now.scale
        if kind.medium == "water":
            self.compositor.foam(frame, x, now.y + 0.1, 0.95 * half)
        elif kind.medium == "ground" or player.motion == "land":
            self.compositor.shadow(frame, x, now.y, 0.8 * half, 1 / (1 + 0.5 * now.lift))
        if kind.family == "vehicle" and kind.medium == "ground" and now.view == "side":
            self.compositor.headlights(frame, x + 1.5 * half * now.sign, now.y, half)


def _light(story: Story) -> Light:
    time = story.light or "day"
    return OVERCAST[time] if story.weather else LIGHTS[time]


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
