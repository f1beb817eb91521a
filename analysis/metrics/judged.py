"""Captions of images with people's judgements, as the field passes them on in one JSON:
``{image: {image_path, ground_truth: […], human_judgement: [{caption, rating}, …]}}``.

Captions have no system there. Each text of an image is one caption, numbered as it first appears,
however often it was judged.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from daplatform.tables import Faults, Kind, Where, quoted

_JUDGED, _TRUTH = "human_judgement", "ground_truth"
_HOW = 'Write {"image": {"ground_truth": […], "human_judgement": [{"caption", "rating"}, …]}}.'


class Judgement(NamedTuple):
    """What somebody said of a caption; NaN where they gave no number."""

    video: str
    system: str
    caption: str
    rating: float


def judged(content: Any) -> bool:
    """Whether what was read from a JSON has this shape."""
    first = next(iter(content.values()), None) if isinstance(content, dict) else None
    return isinstance(first, dict) and _JUDGED in first


def is_judged(path: Path) -> bool:
    return path.suffix == ".json" and path.is_file() and judged(_content(path))


def read_judgements(path: Path, faults: Faults) -> list[Judgement]:
    """Every judgement, in the order of the file."""
    return [row for _, row in _judgements(path, _content(path), faults)]


def read_judged(path: Path, content: Any, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Place, image, number and text of every caption, once."""
    seen: set[tuple[str, str]] = set()
    for place, row in _judgements(path, content, faults):
        if (row.video, row.system) not in seen:
            seen.add((row.video, row.system))
            yield place, [row.video, row.system, row.caption]


def read_truths(path: Path, content: Any, faults: Faults) -> dict[str, dict[str, str]]:
    """The references of each image, numbered."""
    found: dict[str, dict[str, str]] = {}
    for image, record in _records(path, content, faults):
        texts = record.get(_TRUTH, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            _wrong(path, None, f"{_TRUTH} of {quoted(image)} is not a list of texts.", faults)
            continue
        told = (" ".join(text.split()) for text in texts)
        found[image] = {str(at): text for at, text in enumerate(filter(None, told), start=1)}
    return found


def image_paths(path: Path) -> dict[str, str]:
    """Where the image of each record is, as the file says; nothing, of a file of another shape."""
    content = _content(path) if is_judged(path) else {}
    named = ((str(image), record.get("image_path")) for image, record in content.items()
             if isinstance(record, dict))  # fmt: skip
    return {image: place for image, place in named if isinstance(place, str) and place}


def _judgements(path: Path, content: Any, faults: Faults) -> Iterator[tuple[int, Judgement]]:
    place = 0
    for image, record in _records(path, content, faults):
        numbers: dict[str, str] = {}
        rows = record.get(_JUDGED)
        if not isinstance(rows, list):
            _wrong(path, None, f"{_JUDGED} of {quoted(image)} is not a list.", faults)
            continue
        for row in rows:
            place += 1
            text = row.get("caption") if isinstance(row, dict) else None
            if not isinstance(text, str) or not text.strip():
                _wrong(path, place, f"A judgement of {quoted(image)} has no caption.", faults)
                continue
            rating = _rating(row.get("rating"))
            if rating is None:
                told = quoted(str(row.get("rating")))
                _wrong(
                    path, place, f"The rating {told} of {quoted(image)} is not a number.", faults
                )
                continue
            caption = " ".join(text.split())
            number = numbers.setdefault(caption, f"caption {len(numbers) + 1}")
            yield place, Judgement(image, number, caption, rating)


def _rating(value: Any) -> float | None:
    """NaN for a rating that was not given; None for what is no rating."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return None if math.isinf(found) else found


def _records(path: Path, content: Any, faults: Faults) -> Iterator[tuple[str, dict[str, Any]]]:
    for image, record in content.items():
        if isinstance(record, dict):
            yield str(image), record
        else:
            _wrong(path, None, f"The entry {quoted(str(image))} is not an object.", faults)


def _wrong(path: Path, place: int | None, message: str, faults: Faults) -> None:
    faults.error(Kind.JSON, Where(path.name, place, unit="judgement"), message, _HOW)


def _content(path: Path) -> Any:
    """What the file holds; nothing, where it is no JSON and another reader says so."""
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        return None
