"""Text files line by line: bounded memory, whatever the bytes."""

from __future__ import annotations

import hashlib
import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from daplatform.tables.faults import Faults, Kind, Where
from daplatform.tables.plain import BOUNDS, EXCEL, Bounds, plain_text

_BLOCK = 1024 * 1024


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


def read_lines(path: Path, file: str, faults: Faults, bounds: Bounds = BOUNDS) -> Iterator[str]:
    """The file's lines as text, one for each line of the file, with their ends.

    A line too long to be read comes out as an empty string (a line that is merely blank still has
    its end), one that is not UTF-8 with its foreign bytes spelt out; both are errors in `faults`.
    """
    with plain_text(path, file, faults, bounds) as plain:
        if plain is not None:
            with plain.open("rb") as stream:
                yield from _lines(stream, file, faults, bounds)


def _lines(stream: BinaryIO, file: str, faults: Faults, bounds: Bounds) -> Iterator[str]:
    if stream.read(len(BOM_UTF8)) != BOM_UTF8:
        stream.seek(0)
    number, is_told = 0, False
    while raw := stream.readline(bounds.line_bytes + 1):
        number += 1
        if len(raw) > bounds.line_bytes:
            yield _skip_line(stream, raw, Where(file, number), faults, bounds)
            continue
        try:
            yield raw.decode()
        except UnicodeDecodeError as error:
            if not is_told:
                _foreign_byte(error, raw, Where(file, number), faults)
            is_told = True
            yield raw.decode(errors="backslashreplace")


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


def _foreign_byte(error: UnicodeDecodeError, raw: bytes, where: Where, faults: Faults) -> None:
    """Told once a file: whatever else is wrong with its letters has the same cause."""
    position = len(raw[: error.start].decode()) + 1
    faults.error(
        Kind.ENCODING,
        where._replace(column=str(position)),
        f"The byte 0x{raw[error.start]:02X} is not UTF-8, and no other encoding fits the file.",
        f"Save the whole file as UTF-8; parts of it may come from another program. {EXCEL}",
    )


def _skip_line(stream: BinaryIO, raw: bytes, where: Where, faults: Faults, bounds: Bounds) -> str:
    """Read on to the end of a line, forgetting it."""
    size = len(raw)
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(bounds.line_bytes)
        size += len(raw)
    faults.error(
        Kind.LONG_LINE,
        where,
        f"The line has {size:,} bytes; {bounds.line_bytes:,} are allowed.",
        "Check for missing line endings.",
    )
    return ""
