"""How a sprite holds itself in one frame."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pose:
    """`phase` runs through a step or wing beat, in radians; `stride` is 0 at rest, 1 at speed."""

    phase: float = 0.0
    stride: float = 1.0
    view: str = "side"
    gesture: str = ""
