"""Campaigns that come as a zip: unpacked only when nothing in it reaches beyond its folder."""

from __future__ import annotations

import errno
import io
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from daplatform.tables import MEGABYTE, Faults, Kind, Where, counted, quoted, shown
from hits.importing.limits import Limits
from hits.importing.locations import path_problem

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1
_BLOCK = MEGABYTE
_SMALL = 10 * MEGABYTE  # below this no ratio is alarming
_DEEPEST = 10  # folders in each other
_LONGEST_NAME = 1000  # bytes
_LONGEST_PART = 255  # bytes, on every common file system
_RUBBISH = {"__MACOSX", ".DS_Store", "Thumbs.db"}  # left by desktops, never by organisers

# What zipfile raises over damaged archives beside its own error: decoders fail, names are not the
# UTF-8 they claim to be, offsets point nowhere.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    RuntimeError,
)


class _GuardedReader(io.BufferedReader):
    """zipfile reads the list of files in one go: a list that would fill the memory is refused."""

    def __init__(self, path: Path, largest: int) -> None:
        super().__init__(io.FileIO(path))
        self._largest = largest

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._largest + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, self._largest + 1))
        if len(data) > self._largest:
            raise zipfile.BadZipFile("its list of files is too long")
        return data


def unpack(archive: Path, target: Path, faults: Faults, limits: Limits) -> Path | None:
    """Unpack a zip into an empty folder and return the campaign's folder inside it.

    Every entry is checked before the first is written. With an error the result is nothing, and
    what is in `target` by then is worthless.
    """
    try:
        with (
            _GuardedReader(archive, limits.archive_directory_bytes) as stream,
            zipfile.ZipFile(stream) as opened,
        ):
            entries = [entry for entry in opened.infolist() if not _is_rubbish(entry)]
            if _are_safe(entries, archive, faults, limits):
                _extract(opened, entries, target)
                return _campaign_folder(target)
    except _DAMAGE as error:
        _damaged(archive, str(error), faults)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the start of the file was asked for
            raise
        _damaged(archive, "it points to places outside itself", faults)
    return None


def _damaged(archive: Path, reason: str, faults: Faults) -> None:
    faults.error(
        Kind.ARCHIVE,
        Where(shown(archive.name)),
        f"This is not a zip that can be read ({quoted(reason)[1:-1]}).",
        "Make it again; a copy may have been cut off.",
    )


def _is_rubbish(entry: zipfile.ZipInfo) -> bool:
    is_folder = entry.filename.endswith("/")  # ZipInfo.is_dir fails over an empty name
    return is_folder or not _RUBBISH.isdisjoint(PurePosixPath(entry.filename).parts)


def _are_safe(
    entries: Sequence[zipfile.ZipInfo], archive: Path, faults: Faults, limits: Limits
) -> bool:
    """Whether all of it may be unpacked; every reason why not is a fault."""
    where = Where(shown(archive.name))
    size = sum(entry.file_size for entry in entries)
    if not entries:
        faults.error(Kind.ARCHIVE, where, "The zip is empty.", "Put the campaign's files into it.")
    elif len(entries) > limits.archive_files:
        faults.error(
            Kind.TOO_MANY,
            where,
            f"There are {counted(len(entries), 'file')}; {limits.archive_files:,} are allowed.",
            "Import the folder on the command line.",
        )
    elif size > limits.archive_bytes or _is_bomb(size, archive.stat().st_size, limits):
        faults.error(
            Kind.TOO_MANY,
            where,
            f"Unpacked it would have {size:,} bytes, more than is allowed.",
            "Import the folder on the command line.",
        )
    else:
        return _are_plain(entries, where, faults, limits) and _are_apart(entries, where, faults)
    return False


def _are_plain(
    entries: Iterable[zipfile.ZipInfo], where: Where, faults: Faults, limits: Limits
) -> bool:
    """Whether every entry is a file that stays in the folder."""
    before = faults.errors
    for entry in entries:
        if problem := _problem(entry, limits):
            faults.error(
                Kind.ARCHIVE,
                where,
                f"{quoted(entry.orig_filename)} {problem}.",
                "Make a plain zip of the folder.",
            )
    return faults.errors == before


def _is_bomb(size: int, packed: int, limits: Limits) -> bool:
    return size > _SMALL and size > packed * limits.archive_ratio


def _problem(entry: zipfile.ZipInfo, limits: Limits) -> str:
    """Why one entry cannot be unpacked; empty when it can."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    name = entry.orig_filename  # as stored; zipfile cuts it at a NUL
    parts = PurePosixPath(name).parts
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if kind not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    if entry.compress_type not in _METHODS:
        return "is packed in a way that is not supported"
    if _is_bomb(entry.file_size, entry.compress_size, limits):
        return f"unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}"
    if len(name.encode()) > _LONGEST_NAME or any(len(p.encode()) > _LONGEST_PART for p in parts):
        return "has too long a name"
    if len(parts) > _DEEPEST:
        return "is nested too deeply"
    return path_problem(name)


def _are_apart(entries: Iterable[zipfile.ZipInfo], where: Where, faults: Faults) -> bool:
    """Whether names differ by more than case, and no file is another's folder."""
    before = faults.errors
    paths = [PurePosixPath(entry.filename.casefold()) for entry in entries]
    folders = {parent for path in paths for parent in path.parents}
    seen: set[PurePosixPath] = set()
    for path in paths:
        if path in seen or path in folders:
            faults.error(
                Kind.ARCHIVE, where, f"{quoted(str(path))} is in it twice.", "Rename one of them."
            )
        seen.add(path)
    return faults.errors == before


def _extract(opened: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo], target: Path) -> None:
    for entry in entries:
        path = target.joinpath(*PurePosixPath(entry.filename).parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        # zipfile hands out no more bytes than the entry's checked size, and checks its sum.
        with opened.open(entry) as source, path.open("xb") as copy:
            shutil.copyfileobj(source, copy, _BLOCK)


def _campaign_folder(target: Path) -> Path:
    """The unpacked folder, or the one folder that is all there is in it."""
    found = list(target.iterdir())
    return found[0] if len(found) == 1 and found[0].is_dir() else target
