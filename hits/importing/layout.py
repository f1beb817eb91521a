"""What both layouts of a campaign's folder come down to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from daplatform.tables import Faults, Kind, Where, quoted, shown, suggestion
from hits.importing.caption_index import CaptionFile, TableKind
from hits.importing.settings import Settings
from hits.importing.videos import Video

_HARMLESS = ("readme", "license", "licence", "copying", ".")  # beginnings of file names


@dataclass(frozen=True)
class Layout:
    """A folder understood, its captions not yet read. `files` are all that it is read from."""

    settings: Settings
    videos: list[Video]
    videos_file: str
    captions: list[CaptionFile]
    files: dict[str, Path]
    humans: frozenset[str]  # sources that are ranked although people wrote them
    human_tables: tuple[TableKind, ...]  # where these may be


def warn_of_unused(root: Path, layout: Layout, faults: Faults) -> None:
    """A file that nothing was read from may be one whose name was mistyped."""
    used = {path.name for path in layout.files.values()} | {video.file for video in layout.videos}
    for path in sorted(root.iterdir()):
        is_harmless = path.name.casefold().startswith(_HARMLESS) or path.name in used
        if path.is_file() and not is_harmless and not _is_offered(path.name, faults):
            faults.warning(
                Kind.UNUSED_FILE,
                Where(shown(path.name)),
                "Nothing is read from this file.",
                suggestion(path.name, layout.files) or "Delete it, or leave it.",
            )


def _is_offered(name: str, faults: Faults) -> bool:
    """Whether the fault of a missing file asks for this one to be renamed."""
    return any(fault.kind is Kind.MISSING_FILE and quoted(name) in fault.remedy for fault in faults)
