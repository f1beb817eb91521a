"""COCO-style JSON: annotations hold the references, a results file the captions of one system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_annotations(path: Path) -> dict[str, dict[str, str]]:
    """References of each image (or video): sources are numbered, for COCO does not name them."""
    content = _json(path)
    if not isinstance(content, dict) or "annotations" not in content:
        raise ValueError(f"{path.name}: COCO annotations are an object with a list 'annotations'")
    references: dict[str, dict[str, str]] = {}
    for video, text in _pairs(path, content["annotations"]):
        named = references.setdefault(video, {})
        named[str(len(named) + 1)] = text
    return references


def read_results(path: Path) -> tuple[list[str], list[str], list[str]]:
    """Videos, systems and captions of a results file, whose name is the system's."""
    content = _json(path)
    if isinstance(content, dict):  # some tools write the captions of a system as annotations
        content = content.get("annotations")
    pairs = _pairs(path, content)
    videos = [video for video, _ in pairs]
    return videos, [path.stem] * len(pairs), [text for _, text in pairs]


def _pairs(path: Path, records: Any) -> list[tuple[str, str]]:
    if not isinstance(records, list) or not records:
        raise ValueError(f"{path.name}: there are no captions, one object with image_id to each")
    return [_pair(path, place, record) for place, record in enumerate(records, start=1)]


def _pair(path: Path, place: int, record: Any) -> tuple[str, str]:
    video = record.get("image_id", record.get("video_id")) if isinstance(record, dict) else None
    text = record.get("caption") if isinstance(record, dict) else None
    if video is None or not isinstance(text, str) or not text.strip():
        raise ValueError(f"{path.name}, caption {place}: image_id or caption is missing")
    return str(video), " ".join(text.split())


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path.name}: this is not JSON ({error})") from error
