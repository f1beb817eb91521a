"""Captions and references in, scores out: the files of ``manage.py score``."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analysis.metrics.batch import Batch, Span
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.encoding.frames import is_demo_scene
from analysis.metrics.explanations import explain
from analysis.metrics.judged import judged, read_judged, read_truths
from analysis.metrics.scoring import Scores
from analysis.metrics.settings import Settings
from analysis.metrics.vision import token_weights
from daplatform.tables import Bounds, Columns, Faults, Kind, Where, quoted, read_table
from daplatform.tables.formulas import defused
from hits.importing.sandbox import IMAGE_SUFFIXES

# A caption of 10,000 words is odd but no reason to refuse a file.
_BOUNDS = Bounds(line_bytes=4 * 1024 * 1024)
_VIDEO_SUFFIXES = frozenset(
    {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".ts", ".ogv", *IMAGE_SUFFIXES}
)
COCO = ".json"
Timed = tuple[str, Span | None]
_HOW = 'Write {"annotations": [{"image_id": …, "caption": …}, …]}, as COCO has it.'


@dataclass(frozen=True)
class Captions:
    """The captions of a file, one place per row in each list.

    With `parts`, a caption may have several rows: its parts, each with its times where it has any.
    """

    videos: list[str]
    systems: list[str]
    texts: list[str]
    spans: list[Span | None] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def are_parts(self) -> bool:
        return any(self.parts)


def read_captions(paths: Sequence[Path], faults: Faults) -> Captions:
    """Files with the columns video, system and caption, or COCO results, one for each system."""
    captions = Captions([], [], [])
    seen: set[tuple[str, str, str]] = set()
    for path in paths:
        for line, (video, system, text, *times, part) in _caption_rows(path, faults):
            span = _span(times, Where(path.name, line), faults)
            part = part or (f"{span.start:g}-{span.end:g}" if span else "")
            if (video, system, part) in seen or (part and (video, system, "") in seen):
                faults.error(
                    Kind.DUPLICATE_CAPTION,
                    Where(path.name, line),
                    f"{quoted(system)} has a caption of {quoted(video)} already.",
                    "Keep one of them.",
                )
            seen.add((video, system, part))
            captions.spans.append(span)
            captions.parts.append(part)
            captions.videos.append(video)
            captions.systems.append(system)
            captions.texts.append(text)
    if not captions.texts and not faults.errors:
        names = ", ".join(path.name for path in paths)
        faults.error(Kind.EMPTY_FILE, Where(names), "It holds no captions.", "Add rows.")
    return captions


def _caption_rows(path: Path, faults: Faults) -> Iterable[tuple[int, list[str]]]:
    if path.suffix == COCO and _is_there(path, faults):
        return ((at, [*values, "", "", ""]) for at, values in read_results(path, faults))
    return _rows(path, ("video", "system", "caption"), faults, ("start", "end", "part"))


def _span(times: Sequence[str], where: Where, faults: Faults) -> Span | None:
    """From when to when, in seconds; None where neither is said."""
    if not any(map(str.strip, times)):
        return None
    try:
        span = Span(*map(float, times))
    except ValueError:
        span = Span(math.nan, math.nan)
    if not 0 <= span.start < span.end < math.inf:
        told = " and ".join(map(quoted, times))
        faults.error(
            Kind.VALUE,
            where,
            f"start and end are {told}, which are not the times of a part.",
            "Write both in seconds, the start before the end, or leave both empty.",
        )
        return None
    return span


def read_references(path: Path, faults: Faults) -> dict[str, dict[str, str]]:
    """A file with the columns video, source and caption, or COCO annotations: of each video, the
    caption of each source. What a source says of a video a second time is numbered."""
    timed = read_timed_references(path, faults)
    return {
        video: {source: text for source, (text, _) in named.items()}
        for video, named in timed.items()
    }


def read_timed_references(path: Path, faults: Faults) -> dict[str, dict[str, Timed]]:
    """The same, each with the seconds of the video that it is about, where it says so."""
    if path.suffix == COCO and _is_there(path, faults):
        found = read_annotations(path, faults)
        return {
            video: {source: (text, None) for source, text in named.items()}
            for video, named in found.items()
        }
    references: dict[str, dict[str, Timed]] = {}
    rows = _rows(path, ("video", "source", "caption"), faults, ("start", "end", "part"))
    for line, (video, source, text, start, end, _) in rows:
        named = references.setdefault(video, {})
        again = sum(name.split("#")[0] == source for name in named)
        span = _span((start, end), Where(path.name, line), faults)
        named[f"{source}#{again + 1}" if again else source] = (text, span)
    return references


def as_texts(references: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """The references of each video that has any, without their sources."""
    return {video: list(named.values()) for video, named in references.items() if named}


def _is_there(path: Path, faults: Faults) -> bool:
    if not path.is_file():
        faults.error(
            Kind.MISSING_FILE, Where(path.name), "There is no such file.", "Check the path."
        )
    return path.is_file()


def _rows(
    path: Path, columns: tuple[str, ...], faults: Faults, optional: tuple[str, ...] = ()
) -> Iterable[tuple[int, list[str]]]:
    if not _is_there(path, faults):
        return
    for line, values in read_table(path, Columns(columns, optional=optional), faults, _BOUNDS):
        if all(value.strip() for value in values[: len(columns)]):
            yield line, list(values)
        else:
            faults.error(
                Kind.EMPTY_CAPTION,
                Where(path.name, line),
                f"One of {', '.join(columns)} is empty.",
                "Fill it in, or delete the row.",
            )


def are_demo_scenes(folder: Path) -> bool:
    """Whether every video in a folder and below it was rendered for the demo, and there is one."""
    videos = _videos_of(folder.rglob("*"))
    return bool(videos) and all(map(is_demo_scene, videos))


def _videos_of(paths: Iterable[Path]) -> list[Path]:
    return [path for path in sorted(paths) if path.suffix.lower() in _VIDEO_SUFFIXES]


def find_videos(
    folder: Path, names: Iterable[str], paths: Mapping[str, str] | None = None
) -> dict[str, Path]:
    """The file of each video or image: its name as it stands, or with the suffix of one; or the
    path that its list gives, whole or only its last part."""
    by_stem = {path.stem: path for path in _videos_of(folder.glob("*"))}

    def found(name: str) -> Path:
        told = (paths or {}).get(name, name)
        within = not Path(told).is_absolute() and ".." not in Path(told).parts
        tried = [told, Path(told).name, name] if within else [Path(told).name, name]
        there = (folder / one for one in tried if (folder / one).is_file())
        return next(there, by_stem.get(name, folder / name))

    return {name: found(name) for name in dict.fromkeys(names)}


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


def write_scores(
    path: Path,
    captions: Captions,
    scores: Scores,
    trained_on: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
) -> None:
    """``video,system,metric,value``; beside it, as .json, the signatures and what went wrong.

    Parameters
    ----------
    trained_on : of metrics that were trained, digests of what on: who evaluates them needs it
    """
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
        **({"trained_on": trained_on} if trained_on else {}),
    }
    path.with_name(f"{path.name}.json").write_text(
        json.dumps(about, indent=1, sort_keys=True) + "\n"
    )


def read_annotations(path: Path, faults: Faults) -> dict[str, dict[str, str]]:
    """References of each image (or video): sources are numbered, for COCO does not name them."""
    content = _json(path, faults)
    if judged(content):
        return read_truths(path, content, faults)
    if content is not None and not isinstance(content, dict):
        faults.error(Kind.JSON, Where(path.name), "These are not COCO annotations.", _HOW)
        return {}
    references: dict[str, dict[str, str]] = {}
    for _, video, text in _pairs(path, (content or {}).get("annotations"), faults):
        named = references.setdefault(video, {})
        named[str(len(named) + 1)] = text
    return references


def read_results(path: Path, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Place, video, system and caption of a results file, whose name is the system's."""
    content = _json(path, faults)
    if judged(content):
        return read_judged(path, content, faults)
    if isinstance(content, dict):  # some tools write the captions of a system as annotations
        content = content.get("annotations")
    return ((at, [video, path.stem, text]) for at, video, text in _pairs(path, content, faults))


def _pairs(path: Path, records: Any, faults: Faults) -> Iterator[tuple[int, str, str]]:
    if not isinstance(records, list) or not records:
        if not faults.has_errors(path.name):
            faults.error(Kind.EMPTY_FILE, Where(path.name), "There are no captions.", _HOW)
        return
    for place, record in enumerate(records, start=1):
        found = record if isinstance(record, dict) else {}
        video, text = found.get("image_id", found.get("video_id")), found.get("caption")
        if video is None or not isinstance(text, str) or not text.strip():
            faults.error(
                Kind.EMPTY_CAPTION,
                Where(path.name, place, unit="caption"),
                "The image_id or the caption is missing.",
                "Add it, or delete the object.",
            )
            continue
        yield place, str(video), " ".join(text.split())


def _json(path: Path, faults: Faults) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        faults.error(Kind.JSON, Where(path.name), f"This is not JSON ({error}).", _HOW)
        return None
