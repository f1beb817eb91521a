"""Who there is in the demo's world: what it looks like, what it can do, what it is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of actor. `verbs` say how it gets about, `medium` where: ground, air, water or sea."""

    nouns: tuple[str, ...]
    family: str
    medium: str
    verbs: tuple[str, ...]
    motions: tuple[str, ...]
    colours: tuple[str, ...]
    crowd: int = 1
    garments: tuple[str, ...] = ()
    rests: tuple[str, ...] = ("rest",)


BRIGHT = ("red", "blue", "green", "yellow", "orange", "purple", "pink")
FUR = ("black", "white", "brown", "grey", "orange")
LIVELY = ("cross", "stop", "turn", "jump", "circle", "hide", "chase", "meet", "rest")
KINDS: dict[str, Kind] = {
    "ball": Kind(
        nouns=("ball",),
        family="thing",
        medium="ground",
        verbs=("roll",),
        motions=("cross", "stop", "bounce", "fall", "hide"),
        colours=BRIGHT,
        crowd=3,
    ),
    "balloon": Kind(
        nouns=("balloon",),
        family="thing",
        medium="air",
        verbs=("float", "drift"),
        motions=("cross", "rise"),
        colours=BRIGHT,
        crowd=3,
    ),
    "car": Kind(
        nouns=("car",),
        family="vehicle",
        medium="ground",
        verbs=("drive",),
        motions=("cross", "stop", "turn", "approach", "recede", "rest"),
        colours=(*BRIGHT, "white", "black"),
        crowd=2,
        rests=("stand",),
    ),
    "bus": Kind(
        nouns=("bus",),
        family="vehicle",
        medium="ground",
        verbs=("drive",),
        motions=("cross", "stop", "approach", "recede", "rest"),
        colours=("red", "blue", "green", "yellow", "orange", "white"),
        rests=("stand",),
    ),
    "train": Kind(
        nouns=("train", "steam train"),
        family="vehicle",
        medium="ground",
        verbs=("travel", "rush"),
        motions=("cross", "stop"),
        colours=("red", "blue", "green", "purple", "black"),
    ),
    "boat": Kind(
        nouns=("boat", "sailing boat", "sailboat"),
        family="vehicle",
        medium="water",
        verbs=("sail",),
        motions=("cross", "stop", "turn", "meet"),
        colours=("red", "blue", "green", "yellow", "orange", "purple", "black"),
    ),
    "plane": Kind(
        nouns=("plane", "airplane"),
        family="vehicle",
        medium="air",
        verbs=("fly",),
        motions=("cross", "rise"),
        colours=("red", "blue", "yellow", "orange", "white", "green"),
    ),
    "bird": Kind(
        nouns=("bird",),
        family="animal",
        medium="air",
        verbs=("fly",),
        motions=("cross", "circle", "rise", "land"),
        colours=("red", "blue", "yellow", "black", "white", "pink"),
        crowd=3,
    ),
    "butterfly": Kind(
        nouns=("butterfly",),
        family="animal",
        medium="air",
        verbs=("flutter", "fly"),
        motions=("cross", "circle", "rise"),
        colours=("red", "blue", "yellow", "orange", "purple", "pink", "white"),
        crowd=3,
    ),
    "cat": Kind(
        nouns=("cat",),
        family="animal",
        medium="ground",
        verbs=("walk", "stroll"),
        motions=LIVELY,
        colours=FUR,
        crowd=2,
        rests=("sit",),
    ),
    "dog": Kind(
        nouns=("dog",),
        family="animal",
        medium="ground",
        verbs=("run", "trot"),
        motions=LIVELY,
        colours=FUR,
        crowd=2,
        rests=("sit",),
    ),
    "rabbit": Kind(
        nouns=("rabbit", "bunny"),
        family="animal",
        medium="ground",
        verbs=("hop",),
        motions=LIVELY,
        colours=("white", "brown", "grey", "black"),
        crowd=3,
        rests=("sit",),
    ),
    "girl": Kind(
        nouns=("girl",),
        family="person",
        medium="ground",
        verbs=("walk", "stroll"),
        motions=(*LIVELY, "wave", "approach", "recede"),
        colours=BRIGHT,
        garments=("dress",),
        rests=("stand",),
    ),
    "man": Kind(
        nouns=("man",),
        family="person",
        medium="ground",
        verbs=("walk", "stroll"),
        motions=(*LIVELY, "wave", "approach", "recede"),
        colours=(*BRIGHT, "white", "black"),
        garments=("coat", "jacket"),
        rests=("stand",),
    ),
    "fish": Kind(
        nouns=("fish",),
        family="animal",
        medium="sea",
        verbs=("swim",),
        motions=("cross", "turn", "circle", "hide", "chase", "meet"),
        colours=("red", "yellow", "orange", "pink", "white"),
        crowd=3,
    ),
    "turtle": Kind(
        nouns=("turtle", "sea turtle"),
        family="animal",
        medium="sea",
        verbs=("swim",),
        motions=("cross", "turn", "rise", "chase", "meet"),
        colours=("green", "brown", "purple", "red", "orange"),
    ),
    "submarine": Kind(
        nouns=("submarine",),
        family="vehicle",
        medium="sea",
        verbs=("travel", "glide"),
        motions=("cross", "stop", "rise", "rest"),
        colours=("red", "yellow", "orange", "white", "green", "pink"),
        rests=("hover",),
    ),
    "duck": Kind(
        nouns=("duck",),
        family="animal",
        medium="water",
        verbs=("swim", "paddle"),
        motions=("cross", "turn", "stop", "meet", "circle"),
        colours=("white", "yellow", "brown", "grey"),
        crowd=3,
    ),
}
FAMILIES: dict[str, tuple[str, ...]] = {
    "animal": ("animal", "creature"),
    "person": ("person",),
    "vehicle": ("vehicle",),
    "thing": ("thing", "object"),
}
"""Words of a caption that will not commit itself."""
