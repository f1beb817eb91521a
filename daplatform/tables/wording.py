"""How messages speak of texts, names and numbers from files."""

from __future__ import annotations

import difflib
from collections.abc import Collection

_SUGGESTIBLE = 200


def quoted(text: str, longest: int = 60) -> str:
    """The text as a message may show it: short, in quotes, on one line, in printable characters.

    >>> quoted("one" + chr(10) + "two")
    "'one\\\\ntwo'"
    """
    return repr(text if len(text) <= longest else f"{text[: longest - 1]}…")


def shown(name: str) -> str:
    """A file name as a message may show it, whatever bytes the file system had for it."""
    return name if name.isprintable() else quoted(name)


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "line"), counted(1200, "line")
    ('1 line', '1,200 lines')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def suggestion(word: str, choices: Collection[str]) -> str:
    """ "Did you mean …?", or nothing where no choice is near.

    >>> suggestion("Human-A", ["human-a", "human-b"])
    "Did you mean 'human-a'?"
    """
    if len(choices) > _SUGGESTIBLE or len(word) > _SUGGESTIBLE:
        return ""
    folded = {choice.casefold(): choice for choice in choices}
    nearest = difflib.get_close_matches(word.strip().casefold(), folded, n=1, cutoff=0.75)
    return f"Did you mean {quoted(folded[nearest[0]])}?" if nearest else ""
