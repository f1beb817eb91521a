"""A file as UTF-8, whatever program saved it: gzip, sheets and other encodings are converted."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daplatform.tables.faults import Faults, Kind, Unusable, Where, quoted

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Bounds:
    """Of one file. Captions compress to about a twentieth, ratings to a tenth."""

    line_bytes: int = 65_536  # of a line, and of a row that spans several
    unpacked_bytes: int = 4 * 1024 * MEGABYTE
    unpacked_ratio: int = 200  # unpacked to packed
    sheet_seconds: int = 120  # of processor time
    sheet_memory: int = 2 * 1024 * MEGABYTE


BOUNDS = Bounds()


BLOCK = MEGABYTE
EXCEL = "In Excel: File, Save as, CSV UTF-8 (comma delimited)."
PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_SMALL = 10 * MEGABYTE  # below this no ratio is alarming
UTF8: Final = "utf-8"
NAMES: Final = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252 (Latin-1)",
}
_PIECE = 64 * 1024
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
_SCRIPT = Path(__file__).with_name("sheet_script.py")
_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # zip; old Excel
_GRACE = 30  # seconds beyond the processor time it is given: the machine may be busy
_REMEDY = "Save the sheet as CSV UTF-8 and use that."


@contextmanager
def plain_text(path: Path, file: str, faults: Faults, bounds: Bounds) -> Iterator[Path | None]:
    """A path of that name with the same content in UTF-8: the file itself, or a copy.

    What was converted is a warning. What cannot be is an error, and there is no path then. Parquet
    is no text and stays as it is.
    """
    with ExitStack() as stack:
        plain = None
        try:
            plain = _Converter(path, Where(file), faults, bounds, stack).plain()
        except Unusable as problem:
            faults.error(problem.kind, Where(file), problem.message, problem.remedy)
        yield plain


class _Converter:
    """Brings one file into UTF-8, step by step; copies live as long as the stack."""

    def __init__(
        self, path: Path, where: Where, faults: Faults, bounds: Bounds, stack: ExitStack
    ) -> None:
        self._path, self._where, self._faults = path, where, faults
        self._bounds, self._stack = bounds, stack

    def plain(self) -> Path:
        start = _start(self._path)
        if start.startswith(_GZIP):
            self._unpack()
            start = _start(self._path)
        if not start:
            raise Unusable(Kind.EMPTY_FILE, "The file is empty.", "Fill it, or delete it.")
        if is_sheet(start):
            self._read_sheet()
        elif not start.startswith(PARQUET):
            self._recode(encoding_of(self._path))
        return self._path

    def _copy(self) -> Path:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="da-table-"))
        return Path(folder) / self._path.name

    def _unpack(self) -> None:
        copy = self._copy()
        unpack(self._path, copy, self._bounds)
        self._path = copy

    def _read_sheet(self) -> None:
        copy = self._copy()
        others = write_csv(self._path, copy, self._bounds)
        self._path = copy
        if others:
            self._faults.warning(
                Kind.UNUSED_SHEET,
                self._where,
                f"Only the first sheet is read, not {', '.join(map(quoted, others))}.",
                "Put the table on the first sheet, if it is not there.",
            )

    def _recode(self, encoding: str) -> None:
        if encoding == UTF8:
            return
        copy = self._copy()
        recode(self._path, copy, encoding)
        word = western_word(self._path) if encoding == "cp1252" else ""
        self._path = copy
        self._faults.warning(
            Kind.ENCODING,
            self._where,
            f"The file is {NAMES[encoding]}, not UTF-8, and was read as that"
            f"{f', for instance {quoted(word)}' if word else ''}.",
            f"If letters are wrong, save it again. {EXCEL}",
        )


def unpack(path: Path, target: Path, bounds: Bounds) -> None:
    """Undo gzip, up to a bound; raises Unusable."""
    most = max(_SMALL, path.stat().st_size * bounds.unpacked_ratio)
    left = min(most, bounds.unpacked_bytes)
    try:
        with gzip.open(path) as source, target.open("wb") as copy:
            while block := source.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise Unusable(
                        Kind.TOO_MANY,
                        "Unpacked it would have more bytes than are allowed.",
                        "Unpack it yourself, and look at what is in it.",
                    )
                copy.write(block)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Unusable(
            Kind.UNREADABLE_FILE,
            f"This is not a gzip file that can be unpacked ({error}).",
            "Make it again; a copy may have been cut off.",
        ) from error


def recode(path: Path, target: Path, encoding: str) -> None:
    """The same text in UTF-8, line ends untouched; raises Unusable."""
    try:
        with (
            path.open(encoding=encoding, newline="") as source,
            target.open("w", encoding="utf-8", newline="") as copy,
        ):
            shutil.copyfileobj(source, copy, BLOCK)
    except UnicodeError as error:
        raise Unusable(
            Kind.ENCODING, f"The file begins as {NAMES[encoding]} but goes on as something else.",
            f"Save it as UTF-8. {EXCEL}",
        ) from error  # fmt: skip


def _start(path: Path) -> bytes:
    with path.open("rb") as stream:
        start = stream.read(8)
    return b"" if start == codecs.BOM_UTF8 else start


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
        while block := stream.read(_PIECE):
            yield block


def is_sheet(start: bytes) -> bool:
    """Whether a file that begins so may be a spreadsheet, whatever it is called."""
    return start.startswith(_MAGIC)


def write_csv(path: Path, target: Path, bounds: Bounds) -> list[str]:
    """Write the first sheet as CSV, a line for each row; the names of other sheets with content.

    A small file can unpack to more than a machine holds, and one cell far off makes a sheet of
    billions: the child is given so much memory, time and disk, and no secrets. Formulas are the
    values they had when the file was saved.

    Raises
    ------
    Unusable
        When it is not a sheet, or one beyond the bounds.
    """
    limits = (bounds.sheet_seconds, bounds.sheet_memory, bounds.unpacked_bytes)
    with path.open("rb") as source, target.open("wb") as copy:
        try:
            child = subprocess.run(  # noqa: S603  (our own script)
                [sys.executable, "-I", str(_SCRIPT), *map(str, limits)],
                stdin=source, stdout=copy, stderr=subprocess.PIPE, env={}, check=False,
                timeout=2 * bounds.sheet_seconds + _GRACE,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _too_large() from None
    if child.returncode:
        raise _too_large()
    answer = json.loads(child.stderr)
    if problem := answer.get("problem"):
        message = f"This is not a sheet that can be read ({problem})."
        raise Unusable(Kind.UNREADABLE_FILE, message, _REMEDY)
    return list(answer["others"])


def _too_large() -> Unusable:
    message = "The sheet could not be read within the limits of time and memory."
    return Unusable(Kind.TOO_MANY, message, _REMEDY)
