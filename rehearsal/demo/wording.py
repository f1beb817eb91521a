"""English as far as the demo needs it: plurals, articles, verb forms."""

from __future__ import annotations

PLURALS = {"fish": "fish", "man": "men", "person": "people"}
DOUBLED = ("stop", "run", "hop", "swim", "drop", "sit", "get", "trot", "travel")
NUMBERS = {1: "a", 2: "two", 3: "three"}


def plural(noun: str) -> str:
    """
    >>> [plural(noun) for noun in ("ball", "bus", "bunny", "sailing boat", "man")]
    ['balls', 'buses', 'bunnies', 'sailing boats', 'men']
    """
    *before, last = noun.split()
    return " ".join([*before, PLURALS.get(last) or _with_s(last)])


def present(verb: str, *, many: bool) -> str:
    """
    >>> present("fly", many=False), present("watch", many=False), present("fly", many=True)
    ('flies', 'watches', 'fly')
    """
    if verb == "be":
        return "are" if many else "is"
    return verb if many else _with_s(verb)


def gerund(verb: str) -> str:
    """
    >>> [gerund(verb) for verb in ("roll", "drive", "stop", "flee")]
    ['rolling', 'driving', 'stopping', 'fleeing']
    """
    if verb in DOUBLED:
        return verb + verb[-1] + "ing"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"


def _with_s(word: str) -> str:
    if word.endswith(("s", "sh", "ch", "x", "go")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def article(phrase: str) -> str:
    """
    >>> article("orange ball"), article("red ball")
    ('an orange ball', 'a red ball')
    """
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def counted(count: int | None, singular: str) -> str:
    """
    >>> counted(1, "orange cat"), counted(3, "red bus"), counted(None, "duck")
    ('an orange cat', 'three red buses', 'some ducks')
    """
    if count == 1:
        return article(singular)
    return f"{NUMBERS[count] if count else 'some'} {plural(singular)}"


def sentence(text: str) -> str:
    """One capital, one full stop, single spaces."""
    text = " ".join(text.split()).replace(" ,", ",")
    return text[0].upper() + text[1:] + "."
