"""Which drawing plays which kind of actor, how large it is and how its limbs keep pace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rehearsal.demo.art import animals, flyers, people, vehicles
from rehearsal.demo.art.pen import Colour, Pen
from rehearsal.demo.art.pose import Pose


@dataclass(frozen=True)
class Part:
    """A drawing and its bounds (`half` its width, and its `height`).

    Its phase grows by `step` for each unit it covers and by `beat` every second.
    """

    draw: Callable[[Pen, Colour, Pose], None]
    half: float
    height: float
    step: float
    beat: float = 0.0
    size: float = 1.0
    quick: bool = False


CAST: dict[str, Part] = {
    "ball": Part(vehicles.ball, 0.7, 1.3, 1.67),
    "balloon": Part(flyers.balloon, 0.7, 2.6, 0.0, 5.0, 1.15),
    "car": Part(vehicles.car, 1.8, 1.7, 2.7, quick=True, size=1.15),
    "bus": Part(vehicles.bus, 2.5, 2.6, 2.5, quick=True, size=1.1),
    "train": Part(vehicles.train, 5.0, 4.0, 2.4, quick=True),
    "boat": Part(flyers.boat, 1.8, 3.4, 0.0, 1.0),
    "plane": Part(flyers.plane, 2.1, 1.7, 0.0, quick=True, size=1.1),
    "bird": Part(flyers.bird, 1.1, 1.6, 0.0, 15.0, 1.05, quick=True),
    "butterfly": Part(flyers.butterfly, 0.95, 1.3, 0.0, 14.0),
    "cat": Part(animals.cat, 1.5, 2.1, 4.2, 1.5),
    "dog": Part(animals.dog, 1.7, 2.1, 3.6, 5.0, quick=True),
    "rabbit": Part(animals.rabbit, 1.1, 2.0, 3.0),
    "turtle": Part(animals.turtle, 1.5, 1.3, 2.4, 2.0, 1.2),
    "girl": Part(people.girl, 1.1, 2.9, 3.6, 6.0),
    "man": Part(people.man, 1.1, 3.3, 3.2, 6.0),
    "fish": Part(flyers.fish, 1.2, 1.3, 1.0, 9.0, 1.2),
    "submarine": Part(flyers.submarine, 1.8, 2.1, 0.0, 6.0, 1.2),
    "duck": Part(flyers.duck, 1.1, 1.2, 0.0, 1.5, 1.1),
}
