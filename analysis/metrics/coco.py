"""COCO-style JSON: annotations hold the references, a results file the captions of one system."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from daplatform.tables import Faults, Kind, Where

SUFFIX = ".json"
_HOW = 'Write {"annotations": [{"image_id": …, "caption": …}, …]}, as COCO has it.'


def read_annotations(path: Path, faults: Faults) -> dict[str, dict[str, str]]:
    """References of each image (or video): sources are numbered, for COCO does not name them."""
    content = _json(path, faults)
    if content is not None and not isinstance(content, dict):
        faults.error(Kind.JSON, Where(path.name), "These are no COCO annotations.", _HOW)
        return {}
    references: dict[str, dict[str, str]] = {}
    for _, video, text in _pairs(path, (content or {}).get("annotations"), faults):
        named = references.setdefault(video, {})
        named[str(len(named) + 1)] = text
    return references


def read_results(path: Path, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Place, video, system and caption of a results file, whose name is the system's."""
    content = _json(path, faults)
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
