"""Keys of rows as they come in addresses and forms, where anything may stand."""

from __future__ import annotations

MAX_DIGITS = 18  # what is longer, no database could even be asked for


def row_key(text: str) -> int | None:
    """The key that a text is; None where it can be no row's.

    >>> row_key("12"), row_key("-1"), row_key("x"), row_key(""), row_key("9" * 19)
    (12, None, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else None
