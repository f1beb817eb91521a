"""Captions and references in, scores out: the files of ``manage.py score``."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from analysis.metrics.batch import Batch, References
from analysis.metrics.encoder import Encoder
from analysis.metrics.explanations import explain
from analysis.metrics.scoring import Scores
from analysis.metrics.settings import Settings
from analysis.metrics.vision import token_weights
from analysis.spreadsheets import as_written, defused
from daplatform.tables import Bounds, Columns, Faults, Kind, Where, quoted, read_table

# A caption of 10,000 words is odd but no reason to refuse a file.
_BOUNDS = Bounds(line_bytes=4 * 1024 * 1024)
_VIDEO_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".ts", ".ogv"}
)


@dataclass(frozen=True)
class Captions:
    """The captions of a file, one place per row in each list."""

    videos: list[str]
    systems: list[str]
    texts: list[str]


def read_captions(path: Path, faults: Faults) -> Captions:
    """A file with the columns video, system and caption."""
    captions = Captions([], [], [])
    seen: set[tuple[str, str]] = set()
    for line, (video, system, text) in _rows(path, ("video", "system", "caption"), faults):
        if (video, system) in seen:
            faults.error(
                Kind.DUPLICATE_CAPTION,
                Where(path.name, line),
                f"{quoted(system)} has a caption of {quoted(video)} already.",
                "Keep one of them.",
            )
        seen.add((video, system))
        captions.videos.append(video)
        captions.systems.append(system)
        captions.texts.append(text)
    if not captions.texts and not faults.errors:
        faults.error(Kind.EMPTY_FILE, Where(path.name), "It holds no captions.", "Add rows.")
    return captions


def read_references(path: Path, faults: Faults) -> References:
    """A file with the columns video, source and caption: the references of each video."""
    references: dict[str, list[str]] = {}
    for _, (video, _source, text) in _rows(path, ("video", "source", "caption"), faults):
        references.setdefault(video, []).append(text)
    return references


def _rows(path: Path, columns: tuple[str, ...], faults: Faults) -> Iterable[tuple[int, list[str]]]:
    if not path.is_file():
        faults.error(
            Kind.MISSING_FILE, Where(path.name), "There is no such file.", "Check the path."
        )
        return
    for line, values in read_table(path, Columns(columns), faults, _BOUNDS):
        if all(value.strip() for value in values):
            yield line, [as_written(value) for value in values]
        else:
            faults.error(
                Kind.EMPTY_CAPTION,
                Where(path.name, line),
                f"One of {', '.join(columns)} is empty.",
                "Fill it in, or delete the row.",
            )


def find_videos(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """The file of each video: its name as it stands, or with the suffix of a video."""
    by_stem = {
        path.stem: path for path in sorted(folder.iterdir()) if path.suffix in _VIDEO_SUFFIXES
    }
    return {
        name: folder / name if (folder / name).is_file() else by_stem.get(name, folder / name)
        for name in dict.fromkeys(names)
    }


def write_explanations(
    path: Path, captions: Captions, batch: Batch, settings: Settings, encoder: Encoder
) -> None:
    """A line for each caption of a video in the store: its tokens and frames, and their matches."""
    weights, embedded = token_weights(batch, settings, encoder), encoder.frames(settings.frames)
    with path.open("w", encoding="utf-8") as file:
        for video, system, text in zip(
            captions.videos, captions.systems, captions.texts, strict=True
        ):
            if video in batch.files and batch.files[video] in embedded:
                found = explain(text, batch.files[video], encoder, settings.frames, weights)
                line = {"video": video, "system": system, **asdict(found)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def write_scores(path: Path, captions: Captions, scores: Scores) -> None:
    """``video,system,metric,value``; beside it, as .json, the signatures and what went wrong."""
    videos, systems = (
        [defused(name) for name in names] for names in (captions.videos, captions.systems)
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["video", "system", "metric", "value"])
        for metric, values in scores.values.items():
            shown = ["" if np.isnan(value) else repr(value) for value in values.tolist()]
            writer.writerows(zip(videos, systems, [metric] * len(shown), shown, strict=True))
    about = {
        "signatures": scores.signatures,
        "faults": [asdict(fault) for fault in scores.faults],
        "notes": scores.notes,
    }
    path.with_name(f"{path.name}.json").write_text(
        json.dumps(about, indent=1, sort_keys=True) + "\n"
    )
