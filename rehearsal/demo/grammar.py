"""From a seed to a scene: who is in it, what they do, where and in what light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from rehearsal.demo.kinds import KINDS
from rehearsal.demo.places import BOULDERS, HIDEOUTS, PLACES, Place
from rehearsal.demo.story import Actor, Scene, Story

T = TypeVar("T")

SECONDS = (4.0, 4.5, 5.0, 5.5, 6.0)
HEADED = ("cross", "stop", "turn", "hide", "chase")
CROWDED = ("cross", "bounce", "rise", "circle", "jump", "fall")
COMPANY = ("cross", "circle", "rise", "rest", "jump", "wave", "stop")
"""What the second actor of a scene may do without stealing the show."""
SWEEPING = ("circle", "approach", "recede")
"""Motions that take the whole stage: whoever else is on the ground keeps to one spot."""


def scene(seed: int) -> Scene:
    """The scene of a seed: always the same, and any seed will do."""
    if seed < 0:
        raise ValueError(f"seed must not be negative, got {seed}")
    rng = np.random.default_rng([seed, 40])
    name = choose(rng, sorted(PLACES))
    place = PLACES[name]
    light = choose(rng, place.lights)
    main = _main_actor(rng, place, light)
    company = _company(rng, place, light, main)
    landmark = _landmark(rng, place, main)
    story = Story(
        actors=_pair_up(main, company),
        place=name,
        light=light,
        weather=_weather(rng, place, light),
        landmark=landmark,
    )
    return Scene(seed, story, choose(rng, SECONDS))


def choose(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


def heading_of(rng: np.random.Generator, motion: str) -> str | None:
    """Left or right for a motion that goes somewhere; a bounce may or may not."""
    travels = motion in HEADED or (motion == "bounce" and rng.random() < 0.5)
    return choose(rng, ("left", "right")) if travels else None


def colour_of(
    rng: np.random.Generator, kind: str, place: Place, light: str, taken: str | None = None
) -> str:
    """A colour the kind comes in that shows up against the place."""
    unseen = (*place.hidden_colours, *(("black", "grey") if light == "night" else ()))
    seen = [colour for colour in KINDS[kind].colours if colour not in unseen]
    return choose(rng, [colour for colour in seen if colour != taken] or seen)


def _main_actor(rng: np.random.Generator, place: Place, light: str) -> Actor:
    kind = choose(rng, place.kinds)
    possible = [m for m in KINDS[kind].motions if _possible(m, kind, place) and m != "rest"]
    motion = choose(rng, possible)
    return Actor(
        kind=kind,
        count=_count(rng, kind, motion),
        colour=colour_of(rng, kind, place, light),
        motion=motion,
        heading=heading_of(rng, motion),
    )


def _possible(motion: str, kind: str, place: Place) -> bool:
    if motion == "hide":
        return bool(_hideouts(kind, place))
    if motion in ("chase", "meet"):
        return bool(_partners(kind, motion, place))
    if motion in ("approach", "recede"):
        return not place.indoors
    return motion != "land" or "boat" not in place.kinds


def _hideouts(kind: str, place: Place) -> list[str]:
    fitting = BOULDERS if KINDS[kind].family == "person" else HIDEOUTS
    return [landmark for landmark in place.landmarks if landmark in fitting]


def _partners(kind: str, motion: str, place: Place) -> list[str]:
    return [other for other in place.kinds if other != kind and motion in KINDS[other].motions]


def _count(rng: np.random.Generator, kind: str, motion: str) -> int:
    most = KINDS[kind].crowd if motion in CROWDED else 1
    return int(choose(rng, [1, *range(1, most + 1)]))


def _company(rng: np.random.Generator, place: Place, light: str, main: Actor) -> Actor | None:
    """A second actor: always for a chase or a meeting, else in somewhat over half of the scenes."""
    together = main.motion in ("chase", "meet")
    others = (
        _partners(main.kind, str(main.motion), place)
        if together
        else [kind for kind in place.kinds if kind != main.kind]
    )
    if not together and rng.random() > 0.6:
        return None
    kind = choose(rng, others)
    motion = choose(rng, _company_motions(kind, main))
    colour = colour_of(rng, kind, place, light, main.colour)
    return Actor(kind, 1, colour, motion, heading_of(rng, motion))


def _company_motions(kind: str, main: Actor) -> list[str]:
    crowded = main.motion in SWEEPING and KINDS[kind].medium == KINDS[main.kind].medium
    calm = ("rest", "jump", "wave")
    allowed = [m for m in KINDS[kind].motions if m in (calm if crowded else COMPANY)]
    return allowed or ["cross"]


def _pair_up(main: Actor, company: Actor | None) -> tuple[Actor, ...]:
    if company is None:
        return (main,)
    if main.motion == "chase":
        company = replace(company, motion="flee", heading=main.heading)
    elif main.motion == "meet":
        company = replace(company, motion="meet", heading=None)
    return main, company


def _landmark(rng: np.random.Generator, place: Place, main: Actor) -> str | None:
    if main.motion == "hide":
        return choose(rng, _hideouts(main.kind, place))
    return choose(rng, place.landmarks) if rng.random() < 0.5 else None


def _weather(rng: np.random.Generator, place: Place, light: str) -> str | None:
    if not place.weathers or light == "sunset" or rng.random() > 0.35:
        return None
    return choose(rng, place.weathers)
