"""How one says what somebody does.

In a saying, `{move}` is the way the actor gets about (rolls, flies, swims), `{rest}` the way it
rests; `{from}`, `{to}`, `{other}` and `{landmark}` are filled in; other words in braces are verbs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sayings:
    """Ways to tell a motion without its direction, with it, and the words it is recognised by."""

    plain: tuple[str, ...]
    headed: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()


SAYINGS: dict[str, Sayings] = {
    "cross": Sayings(
        ("{move} past", "{move} by", "{move} across the scene"),
        (
            "{move} from {from} to {to}",
            "{move} past from {from} to {to}",
            "{move} by towards the {to}",
            "{move} to the {to}",
        ),
        cues=("past", "by", "across the scene"),
    ),
    "stop": Sayings(
        ("{move} in and {stop}", "{come} into view and {stop}", "{come} to a stop"),
        (
            "{move} in from the {from} and {stop}",
            "{come} in from the {from} and {stop}",
            "{move} to the {to} and {stop}",
        ),
        verbs=("stop",),
        cues=("to a stop",),
    ),
    "turn": Sayings(
        ("{move} in, {turn} around and {leave} again", "{turn} back halfway"),
        (
            "{come} in from the {from}, {turn} around and {leave} again",
            "{move} in from the {from} and {turn} back",
        ),
        verbs=("turn",),
    ),
    "bounce": Sayings(
        ("{bounce} up and down", "{keep} bouncing"),
        ("{bounce} from {from} to {to}", "{bounce} along to the {to}"),
        verbs=("bounce",),
    ),
    "jump": Sayings(("{jump} up and down", "{keep} jumping"), verbs=("jump",)),
    "rise": Sayings(
        ("{move} up and away", "{rise} higher and higher", "{move} upwards out of view"),
        verbs=("rise",),
        cues=("up and away", "higher and higher", "upwards"),
    ),
    "fall": Sayings(
        ("{fall} from above", "{drop} down from above", "{fall} to the ground"),
        verbs=("fall", "drop"),
        cues=("from above", "to the ground"),
    ),
    "circle": Sayings(
        ("{move} in circles", "{move} around in circles", "{move} round and round"),
        verbs=("circle",),
        cues=("in circles", "round and round"),
    ),
    "approach": Sayings(
        ("{move} towards the camera", "{come} closer and closer", "{come} nearer"),
        cues=("towards the camera", "closer and closer", "closer", "nearer"),
    ),
    "recede": Sayings(
        (
            "{move} away into the distance",
            "{move} away from the camera",
            "{get} smaller and smaller in the distance",
        ),
        cues=(
            "into the distance",
            "in the distance",
            "away from the camera",
            "smaller and smaller",
        ),
    ),
    "hide": Sayings(
        ("{disappear} behind {landmark}", "{move} behind {landmark} and {stay} there"),
        (
            "{come} in from the {from} and {disappear} behind {landmark}",
            "{move} to the {to} and {disappear} behind {landmark}",
        ),
        verbs=("disappear", "hide"),
        cues=("behind",),
    ),
    "chase": Sayings(
        ("{chase} {other}", "{go} after {other}"),
        ("{chase} {other} to the {to}", "{chase} {other} from {from} to {to}"),
        verbs=("chase",),
        cues=("after",),
    ),
    "flee": Sayings(
        ("{be} chased by {other}", "{flee} from {other}"),
        ("{be} chased by {other} from {from} to {to}",),
        verbs=("flee",),
        cues=("chased by",),
    ),
    "meet": Sayings(
        ("{meet} in the middle", "{meet} each other"),
        verbs=("meet",),
    ),
    "rest": Sayings(
        ("{rest} still", "{rest} there"), verbs=("rest", "sit", "stand", "hover"), cues=("still",)
    ),
    "wave": Sayings(("{wave}", "{wave} at the camera"), verbs=("wave",), cues=("at the camera",)),
    "land": Sayings(
        ("{move} down and {land} on the ground", "{land} on the ground", "{come} down and {land}"),
        verbs=("land",),
        cues=("on the ground",),
    ),
    "move": Sayings(("{move}", "{move} along", "{move} around")),
}
LIGHT_WORDS: dict[str, tuple[str, ...]] = {
    "day": ("on a sunny day", "in broad daylight"),
    "sunset": ("at sunset", "in the evening light", "as the sun goes down"),
    "night": ("at night", "in the dark", "after dark"),
}
WEATHER_WORDS: dict[str, tuple[str, ...]] = {
    "rain": ("in the rain", "in pouring rain"),
    "snow": ("in falling snow", "with snow falling"),
}
OPENERS = ("we see", "the video shows")
NEARBY = ("next to {landmark}", "near {landmark}", "not far from {landmark}")
VAGUE_PLACES: dict[str, tuple[str, ...]] = {
    "outdoors": ("outdoors", "outside"),
    "indoors": ("indoors", "inside"),
}
