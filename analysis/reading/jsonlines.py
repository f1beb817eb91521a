"""Our own ratings file as JSON lines: one object per rating."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from analysis.reading.files import RatingsFile, checked, fault, lines
from analysis.stats.ratings import OPTIONAL, REQUIRED
from daplatform.tables import Kind


def read(path: Path) -> RatingsFile:
    at: list[int] = []
    columns: dict[str, list[Any]] = {}
    for number, line in enumerate(lines(path), start=1):
        if line.strip():
            _add(path, number, line, columns, len(at))
            at.append(number)
    for cells in columns.values():
        cells.extend([None] * (len(at) - len(cells)))
    ratings = checked(path, columns, lambda row: at[row])
    return RatingsFile(ratings, "ratings file (JSON lines)")


def _add(path: Path, number: int, line: str, columns: dict[str, list[Any]], row: int) -> None:
    """Add one line's values; a name a line lacks is an empty cell."""
    try:
        rating = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise fault(
            path, number, f"This is not JSON ({error}).", "Write one object to a line.", Kind.JSON
        ) from error
    if not isinstance(rating, dict):
        raise fault(
            path, number, "This is not a JSON object.", "Write one object to a line.", Kind.JSON
        )
    for name, value in rating.items():
        if isinstance(value, (dict, list)) and name in (*REQUIRED, *OPTIONAL):
            raise fault(
                path,
                number,
                f"{name} is not a single value.",
                "Write a number or a text.",
                Kind.JSON,
            )
        cells = columns.setdefault(name, [])
        cells.extend([None] * (row - len(cells)))
        cells.append(None if isinstance(value, (dict, list)) else value)
