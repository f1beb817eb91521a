"""Files of results, each made when it is asked for the first time, and kept beside the result."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from analysis.presenting.document import can_draw
from analysis.results.files import DRAWN, Maker
from daplatform.shared_files import files_share, is_shared, shared_path


def file_make(*, folder: Path, name: str, makers: Mapping[str, Maker]) -> Path | None:
    """The file; None where it holds charts, and they can only be drawn by a worker.

    Raises KeyError where there is no file of that name.
    """
    make, path = makers[name], folder / name
    if is_shared(path):
        return shared_path(path)
    if name.endswith(DRAWN) and not can_draw():
        return None
    if settings.MEDIA_BUCKET:  # another machine has made the result
        folder.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        part.write_bytes(make())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # a full disk is not filled with halves
    files_share([path])
    return path
