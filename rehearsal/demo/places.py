"""Where the demo's scenes happen: who is seen there, what stands there, what one calls it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A setting, and how one says that something is on or over it.

    `words` are those it is recognised by; `hidden_colours` would not show up against it.
    """

    on: tuple[str, ...]
    over: tuple[str, ...]
    words: tuple[str, ...]
    lights: tuple[str, ...]
    kinds: tuple[str, ...]
    landmarks: tuple[str, ...]
    hidden_colours: tuple[str, ...] = ()
    weathers: tuple[str, ...] = ()
    indoors: bool = False


PLACES: dict[str, Place] = {
    "beach": Place(
        on=("on a beach", "on the beach", "at the beach", "at the seaside"),
        over=("over a beach", "above the shore"),
        words=("beach", "seaside", "shore"),
        lights=("day", "sunset", "night"),
        kinds=("ball", "dog", "cat", "bird", "balloon", "girl", "man", "rabbit"),
        landmarks=("parasol", "rock"),
        hidden_colours=("yellow", "orange", "brown"),
    ),
    "street": Place(
        on=("on a city street", "in the city", "on a street", "in a town"),
        over=("above a city street", "over the street"),
        words=("city street", "street", "city", "town"),
        lights=("day", "sunset", "night"),
        kinds=("car", "car", "bus", "bus", "dog", "cat", "girl", "man", "balloon", "ball"),
        landmarks=("tree", "bush"),
        hidden_colours=("black", "grey"),
        weathers=("rain",),
    ),
    "snowfield": Place(
        on=("in a snowy field", "in the snow", "in a snowy landscape"),
        over=("over a snowy field", "above the snow"),
        words=("snowy field", "snowy landscape", "snow"),
        lights=("day", "sunset", "night"),
        kinds=("dog", "rabbit", "cat", "girl", "man", "train", "bird", "car", "ball"),
        landmarks=("snowman", "house"),
        hidden_colours=("white", "grey"),
        weathers=("snow",),
    ),
    "meadow": Place(
        on=("in a meadow", "in a grassy field", "in a flower meadow"),
        over=("over a meadow", "above the grass"),
        words=("flower meadow", "meadow", "grassy field", "grass"),
        lights=("day", "day", "sunset"),
        kinds=(
            "ball",
            "dog",
            "cat",
            "rabbit",
            "girl",
            "man",
            "bird",
            "butterfly",
            "balloon",
            "train",
            "plane",
        ),
        landmarks=("tree", "house", "bush"),
        hidden_colours=("green",),
        weathers=("rain",),
    ),
    "harbour": Place(
        on=("in a harbour", "on the water in a harbour", "in the harbour"),
        over=("over a harbour", "above the harbour"),
        words=("water in a harbour", "harbour"),
        lights=("day", "sunset", "night"),
        kinds=("boat", "boat", "boat", "duck", "duck", "bird", "plane", "balloon"),
        landmarks=("lighthouse",),
        hidden_colours=("blue",),
        weathers=("rain",),
    ),
    "desert": Place(
        on=("in the desert", "in a desert", "in a sandy desert"),
        over=("over the desert", "above a desert"),
        words=("sandy desert", "desert"),
        lights=("day", "sunset"),
        kinds=("car", "bus", "train", "plane", "bird", "man", "dog", "ball", "rabbit"),
        landmarks=("cactus", "rock"),
        hidden_colours=("orange", "brown", "yellow"),
    ),
    "forest": Place(
        on=("in a forest", "in the woods", "in the forest"),
        over=("in a forest", "in the woods"),
        words=("forest", "woods"),
        lights=("day", "sunset", "night"),
        kinds=("rabbit", "bird", "butterfly", "dog", "cat", "girl", "man"),
        landmarks=("tent", "rock"),
        hidden_colours=("green", "brown", "black"),
        weathers=("rain",),
    ),
    "living room": Place(
        on=("in a living room", "in the living room"),
        over=("in a living room", "in the living room"),
        words=("living room",),
        lights=("day",),
        kinds=("cat", "dog", "ball", "girl", "man", "balloon", "butterfly"),
        landmarks=("sofa",),
        hidden_colours=("brown",),
        indoors=True,
    ),
    "kitchen": Place(
        on=("in a kitchen", "in the kitchen"),
        over=("in a kitchen", "in the kitchen"),
        words=("kitchen",),
        lights=("day",),
        kinds=("cat", "dog", "ball", "girl", "man", "balloon", "butterfly"),
        landmarks=("table",),
        hidden_colours=("white", "grey"),
        indoors=True,
    ),
    "seabed": Place(
        on=("under water", "at the bottom of the sea", "deep in the ocean"),
        over=("under water", "deep in the ocean"),
        words=("under water", "bottom of the sea", "ocean"),
        lights=("day",),
        kinds=("fish", "fish", "turtle", "submarine"),
        landmarks=("treasure chest", "rock"),
        hidden_colours=("blue",),
    ),
}
HIDEOUTS: dict[str, tuple[float, float]] = {
    "rock": (1.4, 1.55),
    "house": (1.7, 3.0),
    "tent": (1.2, 1.6),
    "bush": (1.4, 1.8),
    "sofa": (2.3, 1.8),
    "table": (1.9, 1.5),
    "treasure chest": (1.0, 1.5),
}
"""Landmarks to disappear behind, with the half width and height they cover."""
BOULDERS = ("rock", "house", "tent", "bush")
"""Those that may be drawn large enough for a person."""
