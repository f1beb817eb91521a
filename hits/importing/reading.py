"""From a folder or a zip to checked rows: the whole of a campaign, or all that is wrong with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from daplatform.tables import (
    SUFFIXES,
    Columns,
    Faults,
    Kind,
    Where,
    find_table,
    is_readable,
    read_table,
    sha256_of,
    shown,
)
from hits.importing.archives import unpack
from hits.importing.caption_index import (
    CaptionFile,
    CaptionIndex,
    CaptionRow,
    Numbers,
    TableKind,
)
from hits.importing.clips import TIMES, Clips
from hits.importing.limits import LIMITS, Limits
from hits.importing.marks import STEM, read_marks
from hits.importing.roles import Layout, System, assign_roles, check_tutorial, warn_of_unused
from hits.importing.settings import FILE, Settings, read_settings
from hits.importing.texts import check_name
from hits.importing.trecvid import is_trecvid, read_trecvid
from hits.importing.videos import Progress, Video, inspect_videos, is_short_list, list_videos
from hits.protocols.filling import FilledMark

# Faults of a list that leave out a row of it.
LOSES_VIDEOS = (
    Kind.NAME, Kind.CONTROL_CHARACTER, Kind.LONG_TEXT, Kind.FIELD_COUNT, Kind.QUOTING,
    Kind.LONG_LINE, Kind.JSON, Kind.NOT_TEXT, Kind.MISSING_COLUMN, Kind.TOO_MANY, Kind.ENCODING,
)  # fmt: skip
_VIDEOS = Columns(required=("video",), either=("path", "url"))
_CAPTIONS = {
    TableKind.SYSTEMS: ("captions", ("video", "system", "caption")),
    TableKind.REFERENCES: ("references", ("video", "source", "caption")),
}
# What stands for the captions of videos that people are to describe: a system and its words.
TO_DESCRIBE = ("to be described", "This video is to be described.")


class FileChanged(ValueError):
    """A file is no longer what was checked; the message says which."""


class Caption(NamedTuple):
    """What one system says of one video, both by name."""

    video: str
    system: str
    text: str


@dataclass(frozen=True)
class Reading:
    """A campaign's files, checked.

    `video` and `system` hold, for every caption in the order of `captions()`, the place of its
    video in `videos` and of its system in `systems`. They are of use only without errors.
    """

    root: Path
    settings: Settings
    videos: tuple[Video, ...]
    systems: tuple[System, ...]
    video: Numbers
    system: Numbers
    faults: Faults
    digest: str  # of everything read, so that the same campaign is not imported twice
    _files: tuple[CaptionFile, ...]
    _digests: Mapping[str, str]
    marks: Mapping[tuple[str, str], Sequence[FilledMark]] = field(default_factory=dict)
    """Filled in before anybody sees the caption, by video and system."""

    @property
    def is_sound(self) -> bool:
        """Whether there are no errors; warnings do not count."""
        return not self.faults.errors

    @property
    def control(self) -> System | None:
        return next((system for system in self.systems if system.is_control), None)

    def captions(self) -> Iterator[Caption]:
        """Every caption, read from the files once more, so that a million need no memory.

        Raises ValueError when there are errors, and FileChanged when a file is no longer what was
        checked. That is looked at before and after: if it changes while it is read, some captions
        have been handed out already, and whatever was written must be undone.
        """
        if not self.is_sound:
            raise ValueError("captions: a campaign with errors has none to give")
        for file in self._files:
            self._require_unchanged(file)
            for _, (video, system, text) in file.read(Faults()):
                yield Caption(video, system, text)
            self._require_unchanged(file)

    def _require_unchanged(self, file: CaptionFile) -> None:
        if sha256_of(file.path) != self._digests[file.name]:
            raise FileChanged(f"{file.name} has changed since it was checked")


def read_campaign(
    source: Path,
    *,
    workspace: Path | None = None,
    name: str = "",
    needs_videos: bool = True,
    limits: Limits = LIMITS,
    progress: Progress = lambda what, done, total: None,
) -> Reading:
    """Check a campaign's folder or zip and find every fault in it; nothing is raised over content.

    Parameters
    ----------
    source
        A folder in the platform's or in TRECVID's layout, or a zip of one.
    workspace
        An empty folder for unpacking a zip; it must live as long as the result is used.
    name
        What to call a campaign that does not say so itself; the folder's name by default.
    needs_videos
        Whether the videos will be shown: if not, video files are not looked for or opened.
    progress
        Called with what is being read, how much of it is done, and of how much.
    """
    faults = Faults(limits.faults_per_kind)
    root = _root(source, workspace, faults, limits)
    if root is None:
        return _nothing(source, faults)
    default_name = source.stem if root == workspace else root.resolve().name
    clips = Clips(faults)
    layout = _layout(root, faults, limits, clips, needs_videos=needs_videos)
    names = [video.name for video in layout.videos]
    is_partial = faults.has_errors(layout.videos_file, LOSES_VIDEOS)
    index = CaptionIndex(names, faults, limits, is_partial=is_partial, clips=clips.found)
    digests = _digests(layout.files)
    for file in layout.captions:
        index.enter(file, progress)
    index.close()
    systems = assign_roles(layout, index.sources, faults)
    check_tutorial(layout, faults)
    marks = _marks(layout, faults, limits)
    warn_of_unused(root, layout, faults)
    videos = layout.videos
    if needs_videos:
        videos = inspect_videos(videos, root, layout.videos_file, faults, progress)
    videos = clips.shown(videos, names)
    video, system = index.columns
    return Reading(
        root=root,
        settings=_named(layout.settings, name or default_name, faults, limits),
        videos=tuple(videos),
        systems=tuple(systems),
        video=video,
        system=system,
        faults=faults,
        digest=_digest(digests, videos),
        _files=tuple(layout.captions),
        _digests=digests,
        marks=marks,
    )


def _root(source: Path, workspace: Path | None, faults: Faults, limits: Limits) -> Path | None:
    is_open = os.access(source, os.R_OK)
    if is_open and source.is_dir():
        return source
    if not is_open or not source.is_file():
        faults.error(
            Kind.MISSING_FILE,
            Where(shown(source.name)),
            "This folder or zip does not exist or cannot be read.",
            "Check the path.",
        )
        return None
    if workspace is None:
        raise ValueError("workspace: a folder is needed to unpack a zip")
    return unpack(source, workspace, faults, limits)


def _nothing(source: Path, faults: Faults) -> Reading:
    """The reading of what could not be opened at all."""
    none = np.zeros(0, dtype=np.int32)
    return Reading(source, Settings(), (), (), none, none, faults, "", (), {})


def _layout(
    root: Path, faults: Faults, limits: Limits, clips: Clips, *, needs_videos: bool
) -> Layout:
    has_tables = any((root / f"captions{suffix}").exists() for suffix in SUFFIXES)
    if not is_trecvid(root):
        return read_folder(root, faults, limits, clips)
    if not has_tables:
        return read_trecvid(root, faults, limits, needs_videos=needs_videos)
    faults.error(
        Kind.AMBIGUOUS_FILE,
        Where("systems/"),
        "There are both a table of captions and the folder systems/.",
        "Keep one of the two layouts.",
    )
    return read_folder(root, faults, limits, clips)


def _named(settings: Settings, name: str, faults: Faults, limits: Limits) -> Settings:
    """The settings with a name; only TRECVID's layout allows them to come without one."""
    if settings.name or not name:
        return settings
    check_name(name, limits.name_characters, Where(FILE, None, "name"), faults)
    return replace(settings, name=name)


def _marks(
    layout: Layout, faults: Faults, limits: Limits
) -> Mapping[tuple[str, str], Sequence[FilledMark]]:
    """What marks.csv says, if there is one; the captions it names are read a second time."""
    path = next((path for path in layout.files.values() if path.stem == STEM), None)

    def texts(wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
        rows = (row for file in layout.captions for _, row in file.read(Faults()))
        return {(row[0], row[1]): row[2] for row in rows if (row[0], row[1]) in wanted}

    return read_marks(path, layout.settings.asked, texts, faults, limits) if path else {}


def _digests(files: Mapping[str, Path]) -> dict[str, str]:
    """Of each file that is there and can be read; where one should be, its lack is a fault."""
    readable = {label: path for label, path in files.items() if os.access(path, os.R_OK)}
    return {label: sha256_of(path) for label, path in readable.items() if path.is_file()}


def _digest(digests: Mapping[str, str], videos: Iterable[Video]) -> str:
    """One digest over the names and contents of all files, in an order of its own."""
    entries = [*digests.items(), *((video.file, video.sha256) for video in videos if video.sha256)]
    lines = "".join(f"{digest} {label}\n" for label, digest in sorted(entries))
    return hashlib.sha256(lines.encode(errors="backslashreplace")).hexdigest()


def read_folder(root: Path, faults: Faults, limits: Limits, clips: Clips) -> Layout:
    """Settings and videos of a folder, and where its captions are."""
    settings = _settings(root, faults, limits)
    stems = ("videos",) if settings.asked.writes else ("videos", "captions", "references")
    tables = {stem: find_table(root, stem, faults) for stem in stems}
    if any((root / f"{STEM}{suffix}").exists() for suffix in SUFFIXES):
        tables[STEM] = find_table(root, STEM, faults)
    found = {path.name: path for path in tables.values() if path is not None}
    videos_path = tables["videos"]
    videos = _videos(videos_path, faults, limits) if videos_path else []
    captions = [
        _caption_file(path, table, columns, limits, clips)
        for table, (stem, columns) in _CAPTIONS.items()
        if (path := tables.get(stem))
    ]
    if settings.asked.writes and videos_path:
        captions = [_to_describe(videos_path, videos)]
    return Layout(
        settings=settings,
        videos=videos,
        videos_file=videos_path.name if videos_path else "videos.csv",
        captions=captions,
        files={FILE: root / FILE, **found},
        humans=frozenset(settings.human),
        human_tables=(TableKind.REFERENCES,),
    )


def _settings(root: Path, faults: Faults, limits: Limits) -> Settings:
    if not (root / FILE).exists():
        faults.error(
            Kind.MISSING_FILE,
            Where(FILE),
            "There is no such file.",
            'Add it, with the lines name = "…" and control = "…".',
        )
        return Settings()
    if not is_readable(root / FILE, FILE, faults):
        return Settings()
    return read_settings(root / FILE, faults, limits, required=("name", "control"))


def _videos(path: Path, faults: Faults, limits: Limits) -> list[Video]:
    if not is_short_list(path, faults, limits):
        return []
    rows = read_table(path, _VIDEOS, faults, limits)
    return list_videos(
        ((line, name, file, url) for line, (name, file, url) in rows), path.name, faults, limits
    )


def _to_describe(path: Path, videos: list[Video]) -> CaptionFile:
    """A caption for each video of the list, so that its page has a place in a HIT."""
    rows = [(video.line, (video.name, *TO_DESCRIBE)) for video in videos]
    return CaptionFile(path, path.name, TableKind.SYSTEMS, lambda faults: iter(rows))


def _caption_file(
    path: Path, table: TableKind, columns: tuple[str, str, str], limits: Limits, clips: Clips
) -> CaptionFile:
    wanted = Columns(required=columns, optional=TIMES)

    def read(faults: Faults) -> Iterator[CaptionRow]:
        return replace(clips, faults=faults).named(
            read_table(path, wanted, faults, limits), path.name
        )

    return CaptionFile(path, path.name, table, read, columns)
