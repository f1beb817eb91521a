"""Where the sentences and words of a text stand: what marks are made of. Pure.

Marks are stored in characters, so that a later version of this function does not move them.
"""

from __future__ import annotations

import re
from typing import Final, Literal

VERSION: Final = 2
Span = tuple[int, int]
Unit = Literal["sentence", "word"]
# Chinese is written without spaces, so that each character counts as a word.
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Full stops are no words (factvc-2023 counts so). A sentence ends where one is followed by space.
_PATTERNS: Final = {
    "sentence": re.compile(r"\S.*?(?:[.!?]+(?=\s|$)|[。！？]+|$)", re.DOTALL),
    "word": re.compile(rf"[{_HAN}]|[^\s.。！？，、{_HAN}]+"),
}


def segments(text: str, unit: Unit) -> tuple[Span, ...]:
    """First character and the one after the last, of every sentence or word.

    >>> segments("Add salt . Stir.", "sentence"), segments("Add salt . Stir.", "word")
    (((0, 10), (11, 16)), ((0, 3), (4, 8), (11, 15)))
    >>> segments("狗在跑。猫!", "word")
    ((0, 1), (1, 2), (2, 3), (4, 5), (5, 6))
    """
    found = [match.span() for match in _PATTERNS[unit].finditer(text)]
    if unit == "word":
        return tuple(found)
    return tuple(span for span in found if _PATTERNS["word"].search(text, *span))


def words_by_sentence(text: str) -> tuple[tuple[Span, ...], ...]:
    """
    >>> words_by_sentence("Add salt . Stir.")
    (((0, 3), (4, 8)), ((11, 15),))
    """
    words = segments(text, "word")
    return tuple(
        tuple(word for word in words if start <= word[0] < end)
        for start, end in segments(text, "sentence")
    )
