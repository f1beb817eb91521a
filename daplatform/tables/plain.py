"""A file as UTF-8, whatever program saved it: gzip, sheets and other encodings are converted."""

from __future__ import annotations

import codecs
import gzip
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from daplatform.tables.bounds import MEGABYTE, Bounds
from daplatform.tables.encodings import NAMES, UTF8, encoding_of, western_word
from daplatform.tables.faults import Faults, Kind, Unusable, Where
from daplatform.tables.sheets import is_sheet, write_csv
from daplatform.tables.wording import quoted

BLOCK = MEGABYTE
EXCEL = "In Excel: File, Save as, CSV UTF-8 (comma delimited)."
PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_SMALL = 10 * MEGABYTE  # below this no ratio is alarming


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
