"""Where an actor is and how it holds itself at any moment of its motion.

`u` runs from 0 to 1 over the clip. Positions are those of the actor's feet, in world units
(16 × 9, y down).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, pi, sin

MIDDLE = 8.0


@dataclass(frozen=True)
class Lane:
    """An actor's track through the scene: depth, resting spot, way, where it comes in and goes."""

    y: float
    scale: float
    spot: float
    sign: int
    start: float
    end: float
    aloft: bool
    late: float = 0.0


@dataclass(frozen=True)
class Moment:
    """An actor at one moment; `lift` is its height above its own ground, `path` the way covered."""

    x: float
    y: float
    scale: float
    sign: int = 1
    lift: float = 0.0
    path: float = 0.0
    stride: float = 1.0
    view: str = "side"
    gesture: str = ""
    tilt: float = 0.0


def moment(motion: str, lane: Lane, u: float) -> Moment:
    """The actor on `lane` at time `u` of `motion`."""
    return MOTIONS[motion](lane, u)


def _at(lane: Lane, x: float) -> Moment:
    return Moment(x, lane.y, lane.scale, lane.sign, path=x * lane.sign)


def _ease(u: float, end: float) -> float:
    """From 0 to 1 by the time `end`, slowing down."""
    v = min(1.0, u / end)
    return 1 - (1 - v) ** 2


def _cross(lane: Lane, u: float) -> Moment:
    return _at(lane, lane.start + (lane.end - lane.start) * u - lane.sign * lane.late)


def _stop(lane: Lane, u: float) -> Moment:
    v = _ease(u, 0.6)
    resting = v >= 1
    return replace(
        _at(lane, lane.start + (lane.spot - lane.start) * v),
        stride=min(1.0, 4 * (1 - v)),
        gesture="sit" if resting else "",
    )


def _turn(lane: Lane, u: float) -> Moment:
    there = u < 0.5
    v = _ease(u, 0.5) if there else 1 - ((u - 0.5) / 0.5) ** 2
    x = lane.start + (lane.spot - lane.start) * v
    moving = min(1.0, 5 * abs(0.5 - u))
    return replace(
        _at(lane, x), sign=lane.sign if there else -lane.sign, stride=moving, path=2 * u * MIDDLE
    )


def _bounce(lane: Lane, u: float) -> Moment:
    lift = 2.4 * abs(sin(4 * pi * u + lane.late))
    return replace(_at(lane, lane.spot), lift=lift, path=u * 2)


def _bounce_across(lane: Lane, u: float) -> Moment:
    return replace(_cross(lane, u), lift=2.4 * abs(sin(4.5 * pi * u + lane.late)))


def _jump(lane: Lane, u: float) -> Moment:
    wave = sin(8 * pi * u + lane.late)
    return replace(
        _at(lane, lane.spot), lift=1.3 * max(0.0, wave), stride=0.4 * max(0.0, wave), path=0.6
    )


def _rise(lane: Lane, u: float) -> Moment:
    height = (lane.y + 2.6) * max(0.0, u * 1.1 - 0.1 + 0.02 * lane.late) ** 1.15
    x = lane.spot + 0.35 * sin(2 * pi * u + lane.late) + lane.sign * 2.4 * u**2
    return replace(_at(lane, x), lift=height)


def _climb(lane: Lane, u: float) -> Moment:
    """Up and away on a slant, nose first."""
    x = lane.spot + lane.sign * (9 * u - 5) - lane.late * 2
    return replace(_at(lane, x), lift=(lane.y + 2.0) * u**1.5, tilt=-0.2 - 0.3 * u)


def _fall(lane: Lane, u: float) -> Moment:
    v = max(0.0, u - 0.06 * lane.late)
    drop = 0.34
    height = 8.5 * (1 - (v / drop) ** 2) if v < drop else 0.0
    for start, length, top in ((drop, 0.24, 2.2), (drop + 0.24, 0.14, 0.7)):
        if start <= v < start + length:
            w = (v - start) / length
            height = 4 * top * w * (1 - w)
    return replace(_at(lane, lane.spot), lift=height, path=u * 0.6, stride=0.0)


def _circle(lane: Lane, u: float) -> Moment:
    angle = lane.sign * (4 * pi * u) + lane.late
    wide, deep = (4.2, 1.35) if lane.aloft else (4.0, 0.75)
    forward = 1 if -sin(angle) * lane.sign >= 0 else -1
    near = 1 + (0.12 if lane.aloft else 0.18) * sin(angle)
    return replace(
        _at(lane, MIDDLE + wide * cos(angle)),
        y=lane.y + deep * sin(angle),
        scale=lane.scale * near,
        sign=forward,
        path=4 * pi * u * 3,
    )


def _approach(lane: Lane, u: float) -> Moment:
    v = u**1.3
    return replace(
        _at(lane, lane.spot + lane.sign * 1.2 * (1 - v)),
        y=6.1 + 2.5 * v,
        scale=0.3 + 1.35 * v,
        view="front",
        sign=1,
        path=u * 14,
    )


def _recede(lane: Lane, u: float) -> Moment:
    return replace(_approach(lane, 1 - u), view="back", path=u * 14)


def _hide(lane: Lane, u: float) -> Moment:
    v = min(1.0, u / 0.7)
    return replace(
        _at(lane, lane.start + (lane.spot - lane.start) * v), stride=1.0 if v < 1 else 0.0
    )


def _meet(lane: Lane, u: float) -> Moment:
    v = _ease(u, 0.62)
    x = lane.start + (lane.spot - lane.start) * v
    return replace(_at(lane, x), stride=min(1.0, 4 * (1 - v)))


def _rest(lane: Lane, u: float) -> Moment:
    return replace(_at(lane, lane.spot), stride=0.0, path=0.0, gesture="sit")


def _wave(lane: Lane, u: float) -> Moment:
    return replace(_at(lane, lane.spot), stride=0.0, path=0.0, view="front", gesture="wave", sign=1)


def _land(lane: Lane, u: float) -> Moment:
    v = _ease(u, 0.6)
    height = 6.0 * (1 - v) ** 1.4
    x = lane.start + (lane.spot - lane.start) * v
    return replace(_at(lane, x), lift=height, stride=0.0 if v > 0.985 else 1.0)


MOTIONS: dict[str, Callable[[Lane, float], Moment]] = {
    "cross": _cross,
    "stop": _stop,
    "turn": _turn,
    "bounce": _bounce,
    "bounce across": _bounce_across,
    "jump": _jump,
    "rise": _rise,
    "climb": _climb,
    "fall": _fall,
    "circle": _circle,
    "approach": _approach,
    "recede": _recede,
    "hide": _hide,
    "chase": _cross,
    "flee": _cross,
    "meet": _meet,
    "rest": _rest,
    "wave": _wave,
    "land": _land,
}
