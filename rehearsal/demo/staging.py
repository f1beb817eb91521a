"""From a story to the stage: who stands where, how deep, how large, and where they come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rehearsal.demo.art.cast import CAST
from rehearsal.demo.art.pen import WIDTH
from rehearsal.demo.choreography import Lane, Moment, moment
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.places import HIDEOUTS
from rehearsal.demo.story import Actor, Scene, Story


@dataclass(frozen=True)
class Player:
    """One drawn member of an actor's group."""

    kind: str
    colour: str
    motion: str
    lane: Lane
    offset: float

    def at(self, u: float) -> Moment:
        return moment(self.motion, self.lane, u)


@dataclass(frozen=True)
class Prop:
    """A landmark with its foot at (x, y)."""

    name: str
    x: float
    y: float
    scale: float


# Depth and size of the first and the second actor's lane, by medium; people and animals keep to the
# pavement of a street and leave the road to wheels.
LANES: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "ground": ((7.9, 1.2), (6.75, 0.95)),
    "road": ((7.55, 1.05), (8.35, 1.15)),
    "pavement": ((6.35, 1.0), (6.1, 0.92)),
    "air": ((3.4, 1.3), (2.3, 1.0)),
    "water": ((7.5, 1.15), (6.2, 0.8)),
    "sea": ((5.0, 1.3), (3.0, 1.05)),
}
STANDS = {
    "seabed": (8.3, 1.0),
    "harbour": (5.9, 0.8),
    "kitchen": (6.8, 1.1),
    "living room": (6.4, 1.05),
}
"""Depth and size of a landmark, where it is not the usual."""
LOW_AIR = {"butterfly": 5.4, "balloon": 5.0}
FLOOR = 7.6
"""The level of the ground where something takes off, lands, circles or hides."""


def players(scene: Scene) -> list[Player]:
    """Everybody on stage."""
    rng = np.random.default_rng([scene.seed, 41])
    return [
        player
        for number, actor in enumerate(scene.story.actors)
        for player in _group(rng, scene.story, number, actor)
    ]


def prop(scene: Scene) -> Prop | None:
    """The landmark, at the side of the stage, or in the actor's way if somebody hides behind it."""
    story = scene.story
    if story.landmark is None:
        return None
    main = story.actors[0]
    if main.motion == "hide":
        lane = _lane(story, 0, main)
        half, height = HIDEOUTS[story.landmark]
        part = CAST[main.kind]
        fit = max(part.half / half, part.height / height) * lane.scale
        return Prop(story.landmark, lane.spot, lane.y + 0.3, max(1.1, fit))
    y, scale = STANDS.get(str(story.place), (6.3, 0.85))
    left = len(story.actors) > 1 or scene.seed % 2 == 0
    return Prop(story.landmark, 2.8 if left else 13.2, y, scale)


def _group(rng: np.random.Generator, story: Story, number: int, actor: Actor) -> Iterator[Player]:
    count, motion = actor.count or 1, actor.motion or "rest"
    lane = _lane(story, number, actor)
    played = _played(actor.kind, motion, actor.heading)
    for member in range(count):
        yield Player(
            kind=actor.kind,
            colour=actor.colour or "grey",
            motion=played,
            lane=_spread(lane, actor, played, member, count),
            offset=float(rng.uniform(0, 2 * np.pi)),
        )


def _played(kind: str, motion: str, heading: str | None) -> str:
    """The variant of a motion that suits the actor."""
    if motion == "bounce" and heading:
        return "bounce across"
    if motion == "rise" and kind in ("bird", "plane"):
        return "climb"
    return motion


def _lane(story: Story, number: int, actor: Actor) -> Lane:
    part = CAST[actor.kind]
    aloft = KINDS[actor.kind].medium in ("air", "sea")
    y, scale = _depth(story, number, actor)
    scale *= part.size
    half = part.half * scale
    sign = _sign(number, actor)
    quick = part.quick or actor.motion in ("chase", "flee")
    inset = -half + 0.5 if quick else half + 0.2
    edges = (inset, WIDTH - inset)
    start, end = edges if sign > 0 else edges[::-1]
    if actor.motion in ("stop", "turn", "hide", "meet", "land"):
        start = -half * 0.6 if sign > 0 else WIDTH + half * 0.6
    return Lane(y, scale, _spot(story, number, actor, scale), sign, start, end, aloft)


def _depth(story: Story, number: int, actor: Actor) -> tuple[float, float]:
    """How deep in the picture an actor moves, and how large that makes it."""
    lane = _lane_name(story, actor)
    y, scale = LANES[lane][0 if actor.motion in ("chase", "flee", "meet") else number]
    if actor.kind == "train":
        return 7.35, 1.0
    if number == 1 and lane == "ground" and story.actors[0].kind == "train":
        return 8.6, 1.15
    return _level(actor, lane, number, y), scale


def _lane_name(story: Story, actor: Actor) -> str:
    kind = KINDS[actor.kind]
    if story.place != "street" or kind.medium != "ground":
        return kind.medium
    return "road" if kind.family == "vehicle" else "pavement"


def _level(actor: Actor, lane: str, number: int, usual: float) -> float:
    """Where a motion starts or a small thing flies, if not at the usual level of its lane."""
    if actor.motion == "circle" and lane in ("ground", "pavement"):
        return FLOOR
    if actor.motion == "hide" and lane == "sea":
        return FLOOR
    if actor.motion in ("rise", "land"):
        return (5.0 if actor.kind == "plane" else FLOOR) - 0.7 * number
    return LOW_AIR[actor.kind] - 0.9 * number if actor.kind in LOW_AIR else usual


def _sign(number: int, actor: Actor) -> int:
    """Which way an actor faces; without a heading, the two of a scene face each other."""
    right = actor.heading == "right" if actor.heading else number == 0
    return 1 if right else -1


def _spot(story: Story, number: int, actor: Actor, scale: float) -> float:
    """Where an actor that stays, stops or turns does so."""
    if actor.motion == "hide":
        return 10.4 if actor.heading == "right" else 5.6
    if actor.motion == "meet":
        half = CAST[actor.kind].half * scale
        return WIDTH / 2 + (-half if number == 0 else half)
    if number == 0:
        return WIDTH / 2 if len(story.actors) == 1 else 6.6
    return 11.4


def _spread(lane: Lane, actor: Actor, played: str, member: int, count: int) -> Lane:
    """Several alike, next to or after each other; a chaser after the chased."""
    half = CAST[actor.kind].half * lane.scale
    if played == "circle":
        return replace(lane, late=member * 2 * np.pi / count)
    if played in ("chase", "flee"):
        behind = 0.4 if played == "flee" else 4.7
        return replace(lane, late=behind, end=lane.end + lane.sign * 2.4)
    if played == "climb":
        return replace(lane, late=1.3 * member, y=lane.y - 0.7 * member)
    rank = member - (count - 1) / 2
    if played in ("cross", "bounce across"):
        return replace(lane, late=2.1 * half * rank, y=lane.y - 0.14 * member)
    return replace(lane, spot=lane.spot + 2.3 * half * rank, late=1.1 * member)
