"""Who captioned what: every caption checked and counted, in twelve bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from daplatform.tables import Faults, Kind, Where, count_lines, counted, quoted, suggestion
from hits.importing.limits import Limits
from hits.importing.texts import check_caption, check_name, is_odd
from hits.importing.videos import Clip, Progress

_SAMPLES = 3
_SAMPLE_CHARACTERS = 300
_NAMED = 5  # videos without a caption that a warning names
_STEP = 10_000  # rows between two reports of progress

CaptionRow = tuple[int, Sequence[str]]  # line; video, source and text
Numbers = NDArray[np.int32]


class TableKind(StrEnum):
    """Which side of a campaign's folder captions stand on."""

    SYSTEMS = "systems"
    REFERENCES = "references"


@dataclass(frozen=True)
class CaptionFile:
    """A file of captions, to be read as often as needed. `columns`: of video, system and text."""

    path: Path
    name: str
    table: TableKind
    read: Callable[[Faults], Iterator[CaptionRow]]
    columns: tuple[str, str, str] = ("", "", "")


@dataclass
class Source:
    """A system or a set of human captions, as found in a file."""

    name: str
    table: TableKind
    file: str
    captions: int = 0
    samples: list[str] = field(default_factory=list)


class CaptionIndex:
    """Takes in the files of captions one after the other, then finds what is double or missing."""

    def __init__(
        self,
        videos: list[str],
        faults: Faults,
        limits: Limits,
        *,
        is_partial: bool = False,
        clips: Mapping[str, tuple[Clip, Where]] | None = None,
    ) -> None:
        self.sources: list[Source] = []
        self._videos = videos  # and clips of them, as soon as a caption is about one
        self._clips = {} if clips is None else clips  # which grows while files are read
        self._cut: set[int] = set()  # videos of which there are clips
        self._video_numbers = {name: number for number, name in enumerate(videos)}
        self._source_numbers: dict[TableKind, dict[str, int]] = {table: {} for table in TableKind}
        self._is_partial = is_partial  # some videos could not be read from their list
        self._refused: set[str] = set()  # names told of once, however many captions have them
        self._faults = faults
        self._limits = limits
        self._video_column = array("i")
        self._source_column = array("i")
        self._lines = array("I")
        self._files: list[str] = []
        self._first_rows: list[int] = []  # of each file

    @property
    def columns(self) -> tuple[Numbers, Numbers]:
        """Number of the video and of the source of each caption, in the order of the files."""
        return (
            np.array(self._video_column, dtype=np.int32),
            np.array(self._source_column, dtype=np.int32),
        )

    def enter(self, file: CaptionFile, progress: Progress) -> None:
        """Check every row of a file and remember who said something about what."""
        self._files.append(file.name)
        self._first_rows.append(len(self._lines))
        videos, sources = self._video_numbers, self._source_numbers[file.table]
        room = self._limits.captions - len(self._lines)
        longest = self._limits.caption_characters
        last_line = count_lines(file.path)
        for count, (line, (video, source, text)) in enumerate(file.read(self._faults)):
            if count % _STEP == 0:
                progress(file.name, line, last_line)
            if count == room:
                self._too_many("captions", self._limits.captions, Where(file.name, line))
                break
            # A quick way past ordinary rows; what is new or odd is looked at more closely.
            is_ordinary = video in videos and source in sources and not is_odd(text, longest)
            if not is_ordinary and not self._is_sound(file, line, video, source, text):
                continue
            number = sources[source]
            self._video_column.append(videos[video])
            self._source_column.append(number)
            self._lines.append(line)
            samples = self.sources[number].samples
            if len(samples) < _SAMPLES:
                samples.append(text[:_SAMPLE_CHARACTERS])
        progress(file.name, last_line, last_line)

    def _is_sound(self, file: CaptionFile, line: int, video: str, source: str, text: str) -> bool:
        """Record all faults of a row; make the acquaintance of its source if that is new."""
        where = [Where(file.name, line, column) for column in file.columns]
        before = self._faults.errors
        if video not in self._video_numbers and not self._admit_clip(video):
            self._unknown_video(video, where[0])
        if source not in self._source_numbers[file.table]:
            self._admit(source, file, where[1])
        check_caption(text, self._limits.caption_characters, where[2], self._faults)
        is_known = video in self._video_numbers and source in self._source_numbers[file.table]
        return self._faults.errors == before and is_known

    def _admit_clip(self, name: str) -> bool:
        """Whether it is a clip of a video that is there, first named by this caption."""
        whole = self._clips[name][0].whole if name in self._clips else ""
        if whole not in self._video_numbers:
            return False
        self._cut.add(self._video_numbers[whole])
        self._video_numbers[name] = len(self._videos)
        self._videos.append(name)
        return True

    def _unknown_video(self, video: str, where: Where) -> None:
        if not self._videos or self._is_partial or self._was_refused(video):
            return  # what is wrong with the list is the one fault; captions would repeat it
        video = self._clips[video][0].whole if video in self._clips else video
        is_wasted = self._faults.is_full(Kind.UNKNOWN_VIDEO)
        hint = "" if is_wasted else suggestion(video, self._videos)
        self._faults.error(
            Kind.UNKNOWN_VIDEO,
            where,
            f"{quoted(video)} is not in the list of videos.",
            hint or "Add it there, or correct the name.",
        )

    def _was_refused(self, name: str) -> bool:
        """Whether a name was refused before; as many are remembered as faults are."""
        if name in self._refused:
            return True
        if len(self._refused) < self._limits.faults_per_kind:
            self._refused.add(name)
        return False

    def _admit(self, name: str, file: CaptionFile, where: Where) -> None:
        if name in self._refused:
            return
        if len(self.sources) == self._limits.systems:
            self._too_many("systems", self._limits.systems, where)
        elif check_name(name, self._limits.system_characters, where, self._faults):
            self._source_numbers[file.table][name] = len(self.sources)
            self.sources.append(Source(name, file.table, file.name))
        else:
            self._was_refused(name)

    def _too_many(self, noun: str, limit: int, where: Where) -> None:
        self._faults.error(
            Kind.TOO_MANY, where, f"There are more than {limit:,} {noun}.", "Split the campaign."
        )

    def close(self) -> None:
        """Find captions given twice, and sources that lack captions."""
        if not self._videos:
            return
        self._leave_out_wholes()
        keys = self._keys()
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        is_first = np.diff(keys, prepend=-1) != 0
        for place in np.flatnonzero(~is_first):
            self._duplicate(int(order[place]), int(order[place - 1]))
        keys = keys[is_first]
        counts = np.bincount(keys // len(self._videos), minlength=len(self.sources))
        ends = np.cumsum(counts)
        for source, begin, end in zip(self.sources, ends - counts, ends, strict=True):
            source.captions = int(end - begin)
            self._warn_of_missing(source, keys[begin:end] % len(self._videos))

    def _leave_out_wholes(self) -> None:
        """A video of which only clips are shown is not shown itself."""
        cut = sorted(self._cut)
        used = np.bincount(self.columns[0], minlength=len(self._videos)) > 0
        used |= ~np.isin(np.arange(len(used)), cut)
        if used.all():
            return
        moved = np.cumsum(used) - 1
        self._cut = set(moved[[number for number in cut if used[number]]].tolist())
        self._video_column = array("i", moved[self.columns[0]].tolist())
        self._videos[:] = [
            name for name, is_shown in zip(self._videos, used, strict=True) if is_shown
        ]

    def _keys(self) -> NDArray[np.int64]:
        """One number for each video and source, all videos of a source next to each other."""
        video, source = self.columns
        return source.astype(np.int64) * len(self._videos) + video

    def _duplicate(self, row: int, earlier: int) -> None:
        video = self._videos[self._video_column[row]]
        source = self.sources[self._source_column[row]].name
        self._faults.error(
            Kind.DUPLICATE_CAPTION,
            self._where(row),
            f"{quoted(source)} has a caption for video {quoted(video)} already "
            f"({self._where(earlier)}).",
            "Keep one of them.",
        )

    def _where(self, row: int) -> Where:
        file = self._files[bisect_right(self._first_rows, row) - 1]
        return Where(file, self._lines[row])

    def _warn_of_missing(self, source: Source, videos: NDArray[np.int64]) -> None:
        is_missing = np.ones(len(self._videos), dtype=bool)
        is_missing[videos] = False
        is_missing[sorted(self._cut)] = False  # most is said of its clips
        missing = np.flatnonzero(is_missing)
        if not missing.size or self._faults.has_errors(source.file):
            return
        names = ", ".join(quoted(self._videos[number]) for number in missing[:_NAMED])
        self._faults.warning(
            Kind.MISSING_CAPTIONS,
            Where(source.file),
            f"{quoted(source.name)} has no caption for {missing.size:,} of "
            f"{counted(len(self._videos), 'video')}: {names}{', …' * (missing.size > _NAMED)}.",
            "Its score will be based on fewer captions.",
        )
