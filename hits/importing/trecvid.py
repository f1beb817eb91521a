"""The layout of the TRECVID video-to-text task: one file a system, one line a video.

    systems/     a file for each system, and for each set of human captions ranked as one
    references/  a file for each set of human captions
    urls         an address or a path on each line

Line n of every file is about the video named n, counted from 1. The name of a system is what
follows the language pair in names like trecvid19-vtt.en-en.FDU, "ref" for names like
trecvid19-vtt-enen-ref.en, and otherwise the name of the file without .txt.

campaign.toml may be there. Without it the campaign is called like its folder; the control set is
the first set of references, by file name, that is not ranked; and ranked as human are the files of
systems/ whose names begin with "human" or that references/ holds as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

from daplatform.tables import (
    Faults,
    Kind,
    Where,
    count_lines,
    counted,
    is_readable,
    quoted,
    read_lines,
    shown,
)
from hits.importing.caption_index import CaptionFile, CaptionRow, TableKind
from hits.importing.limits import Limits
from hits.importing.locations import is_address
from hits.importing.roles import Layout
from hits.importing.settings import FILE, Settings, read_settings
from hits.importing.videos import Video, VideoRow, is_short_list, list_videos

URLS = "urls"
_NAMES = (
    re.compile(r".+?\.[a-z]{2}-[a-z]{2}\.(?P<name>.+)"),
    re.compile(r".+-(?P<name>ref)\.[a-z]{2}"),
    re.compile(r"(?P<name>.+)\.txt"),
)

TableFiles = Mapping[TableKind, Mapping[str, Path]]


def is_trecvid(root: Path) -> bool:
    """Whether a folder is laid out as TRECVID does."""
    return (root / TableKind.SYSTEMS).is_dir()


def system_name(file: str) -> str:
    """
    >>> system_name("trecvid16-vtt.en-en.DCU-adapt"), system_name("trecvid16-vtt-enen-ref.en")
    ('DCU-adapt', 'ref')
    """
    for pattern in _NAMES:
        if match := pattern.fullmatch(file):
            return match["name"]
    return file


def read_trecvid(root: Path, faults: Faults, limits: Limits, *, needs_videos: bool) -> Layout:
    """Settings and videos of a folder, and where its captions are.

    With `needs_videos` false, `urls` may be missing: the videos are then known by number only.
    """
    tables = {table: _table_files(root, table, faults) for table in TableKind}
    twice = tables[TableKind.SYSTEMS].keys() & tables[TableKind.REFERENCES].keys()
    for name in sorted(twice):
        _check_copies(name, tables, faults, limits)
    settings, humans = _settings(root, tables, faults, limits)
    videos, basis = _videos(root, tables, faults, limits, needs_videos=needs_videos)
    return Layout(
        settings=settings,
        videos=videos,
        videos_file=URLS,
        captions=[
            CaptionFile(
                path, file, table, partial(_rows, path, file, name, len(videos), basis, limits)
            )
            for table, files in tables.items()
            for name, path in files.items()
            if (file := _label(path)) and not (table is TableKind.REFERENCES and name in twice)
        ],
        files={_label(path): path for files in tables.values() for path in files.values()}
        | {name: root / name for name in (FILE, URLS)},
        humans=humans | twice,
        human_tables=tuple(TableKind),
    )


def _label(path: Path) -> str:
    return f"{path.parent.name}/{shown(path.name)}"


def _table_files(root: Path, table: TableKind, faults: Faults) -> dict[str, Path]:
    """The files of a folder by the name of their system, in the order of file names."""
    folder = root / table
    if folder.is_symlink() or not folder.is_dir():
        faults.error(
            Kind.MISSING_FILE,
            Where(f"{table}/"),
            "There is no such folder.",
            f"Make it, with a file of captions for each of the {table}.",
        )
        return {}
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        name = system_name(path.name)
        if path.name.startswith(".") or not is_readable(path, _label(path), faults):
            continue
        if name in files:
            faults.error(
                Kind.SHARED_NAME,
                Where(_label(path)),
                f"{_label(files[name])} is of the same system, {quoted(name)}.",
                "Rename one of them.",
            )
        else:
            files[name] = path
    return files


def _check_copies(name: str, tables: TableFiles, faults: Faults, limits: Limits) -> None:
    """One set of human captions may be in both folders, to be ranked, if it says the same there."""
    paths = [files[name] for files in tables.values()]
    silent = Faults(kept=0)  # the first copy's own faults are found when it is read
    texts = [read_lines(path, "", silent, limits) for path in paths]
    for number, lines in enumerate(zip_longest(*texts, fillvalue=""), start=1):
        if len({line.rstrip("\r\n") for line in lines}) > 1:
            faults.error(
                Kind.SHARED_NAME,
                Where(_label(paths[1]), number),
                f"This differs from {_label(paths[0])}, which has the same name.",
                "Rename one of the files, or make them equal.",
            )
            return


def _settings(
    root: Path, tables: TableFiles, faults: Faults, limits: Limits
) -> tuple[Settings, frozenset[str]]:
    """The settings, completed where campaign.toml is silent, and the sources ranked as human."""
    settings = Settings()
    if (root / FILE).exists() and is_readable(root / FILE, FILE, faults):
        settings = read_settings(root / FILE, faults, limits)
    systems, references = tables[TableKind.SYSTEMS], tables[TableKind.REFERENCES]
    humans = settings.human or [name for name in systems if name.casefold().startswith("human")]
    free = [name for name in references if name not in humans and name not in systems]
    if not settings.control and references and not free:
        faults.error(
            Kind.SETTING,
            Where("references/"),
            "Every set of references is ranked as human, so none can be the control set.",
            "Add a set of human captions that is not in systems/.",
        )
    control = settings.control or (free or [""])[0]
    return replace(settings, control=control, human=tuple(humans)), frozenset(humans)


def _videos(
    root: Path, tables: TableFiles, faults: Faults, limits: Limits, *, needs_videos: bool
) -> tuple[list[Video], str]:
    """The videos, and the name of the file that says how many there are."""
    path = root / URLS
    if path.exists() or path.is_symlink():
        if not is_readable(path, URLS, faults) or not is_short_list(path, faults, limits):
            return [], URLS
        rows = _locations(path, faults, limits)
        return list_videos(rows, URLS, faults, limits, columns=("", "", "")), URLS
    (faults.error if needs_videos else faults.warning)(
        Kind.MISSING_FILE,
        Where(URLS),
        "This file is missing, so only the number of videos is known.",
        "Write the address or path of each video on a line of its own.",
    )
    paths = [*tables[TableKind.REFERENCES].values(), *tables[TableKind.SYSTEMS].values()]
    if not paths:
        return [], URLS
    first = paths[0]
    lines = min(count_lines(first), limits.videos)
    return [Video(str(line), "", "", line) for line in range(1, lines + 1)], _label(first)


def _locations(path: Path, faults: Faults, limits: Limits) -> Iterator[VideoRow]:
    for number, line in enumerate(read_lines(path, URLS, faults, limits), start=1):
        location = line.strip()
        is_url = is_address(location)
        yield number, str(number), "" if is_url else location, location if is_url else ""


def _rows(
    path: Path, file: str, system: str, videos: int, basis: str, limits: Limits, faults: Faults
) -> Iterator[CaptionRow]:
    number = 0
    for number, line in enumerate(read_lines(path, file, faults, limits), start=1):
        if line and number <= videos:
            yield number, (str(number), system, line.removesuffix("\n").removesuffix("\r"))
    if videos and number != videos:  # that there are none is a fault of its own
        faults.error(
            Kind.LINE_COUNT,
            Where(file, number or None),
            f"There are {counted(number, 'line')} here and {videos:,} in {basis}.",
            "Line n must be about video n in every file.",
        )
