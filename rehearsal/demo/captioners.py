"""Who captions the demo's clips: two people and five systems, each with its own failing.

A captioner turns what happens into what it tells: it leaves out, confuses or invents. So the
quality of every caption is known by construction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rehearsal.demo.grammar import choose, colour_of, heading_of
from rehearsal.demo.kinds import KINDS
from rehearsal.demo.places import PLACES
from rehearsal.demo.quality import quality
from rehearsal.demo.story import Actor, Scene, Story
from rehearsal.demo.writing import write

TOGETHER = ("chase", "flee", "meet")
"""Motions that take two: neither of the pair can be told without the other."""


@dataclass(frozen=True)
class Caption:
    """A caption, the story it tells, and how good it is by construction."""

    source: str
    text: str
    story: Story
    quality: float


@dataclass(frozen=True)
class Habits:
    """How often somebody mentions what they see."""

    colour: float
    heading: float
    company: float
    place: float
    light: float
    weather: float
    landmark: float


CAREFUL = Habits(0.93, 0.6, 0.9, 0.95, 0.75, 0.8, 0.45)
RELAXED = Habits(0.85, 0.45, 0.8, 0.9, 0.6, 0.65, 0.3)
TERSE = Habits(0.3, 0.0, 0.0, 0.6, 0.0, 0.0, 0.0)

Teller = Callable[[Story, np.random.Generator], Story]


def captions(scene: Scene) -> dict[str, Caption]:
    """What every captioner says about a scene, by source."""
    return {source: caption(scene, source) for source in CAPTIONERS}


def caption(scene: Scene, source: str) -> Caption:
    """What one captioner says about a scene: always the same."""
    if source not in CAPTIONERS:
        raise ValueError(f"source must be one of {', '.join(CAPTIONERS)}, got {source!r}")
    rng = np.random.default_rng([scene.seed, 43, list(CAPTIONERS).index(source)])
    told = CAPTIONERS[source](scene.story, rng)
    return Caption(source, write(told, rng), told, quality(scene.story, told))


def remember(story: Story, rng: np.random.Generator, habits: Habits) -> Story:
    """The story with the gaps that these habits leave; plain daylight is never worth a word."""

    def kept(chance: float) -> bool:
        return bool(rng.random() < chance)

    main = story.actors[0]
    actors = story.actors if main.motion in TOGETHER or kept(habits.company) else (main,)
    actors = tuple(
        replace(actor, colour=actor.colour if kept(habits.colour) else None) for actor in actors
    )
    return Story(
        actors=_with_headings(actors, [kept(habits.heading) for _ in actors]),
        place=story.place if kept(habits.place) else None,
        light=story.light if story.light != "day" and kept(habits.light) else None,
        weather=story.weather if kept(habits.weather) else None,
        landmark=story.landmark if main.motion == "hide" or kept(habits.landmark) else None,
    )


def _with_headings(actors: tuple[Actor, ...], kept: list[bool]) -> tuple[Actor, ...]:
    """Directions where they are kept; one word serves both of a chase."""
    if actors[0].motion == "chase":
        kept = kept[:1] * len(actors)
    return tuple(
        actor if keep else replace(actor, heading=None)
        for actor, keep in zip(actors, kept, strict=True)
    )


def _human_a(story: Story, rng: np.random.Generator) -> Story:
    return remember(story, rng, CAREFUL)


def _human_b(story: Story, rng: np.random.Generator) -> Story:
    return remember(story, rng, RELAXED)


def _concise(story: Story, rng: np.random.Generator) -> Story:
    """Right, but short: it drops details."""
    return remember(story, rng, TERSE)


def _imaginative(story: Story, rng: np.random.Generator) -> Story:
    """Tells the story well, and adds somebody who is not there."""
    told = remember(story, rng, CAREFUL)
    if rng.random() < 0.1:
        return told
    place = PLACES[str(story.place)]
    kind = choose(rng, _absent(story))
    motion = choose(rng, _simple_motions(kind))
    colour = colour_of(rng, kind, place, str(story.light))
    guest = Actor(kind, 1, colour, motion, heading_of(rng, motion))
    return replace(told, actors=(*told.actors, guest))


def _restless(story: Story, rng: np.random.Generator) -> Story:
    """Sees who is there and mistakes what they do."""
    told = remember(story, rng, RELAXED)
    if rng.random() < 0.1:
        return told
    return replace(told, actors=tuple(_acting_otherwise(actor, rng) for actor in told.actors))


def _acting_otherwise(actor: Actor, rng: np.random.Generator) -> Actor:
    motion = choose(rng, [m for m in _simple_motions(actor.kind) if m != actor.motion])
    heading = heading_of(rng, motion) if actor.heading or actor.motion in TOGETHER else None
    return replace(actor, motion=motion, heading=heading)


def _confused(story: Story, rng: np.random.Generator) -> Story:
    """Sees what happens and mistakes who does it."""
    told = remember(story, rng, RELAXED)
    if rng.random() < 0.1:
        return told
    others = _absent(story)
    return replace(
        told,
        actors=tuple(_taken_for_another(actor, choose(rng, others), rng) for actor in told.actors),
    )


def _absent(story: Story) -> list[str]:
    """Kinds that are not there, but might well be in such a place."""
    present = {actor.kind for actor in story.actors}
    return sorted(set(PLACES[str(story.place)].kinds) - present) or sorted(set(KINDS) - present)


def _taken_for_another(actor: Actor, kind: str, rng: np.random.Generator) -> Actor:
    same = actor.motion in _simple_motions(kind)
    colour = actor.colour if actor.colour in KINDS[kind].colours else None
    motion = actor.motion if same else choose(rng, _simple_motions(kind))
    count = actor.count if KINDS[kind].crowd > 1 else 1
    heading = actor.heading if same else None
    return Actor(kind, count, colour, motion, heading)


def _vague(story: Story, rng: np.random.Generator) -> Story:
    """True of almost any clip."""
    family = KINDS[story.actors[0].kind].family if rng.random() < 0.7 else "thing"
    outside = "indoors" if PLACES[str(story.place)].indoors else "outdoors"
    return Story(
        actors=(Actor(family, 1, None, "move" if rng.random() < 0.7 else None),),
        place=outside if rng.random() < 0.6 and story.place != "seabed" else None,
    )


def _simple_motions(kind: str) -> list[str]:
    """What a kind can do alone and without anything to hide behind."""
    return [motion for motion in KINDS[kind].motions if motion not in (*TOGETHER, "hide")]


HUMANS = ("human-a", "human-b")
SYSTEMS = ("concise", "imaginative", "restless", "confused", "vague")
"""The five systems, the best first."""
CAPTIONERS: dict[str, Teller] = {
    "human-a": _human_a,
    "human-b": _human_b,
    "concise": _concise,
    "imaginative": _imaginative,
    "restless": _restless,
    "confused": _confused,
    "vague": _vague,
}
