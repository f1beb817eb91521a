"""Words that can take each other's place in a caption and make it wrong."""

from __future__ import annotations

from typing import Final

NOUNS: Final = (
    "man woman boy girl baby child person lady guy",
    "men women boys girls babies children people ladies guys",
    "dog cat horse cow bird rabbit monkey elephant bear lion pig goat sheep duck fish snake",
    "dogs cats horses cows birds rabbits monkeys elephants bears lions pigs goats ducks",
    "car truck bus train boat bike bicycle motorcycle plane helicopter tractor skateboard",
    "apple orange banana cake pizza bread sandwich cheese egg onion carrot potato tomato soup",
    "shirt hat jacket dress coat scarf tie shoe helmet",
    "kitchen bedroom bathroom garage garden park street beach field forest room stage gym office",
    "guitar piano drum violin flute trumpet",
    "ball bottle book phone camera cup knife table chair box bag stick toy",
    "river lake ocean pool sea mountain road bridge",
)
VERBS: Final = (
    "running walking jumping sitting standing dancing swimming sleeping lying climbing crawling",
    "eating drinking cooking cutting washing cleaning painting drawing reading writing",
    "singing talking laughing crying shouting speaking smiling whispering",
    "throwing catching kicking hitting pushing pulling carrying holding lifting",
    "riding driving pushing pulling washing",
    "runs walks jumps sits stands dances swims sleeps climbs",
    "eats drinks cooks cuts washes cleans paints draws reads writes",
    "sings talks laughs cries shouts speaks smiles",
    "throws catches kicks hits pushes pulls carries holds lifts",
)
COLOURS: Final = (
    "red green blue yellow black white brown pink purple orange grey gray",
)  # fmt: skip
NUMBERS: Final = ("one two three four five six seven eight nine ten",)

CATEGORIES: Final = {
    "colour": tuple(tuple(group.split()) for group in COLOURS),
    "number": tuple(tuple(group.split()) for group in NUMBERS),
    "noun": tuple(tuple(group.split()) for group in NOUNS),
    "verb": tuple(tuple(group.split()) for group in VERBS),
}
