"""Files of results, each made when it is asked for the first time, and kept beside the result."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

from analysis.presenting.document import can_draw
from analysis.results.files import DRAWN, Maker


def file_make(*, folder: Path, name: str, makers: Mapping[str, Maker]) -> Path | None:
    """The file; None where it holds charts, and they can only be drawn by a worker.

    Raises KeyError where there is no file of that name.
    """
    make, path = makers[name], folder / name
    if path.is_file():
        return path
    if name.endswith(DRAWN) and not can_draw():
        return None
    part = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        part.write_bytes(make())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # a full disk is not filled with halves
    return path
