"""Simulated annotators: people-like in bias, scale and noise, and known to be what they are.

Pure: a persona, a caption's true quality and a generator in, a response out. Where the quality
comes from and where the response goes is other modules' business.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hits.protocols import Scale
from hits.protocols.direct_assessment import SCALE

HABITS = ("honest", "careless", "random", "constant")
# How often a careless annotator answers without having looked.
INATTENTION = 0.4


@dataclass(frozen=True)
class Persona:
    """How somebody answers: 50 + bias + scale * (100 quality - 50) + noise, when they look.

    That is in per cent of the way from the lowest answer to the highest.

    >>> honest = Persona("honest", bias=5.0, scale=0.5, noise=0.0)
    >>> respond(honest, 0.9, seconds=4.0, rng=np.random.default_rng(1)).score
    75
    """

    habit: str
    bias: float = 0.0
    scale: float = 1.0
    noise: float = 0.0


@dataclass(frozen=True)
class Response:
    """A rating and how it came about; times in seconds since the caption was shown."""

    score: int
    seconds: float
    watched: float
    moves: int


def parse_mix(text: str) -> dict[str, float]:
    """Read `honest=0.7,careless=0.3`: shares of habits that add up to one.

    >>> parse_mix("honest=0.75,random=0.25")
    {'honest': 0.75, 'random': 0.25}
    """
    mix: dict[str, float] = {}
    for part in text.split(","):
        habit, _, share = part.strip().partition("=")
        if habit not in HABITS:
            raise ValueError(f"mix: {habit!r} is none of {', '.join(HABITS)}")
        try:
            mix[habit] = float(share)
        except ValueError:
            raise ValueError(f"mix: {part.strip()!r} is not of the form habit=share") from None
    if any(not 0 <= share <= 1 for share in mix.values()) or not math.isclose(sum(mix.values()), 1):
        raise ValueError(f"mix: shares must be between 0 and 1 and add up to 1, got {text!r}")
    return mix


def draw_personas(count: int, mix: Mapping[str, float], rng: np.random.Generator) -> list[Persona]:
    """That many personas in the proportions of the mix, as near as whole people allow."""
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    habits = list(mix)
    exact = count * np.array([mix[habit] for habit in habits])
    numbers = np.floor(exact).astype(int)
    # Largest remainders get the people left over.
    for index in np.argsort(numbers - exact, kind="stable")[: count - numbers.sum()]:
        numbers[index] += 1
    drawn = [
        _persona(habit, rng) for habit, n in zip(habits, numbers, strict=True) for _ in range(n)
    ]
    return [drawn[index] for index in rng.permutation(count)]


def _persona(habit: str, rng: np.random.Generator) -> Persona:
    if habit == "constant":
        return Persona(habit, bias=float(rng.integers(-30, 31)), scale=0.0)
    spread = 2.0 if habit == "careless" else 1.0
    return Persona(
        habit,
        bias=rng.normal(0, 8),
        scale=rng.uniform(0.6, 1.1),
        noise=spread * rng.uniform(6, 14),
    )


def respond(
    persona: Persona,
    quality: float,
    *,
    seconds: float,
    rng: np.random.Generator,
    scale: Scale = SCALE,
) -> Response:
    """Rate a caption of that quality, from 0 to 1, for a video of that many seconds."""
    if not 0 <= quality <= 1:
        raise ValueError(f"quality must be from 0 to 1, got {quality}")
    looks = persona.habit == "honest" or (
        persona.habit == "careless" and rng.random() >= INATTENTION
    )
    if looks or persona.habit == "constant":
        centre = 50 + persona.bias + persona.scale * (100 * quality - 50)
        score = centre + (rng.normal(0, persona.noise) if persona.noise else 0.0)
    else:
        score = rng.uniform(-0.5, 100.5)
    watched = seconds if looks else 0.3 * seconds * rng.random()
    thought = rng.lognormal(1.2, 0.5) if looks else rng.lognormal(0.0, 0.4)
    return Response(
        score=_on(scale, float(score)),
        seconds=watched + thought,
        watched=watched,
        moves=1 + int(rng.poisson(2)),
    )


def _on(scale: Scale, percent: float) -> int:
    """The answer nearest to a share of the way from the lowest to the highest.

    >>> _on(Scale(1, 5, "ordinal"), 80.0), _on(Scale(1, 5, "ordinal"), -10.0), _on(SCALE, 72.4)
    (4, 1, 72)
    """
    steps = np.rint(percent * (scale.high - scale.low) / 100)
    return int(np.clip(scale.low + steps, scale.low, scale.high))
