"""What happens in a clip, and what a caption says happens: the same record for both.

A scene knows its whole story; a caption tells one with gaps (`None`) and perhaps with errors. How
good the caption is follows from comparing the two.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Actor:
    """One thing, or several alike: its kind, how many, their colour, what they do and which way."""

    kind: str
    count: int | None = None
    colour: str | None = None
    motion: str | None = None
    heading: str | None = None


@dataclass(frozen=True)
class Story:
    """Who does what and where. `strays` counts words of a caption that fit nowhere in a story."""

    actors: tuple[Actor, ...] = ()
    place: str | None = None
    light: str | None = None
    weather: str | None = None
    landmark: str | None = None
    strays: int = 0


@dataclass(frozen=True)
class Scene:
    """A clip to be drawn: everything about it follows from its seed."""

    seed: int
    story: Story
    seconds: float
