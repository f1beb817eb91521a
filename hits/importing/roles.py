"""A folder understood: what each source of captions is for (PROTOCOL §1), and what is unused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from daplatform.tables import Faults, Kind, Where, counted, quoted, shown, suggestion
from hits.importing.caption_index import CaptionFile, Source, TableKind
from hits.importing.settings import FILE, Settings
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


def check_tutorial(layout: Layout, faults: Faults) -> None:
    """Its videos are the campaign's."""
    names = {video.name for video in layout.videos}
    for lesson in layout.settings.questions.get("tutorial", ()) if names else ():
        video = lesson.get("video")
        if video is not None and video not in names:
            faults.error(
                Kind.SETTING,
                Where(FILE, None, "tutorial"),
                f"{quoted(video)}, of the tutorial, is not in the list of videos.",
                suggestion(video, names) or "Name a video of the list.",
            )


def _is_offered(name: str, faults: Faults) -> bool:
    """Whether the fault of a missing file asks for this one to be renamed."""
    return any(fault.kind is Kind.MISSING_FILE and quoted(name) in fault.remedy for fault in faults)


_FEWEST_CONTROLS = 2  # a caption is degraded with words from the caption of another video


class Role(StrEnum):
    """What the captions of a system are for."""

    CANDIDATE = "candidate"
    HUMAN = "human"
    REFERENCE = "reference"


@dataclass(frozen=True)
class System:
    """A source of captions: what it is for, how many it has, and the first few of them."""

    name: str
    role: Role
    is_control: bool
    captions: int
    samples: tuple[str, ...]
    team: str = ""
    is_primary: bool = True
    is_rated: bool = True


def assign_roles(layout: Layout, sources: Sequence[Source], faults: Faults) -> list[System]:
    """The systems of the campaign; roles that are missing or contradict each other are faults."""
    _check_shared_names(sources, faults)
    _check_candidates(layout, sources, faults)
    _check_teams(layout, sources, faults)
    if _are_references_known(layout, sources, faults):
        _check_humans(layout, sources, faults)
        _check_control(layout, sources, faults)
    return [_system(source, layout) for source in sources]


def _are_references_known(layout: Layout, sources: Sequence[Source], faults: Faults) -> bool:
    """Whether to speak of the references: a file that could not be read was told of already."""
    files = [file.name for file in layout.captions if file.table is TableKind.REFERENCES]
    is_read = bool(_names(sources, TableKind.REFERENCES)) or not any(map(faults.has_errors, files))
    return bool(files) and is_read


def _system(source: Source, layout: Layout) -> System:
    is_reference = source.table is TableKind.REFERENCES
    role = Role.REFERENCE if is_reference else Role.CANDIDATE
    if source.name in layout.humans:
        role = Role.HUMAN
    is_control = role is Role.REFERENCE and source.name == layout.settings.control
    teams = layout.settings.teams
    team = next((team for team, runs in teams.items() if source.name in runs), "")
    is_primary = not team or teams[team][0] == source.name
    return System(
        source.name,
        role,
        is_control,
        source.captions,
        tuple(source.samples),
        team,
        is_primary,
        is_primary or not layout.settings.one_run_per_team,
    )


def _names(sources: Sequence[Source], table: TableKind) -> list[str]:
    return [source.name for source in sources if source.table is table]


def _check_shared_names(sources: Sequence[Source], faults: Faults) -> None:
    systems = set(_names(sources, TableKind.SYSTEMS))
    for source in sources:
        if source.table is TableKind.REFERENCES and source.name in systems:
            faults.error(
                Kind.SHARED_NAME,
                Where(source.file),
                f"{quoted(source.name)} is the name of a system as well.",
                "Rename one of them.",
            )


def _check_candidates(layout: Layout, sources: Sequence[Source], faults: Faults) -> None:
    files = [file.name for file in layout.captions if file.table is TableKind.SYSTEMS]
    if files and not _names(sources, TableKind.SYSTEMS) and not any(map(faults.has_errors, files)):
        faults.error(
            Kind.MISSING_CAPTIONS,
            Where(files[0]),
            "No system has a caption, so there is nothing to rank.",
            "Add the captions of at least one system.",
        )


def _check_teams(layout: Layout, sources: Sequence[Source], faults: Faults) -> None:
    names = _names(sources, TableKind.SYSTEMS)
    if any(faults.has_errors(file.name) for file in layout.captions):
        return
    for team, runs in layout.settings.teams.items():
        for run in runs:
            if run not in names:
                faults.error(
                    Kind.SETTING,
                    Where(FILE, None, "teams"),
                    f"{quoted(run)}, a run of {quoted(team)}, is not among the systems.",
                    suggestion(run, names) or "Name a system that has captions.",
                )


def _check_humans(layout: Layout, sources: Sequence[Source], faults: Faults) -> None:
    """In TRECVID's layout `humans` names files of either folder; elsewhere only references."""
    known = {source.name for source in sources if source.table in layout.human_tables}
    where = Where(FILE, None, "human")
    for name in sorted(layout.humans - known):
        faults.error(
            Kind.SETTING,
            where,
            f"{quoted(name)} is not among the references.",
            suggestion(name, known) or "Name a source that has captions there.",
        )
    if layout.settings.control in layout.humans:
        faults.error(
            Kind.SETTING,
            where,
            f"{quoted(layout.settings.control)} is the control set and cannot be ranked too.",
            "Choose another control set, or do not rank it.",
        )


def _check_control(layout: Layout, sources: Sequence[Source], faults: Faults) -> None:
    """Without a control set there is no quality control."""
    control, pairs = layout.settings.control, layout.settings.hits.pairs
    where = Where(FILE, None, "control")
    names = _names(sources, TableKind.REFERENCES)
    if control and control not in names:
        faults.error(
            Kind.SETTING,
            where,
            f"The control set {quoted(control)} is not among the references.",
            suggestion(control, names) or "Name a source that has captions there.",
        )
        return
    controls = [source for source in sources if source.name == control]
    captions = sum(source.captions for source in controls)
    is_whole = layout.videos and not any(faults.has_errors(source.file) for source in controls)
    if control and pairs and is_whole and captions < _FEWEST_CONTROLS:
        faults.error(
            Kind.MISSING_CAPTIONS,
            where,
            f"The control set {quoted(control)} has {counted(captions, 'caption')}.",
            f"It needs captions for {_FEWEST_CONTROLS} videos at least.",
        )
