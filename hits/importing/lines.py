"""Text files line by line: bounded memory, whatever the bytes."""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from hits.importing.faults import Faults, Kind, Where
from hits.importing.limits import Limits

_BLOCK = 1024 * 1024
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 little-endian begins so too


def is_readable(path: Path, file: str, faults: Faults) -> bool:
    """Whether the path is a file of its own (no link, folder, pipe or device) that opens."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return True
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        faults.error(
            Kind.UNREADABLE_FILE, Where(file), f"It cannot be opened: {reason}.", "Check the file."
        )
        return False
    kind, noun = (Kind.LINK, "link") if stat.S_ISLNK(mode) else (Kind.UNREADABLE_FILE, "folder")
    faults.error(kind, Where(file), f"This is a {noun}, not a file.", "Put the file itself here.")
    return False


def read_lines(path: Path, file: str, faults: Faults, limits: Limits) -> Iterator[str]:
    """The file's lines as text, one for each line of the file, with their ends.

    A line too long to be read comes out as an empty string (a line that is merely blank still has
    its end), one that is not UTF-8 with its foreign bytes spelt out; both are errors in `faults`.
    """
    with path.open("rb") as stream:
        if not _begins_as_text(stream, file, faults):
            return
        number = 0
        while raw := stream.readline(limits.line_bytes + 1):
            number += 1
            if len(raw) > limits.line_bytes:
                yield _skip_line(stream, raw, Where(file, number), faults, limits)
            else:
                yield _decode(raw, file, number, faults)


def count_lines(path: Path) -> int:
    """How many lines a file has, its last one included if that has no end."""
    lines, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            lines += block.count(b"\n")
            last = block[-1:]
    return lines + (last != b"\n")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _begins_as_text(stream: BinaryIO, file: str, faults: Faults) -> bool:
    """Step over a UTF-8 byte order mark; refuse files that cannot be read as lines of UTF-8."""
    start = stream.read(len(codecs.BOM_UTF8))
    if not start:
        faults.error(Kind.EMPTY_FILE, Where(file), "The file is empty.", "Fill it, or delete it.")
    elif start.startswith(_WIDE_MARKS):
        faults.error(Kind.ENCODING, Where(file, 1), "The file is UTF-16.", "Save it as UTF-8.")
    else:
        stream.seek(len(start) if start == codecs.BOM_UTF8 else 0)
        return True
    return False


def _decode(raw: bytes, file: str, number: int, faults: Faults) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        position = len(raw[: error.start].decode()) + 1
        faults.error(
            Kind.ENCODING,
            Where(file, number, str(position)),
            f"The byte 0x{raw[error.start]:02X} is not UTF-8.",
            "Save the whole file as UTF-8; parts of it may come from another program.",
        )
        return raw.decode(errors="backslashreplace")


def _skip_line(stream: BinaryIO, raw: bytes, where: Where, faults: Faults, limits: Limits) -> str:
    """Read on to the end of a line, forgetting it."""
    size = len(raw)
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(limits.line_bytes)
        size += len(raw)
    faults.error(
        Kind.LONG_LINE,
        where,
        f"The line has {size:,} bytes; {limits.line_bytes:,} are allowed.",
        "Check whether line ends are missing.",
    )
    return ""
