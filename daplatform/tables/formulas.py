"""Texts that a spreadsheet would run as formulas: harmless in CSV, and read back as they were."""

from __future__ import annotations

from typing import Final

# The wide signs too: some spreadsheets take them for the plain ones (OWASP, CSV injection).
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")

APOSTROPHE: Final = "'"


def defused(text: str) -> str:
    """Text a spreadsheet will not run.

    >>> defused("=1+1"), defused("A1")
    ("'=1+1", 'A1')
    """
    return APOSTROPHE + text if text.startswith(_FORMULA) else text


def as_written(text: str) -> str:
    """What was defused, as it was before.

    >>> as_written("'=1+1"), as_written("'tis so")
    ('=1+1', "'tis so")
    """
    return text[1:] if text.startswith(APOSTROPHE) and text[1:].startswith(_FORMULA) else text
