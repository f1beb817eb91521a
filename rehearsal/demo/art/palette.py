"""Colours: what "red" looks like, and what daylight, sunset and night do to a scene."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rehearsal.demo.art.pen import Colour

PAINT: dict[str, Colour] = {
    "red": (220, 48, 44),
    "blue": (44, 104, 214),
    "green": (48, 158, 76),
    "yellow": (250, 206, 46),
    "orange": (246, 136, 32),
    "purple": (136, 72, 184),
    "pink": (246, 134, 178),
    "white": (246, 246, 242),
    "black": (44, 44, 50),
    "brown": (138, 88, 52),
    "grey": (146, 150, 158),
}
SHADOW: Colour = (14, 12, 34)
LAMPLIGHT: Colour = (255, 236, 170)
FOAM: Colour = (236, 248, 255)


@dataclass(frozen=True)
class Light:
    """A time of day: the sky from top to horizon, the tint of the land and of what stands on it.

    `orb` is what hangs in the sky (sun, low sun, moon or nothing); `lamps` are lit when it is dark.
    """

    sky: tuple[Colour, ...]
    ground: Colour
    sprite: Colour
    haze: Colour
    shadow: float
    orb: str = ""
    lamps: bool = False


LIGHTS: dict[str, Light] = {
    "day": Light(
        sky=((74, 154, 230), (140, 200, 244), (214, 238, 250)),
        ground=(255, 255, 255),
        sprite=(255, 255, 255),
        haze=(196, 222, 242),
        shadow=0.34,
        orb="sun",
    ),
    "sunset": Light(
        sky=((66, 56, 122), (196, 88, 118), (250, 152, 92), (255, 214, 136)),
        ground=(255, 206, 178),
        sprite=(255, 236, 220),
        haze=(236, 140, 118),
        shadow=0.38,
        orb="low sun",
        lamps=True,
    ),
    "night": Light(
        sky=((8, 12, 38), (22, 32, 76), (52, 68, 120)),
        ground=(92, 108, 168),
        sprite=(206, 214, 244),
        haze=(44, 56, 104),
        shadow=0.45,
        orb="moon",
        lamps=True,
    ),
}

OVERCAST: dict[str, Light] = {
    "day": Light(
        sky=((118, 134, 152), (158, 172, 186), (200, 208, 214)),
        ground=(214, 220, 228),
        sprite=(240, 243, 248),
        haze=(186, 196, 206),
        shadow=0.22,
    ),
    "night": replace(LIGHTS["night"], orb=""),
}
"""The same under clouds, when it rains or snows."""


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """`share` of the second colour, the rest of the first."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(first, second, strict=True))
    return r, g, b


def dark(colour: Colour, share: float = 0.25) -> Colour:
    return mix(colour, (16, 14, 36), share)


def pale(colour: Colour, share: float = 0.3) -> Colour:
    return mix(colour, (255, 255, 255), share)


def tinted(colour: Colour, tint: Colour) -> Colour:
    """The colour as it looks under a light of colour `tint`."""
    r, g, b = (round(a * z / 255) for a, z in zip(colour, tint, strict=True))
    return r, g, b
