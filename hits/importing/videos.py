"""The videos of a campaign: their names, where they are, and what is in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from daplatform.tables import Faults, Kind, Where, counted, quoted, sha256_of
from hits.importing.limits import Limits
from hits.importing.locations import check_address, check_path, find_file
from hits.importing.sandbox import Prober, UnreadableVideo, VideoFacts
from hits.importing.texts import check_name

VideoRow = tuple[int, str, str, str]  # line, name, path, url: one of the last two is empty
Progress = Callable[[str, int, int], None]  # what is being done, how much of it, of how much


@dataclass(frozen=True, slots=True)
class Clip:
    """Some seconds of a video."""

    whole: str  # the video's name
    part: str  # what the files call it, if anything
    start: float
    end: float

    @property
    def seconds(self) -> str:
        return f"{self.start:g}–{self.end:g} s"

    @property
    def name(self) -> str:
        """
        >>> Clip("cooking", "2", 10.5, 20).name
        'cooking (10.5–20 s)'
        """
        return f"{self.whole} ({self.seconds})"


@dataclass(frozen=True, slots=True)
class Video:
    """A video as listed; `facts` and `sha256` are known of files once they were looked into."""

    name: str
    file: str  # path from the campaign's folder, or empty
    url: str
    line: int
    facts: VideoFacts | None = None
    sha256: str = ""
    clip: Clip | None = None  # if only some seconds of the file are shown

    @property
    def seconds(self) -> float | None:
        """How long it takes to watch, as far as that is known."""
        if self.clip:
            return self.clip.end - self.clip.start
        return self.facts.duration if self.facts else None


def list_videos(
    rows: Iterable[VideoRow],
    file: str,
    faults: Faults,
    limits: Limits,
    columns: tuple[str, str, str] = ("video", "path", "url"),
) -> list[Video]:
    """The videos of a table; the files are not yet opened.

    A video whose location is wrong stays in the list without one: it is one fault, and the
    captions of the video should not all be faults as well.
    """
    videos: dict[str, Video] = {}
    for line, name, path, url in rows:
        where = Where(file, line, columns[0])
        if len(videos) == limits.videos:
            _too_many(where, faults, limits)
            break
        if name in videos:
            faults.error(
                Kind.DUPLICATE_VIDEO,
                where,
                f"{quoted(name)} is already on line {videos[name].line}.",
                "Give each video one row.",
            )
        elif check_name(name, limits.name_characters, where, faults):
            place = Where(file, line, columns[2 if url else 1])
            is_sound = _check_location(path, url, place, faults, limits)
            videos[name] = Video(name, path, url, line) if is_sound else Video(name, "", "", line)
    if not videos and not faults.has_errors(file):
        faults.error(Kind.MISSING_VIDEO, Where(file), "There are no videos.", "List them here.")
    _warn_of_repeats(videos.values(), file, faults)
    _warn_of_plain_http(videos.values(), file, faults)
    return list(videos.values())


def is_short_list(path: Path, faults: Faults, limits: Limits) -> bool:
    """Whether a list of videos can be held in memory."""
    size = path.stat().st_size
    if size > limits.videos_bytes:
        faults.error(
            Kind.TOO_MANY,
            Where(path.name),
            f"The list has {size:,} bytes; {limits.videos_bytes:,} are allowed.",
            "Split the campaign.",
        )
    return size <= limits.videos_bytes


def _too_many(where: Where, faults: Faults, limits: Limits) -> None:
    faults.error(
        Kind.TOO_MANY,
        where,
        f"There are more than {limits.videos:,} videos.",
        "Split the campaign.",
    )


def _check_location(path: str, url: str, where: Where, faults: Faults, limits: Limits) -> bool:
    if bool(path) == bool(url):
        number = "both a path and" if path else "neither a path nor"
        faults.error(
            Kind.PATH, where, f"The video has {number} an address.", "Give one of the two."
        )
        return False
    if url:
        return check_address(url, limits.address_characters, where, faults)
    return check_path(path, where, faults)


def _warn_of_repeats(videos: Iterable[Video], file: str, faults: Faults) -> None:
    seen: dict[str, Video] = {}
    for video in videos:
        location = video.file or video.url
        first = seen.setdefault(location, video)
        if location and first is not video:
            faults.warning(
                Kind.REPEATED_VIDEO_FILE,
                Where(file, video.line),
                f"{quoted(video.name)} uses the same file as {quoted(first.name)}.",
                "Check that this is intended.",
            )


def _warn_of_plain_http(videos: Iterable[Video], file: str, faults: Faults) -> None:
    plain = [video for video in videos if video.url.lower().startswith("http:")]
    if plain:
        faults.warning(
            Kind.ADDRESS,
            Where(file, plain[0].line),
            f"{counted(len(plain), 'address')} with http: browsers may refuse to load "
            "such a video into a secure page.",
            "Use https where the host offers it.",
        )


def inspect_videos(
    videos: Sequence[Video], root: Path, file: str, faults: Faults, progress: Progress
) -> list[Video]:
    """The same videos with facts and digests of their files, and a fault for each that fails."""
    inspected = []
    with Prober() as prober:
        for number, video in enumerate(videos, start=1):
            inspected.append(_inspect(video, root, file, faults, prober) if video.file else video)
            progress("videos", number, len(videos))
    return inspected


def _inspect(video: Video, root: Path, file: str, faults: Faults, prober: Prober) -> Video:
    where = Where(file, video.line)
    path = find_file(root, video.file, where, faults)
    if path is None:
        return video
    if path.stat().st_size == 0:
        _video_fault(Kind.EMPTY_VIDEO, video, where, "the file is empty", faults)
        return video
    try:
        facts = prober.probe(path)
    except UnreadableVideo as error:
        _video_fault(Kind.UNREADABLE_VIDEO, video, where, str(error), faults)
        return video
    if facts.duration <= 0 and not facts.is_image:
        _video_fault(Kind.EMPTY_VIDEO, video, where, "its duration is zero", faults)
    elif facts.unplayable:
        faults.warning(
            Kind.UNPLAYABLE_VIDEO,
            where,
            f"{quoted(video.file)}: {facts.unplayable}.",
            "Nothing: it is converted after the import, and the original is kept.",
        )
    return replace(video, facts=facts, sha256=sha256_of(path))


def _video_fault(kind: Kind, video: Video, where: Where, problem: str, faults: Faults) -> None:
    faults.error(kind, where, f"{quoted(video.file)}: {problem}.", "Make the file again.")
