"""Captions about some seconds of a long video: what is shown is the clip between two times.

A clip is a video of its own that has the file of another. So composing, rating and scoring know
nothing of parts: they deal with videos.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from daplatform.tables import Faults, Kind, Where, quoted
from hits.importing.videos import Clip, Video

TIMES = ("start", "end", "part")
SLACK = 0.5  # seconds by which containers and captions disagree about where a video ends
_LONGEST_PART = 100
Row = tuple[int, Sequence[str]]


@dataclass
class Clips:
    """Those that rows of captions and references name, by the name they are shown under."""

    faults: Faults
    found: dict[str, tuple[Clip, Where]] = field(default_factory=dict)
    _parts: dict[tuple[str, str], Clip] = field(default_factory=dict)

    def named(self, rows: Iterator[Row], file: str) -> Iterator[Row]:
        """The rows with the name of what each is about; those with wrong times are left out."""
        for line, (video, source, text, *times) in rows:
            if not any(times):
                yield line, (video, source, text)
            elif name := self._named(video, times, Where(file, line, "start")):
                yield line, (name, source, text)

    def _named(self, video: str, times: Sequence[str], where: Where) -> str:
        start, end, part = times
        try:
            clip = Clip(video, part.strip(), float(start), float(end))
        except ValueError:
            clip = Clip(video, part, math.nan, math.nan)
        if not 0 <= clip.start < clip.end < math.inf:
            message = f"start and end are {quoted(start)} and {quoted(end)}, which are no times."
            remedy = "Write both in seconds, the start before the end, or leave all three empty."
            self.faults.error(Kind.VALUE, where, message, remedy)
            return ""
        if not self._is_named_well(clip, where):
            return ""
        return clip.name if self.found.setdefault(clip.name, (clip, where)) else ""

    def _is_named_well(self, clip: Clip, where: Where) -> bool:
        """Whether its part is short, and the same seconds wherever it is named."""
        first = self._parts.setdefault((clip.whole, clip.part), clip) if clip.part else clip
        if len(clip.part) > _LONGEST_PART or not (clip.part.isprintable()):
            message = f"part is {quoted(clip.part)}, which is no name."
            self.faults.error(Kind.NAME, where, message, "Write a number or a short name.")
            return False
        if (first.start, first.end) != (clip.start, clip.end):
            message = (
                f"Part {quoted(clip.part)} of {quoted(clip.whole)} is {first.seconds} elsewhere."
            )
            self.faults.error(
                Kind.VALUE, where, message, "Give it the same times, or another name."
            )
            return False
        return True

    def shown(self, wholes: Sequence[Video], names: Sequence[str]) -> list[Video]:
        """Videos and clips in the order of their names; a clip has the file of its video."""
        by_name = {video.name: video for video in wholes}
        return [by_name.get(name) or self._cut(by_name, name) for name in names]

    def _cut(self, by_name: dict[str, Video], name: str) -> Video:
        clip, where = self.found[name]
        whole = by_name[clip.whole]
        seconds = whole.facts.duration if whole.facts else None
        if whole.facts and whole.facts.is_image:
            message = f"{quoted(whole.name)} is an image, which has no seconds."
            self.faults.error(Kind.VALUE, where, message, "Leave start, end and part empty.")
        elif seconds is not None and clip.end > seconds + SLACK:
            message = (
                f"The clip ends at {clip.end:g} s, and {quoted(whole.name)} at {seconds:.1f} s."
            )
            self.faults.error(Kind.VALUE, where, message, "Correct the times, or the video.")
        return replace(whole, name=name, clip=clip)
