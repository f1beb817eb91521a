"""Which encoding a file of text is in, where its bytes leave no doubt."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

UTF8: Final = "utf-8"
NAMES: Final = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252 (Latin-1)",
}
_BLOCK = 64 * 1024
_MARKS = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Bytes that no Western European text in Windows-1252 has: control characters; what Mac Roman and
# other code pages have for letters; three accented letters in a row, as in Cyrillic; the ¿ of other
# code pages inside a word; and letters that were UTF-8 before.
_FOREIGN = re.compile(
    rb"[\x00-\x08\x0e-\x1f\x7f\x81\x83\x86-\x90\x98\x9a\x9b\x9d-\x9f\xa4\xa6\xa8\xac\xaf\xb1\xb3"
    rb"\xb8\xb9\xbc\xbe]|[\xc0-\xff]{3}|(?<=[A-Za-z])[\xa1\xbf](?=[A-Za-z])"
    rb"|[\xc2\xc3][\x80-\xbf]|\xe2\x80[\x80-\xbf]"
)
_WORD = re.compile(rb"[\w'-]*[\xc0-\xff][\w\xc0-\xff'-]*")


def encoding_of(path: Path) -> str:
    """The encoding; UTF-8 also where nothing fits, so that reading names the first wrong byte."""
    with path.open("rb") as stream:
        start = stream.read(64)
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    if wide := _without_mark(start):
        return wide
    if not is_utf8(path) and not any(map(_FOREIGN.search, _blocks(path))):
        return "cp1252"
    return UTF8


def _without_mark(start: bytes) -> str:
    """UTF-16 that does not say so: every other byte of its header is zero."""
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, letters = start[first::2], start[1 - first :: 2]
        if len(zeros) > 1 and not any(zeros) and all(letters):
            return encoding
    return ""


def is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        for block in _blocks(path):
            if decoder.getstate()[0] or not block.isascii():
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def western_word(path: Path) -> str:
    """The first word with an accented letter, for a person to judge by; there may be none."""
    for block in _blocks(path):
        if found := _WORD.search(block):
            return found.group().decode("cp1252")
    return ""


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            yield block
