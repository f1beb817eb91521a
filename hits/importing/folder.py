"""The platform's own layout: campaign.toml and tables of videos, captions and references."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from daplatform.tables import Columns, Faults, Kind, Where, find_table, is_readable, read_table
from hits.importing.layout import Layout
from hits.importing.ledger import CaptionFile, Shelf
from hits.importing.limits import Limits
from hits.importing.settings import FILE, Settings, read_settings
from hits.importing.videos import Video, is_short_list, list_videos

_VIDEOS = Columns(required=("video",), either=("path", "url"))
_CAPTIONS = {
    Shelf.SYSTEMS: ("captions", ("video", "system", "caption")),
    Shelf.REFERENCES: ("references", ("video", "source", "caption")),
}


def read_folder(root: Path, faults: Faults, limits: Limits) -> Layout:
    """Settings and videos of a folder, and where its captions are."""
    settings = _settings(root, faults, limits)
    tables = {stem: find_table(root, stem, faults) for stem in ("videos", "captions", "references")}
    found = {path.name: path for path in tables.values() if path is not None}
    videos_path = tables["videos"]
    return Layout(
        settings=settings,
        videos=_videos(videos_path, faults, limits) if videos_path else [],
        videos_file=videos_path.name if videos_path else "videos.csv",
        captions=[
            _caption_file(path, shelf, columns, limits)
            for shelf, (stem, columns) in _CAPTIONS.items()
            if (path := tables[stem])
        ],
        files={FILE: root / FILE, **found},
        humans=frozenset(settings.human),
        human_shelves=(Shelf.REFERENCES,),
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


def _caption_file(
    path: Path, shelf: Shelf, columns: tuple[str, str, str], limits: Limits
) -> CaptionFile:
    read = partial(read_table, path, Columns(required=columns), bounds=limits)
    return CaptionFile(path, path.name, shelf, read, columns)
