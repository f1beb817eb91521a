"""Checks of single texts: captions, names, and prose."""

from __future__ import annotations

import re
import unicodedata

from daplatform.tables import Faults, Kind, Where, quoted

# Control characters, line and paragraph separators, the marks that reverse the direction of
# everything after them, byte order marks inside a text, halves of surrogate pairs, non-characters.
_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff]"
)
_FORBIDDEN_IN_PROSE = re.compile(_FORBIDDEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))
_INVISIBLE = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}
_LOST = "\ufffd"


def is_odd(text: str, longest: int) -> bool:
    """Whether a caption deserves `check_caption`: the quick look that a million captions get."""
    return (
        not text.isprintable() or text.isspace() or not text or len(text) > longest or _LOST in text
    )


def check_caption(text: str, longest: int, where: Where, faults: Faults) -> None:
    """Record everything that keeps a caption from being shown to a person."""
    if is_invisible(text):
        # A file without columns is one of lines that count: deleting one would shift the others.
        remedy = "Write one, or delete the row." if where.column else "Write one."
        faults.error(Kind.EMPTY_CAPTION, where, "The caption is empty.", remedy)
        return
    _check_characters(text, _FORBIDDEN, where, faults)
    _check_length(text, longest, where, faults)
    if _LOST in text:
        faults.warning(
            Kind.LOST_CHARACTER,
            where,
            f"The mark � at character {text.index(_LOST) + 1} replaces a letter lost earlier.",
            "Export the text again as UTF-8 from where it was written.",
        )


def check_name(text: str, longest: int, where: Where, faults: Faults) -> bool:
    """Whether a text can name a video, a system or a campaign; if not, say why."""
    before = faults.errors
    if is_invisible(text):
        faults.error(Kind.NAME, where, "The name is empty.", "Fill it in, or delete the row.")
    elif text != text.strip():
        faults.error(
            Kind.NAME, where, f"{quoted(text)} has spaces around it.", "Delete the spaces."
        )
    else:
        _check_characters(text, _FORBIDDEN, where, faults)
        _check_length(text, longest, where, faults)
    return faults.errors == before


def check_prose(text: str, longest: int, where: Where, faults: Faults) -> None:
    """Check a text of several paragraphs: line ends and tabs are welcome."""
    _check_characters(text, _FORBIDDEN_IN_PROSE, where, faults)
    _check_length(text, longest, where, faults)


def is_invisible(text: str) -> bool:
    """Whether nothing of the text would be seen: spaces, zero-width marks, or no text at all."""
    return not text.strip() or (
        not text.isprintable() and all(unicodedata.category(mark) in _INVISIBLE for mark in text)
    )


def _check_characters(text: str, forbidden: re.Pattern[str], where: Where, faults: Faults) -> None:
    found = forbidden.search(text)
    if found is None:
        return
    mark = found.group()
    remedy = "Put the text on one line." if mark in "\r\n" else "Delete it."
    faults.error(
        Kind.CONTROL_CHARACTER,
        where,
        f"Character {found.start() + 1} is U+{ord(mark):04X}, which cannot be shown.",
        remedy,
    )


def _check_length(text: str, longest: int, where: Where, faults: Faults) -> None:
    if len(text) > longest:
        faults.error(
            Kind.LONG_TEXT,
            where,
            f"The text has {len(text):,} characters; {longest:,} are allowed.",
            "Shorten it.",
        )
