"""Excel and OpenDocument sheets as CSV, converted in a child process with limits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from daplatform.tables.bounds import Bounds
from daplatform.tables.faults import Kind, Unusable

_SCRIPT = Path(__file__).with_name("sheet_script.py")
_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # zip; old Excel
_GRACE = 30  # seconds beyond the processor time it is given: the machine may be busy
_REMEDY = "Save the sheet as CSV UTF-8 and use that."


def is_sheet(start: bytes) -> bool:
    """Whether a file that begins so may be a spreadsheet, whatever it is called."""
    return start.startswith(_MAGIC)


def write_csv(path: Path, target: Path, bounds: Bounds) -> list[str]:
    """Write the first sheet as CSV, a line for each row; the names of other sheets with content.

    A small file can unpack to more than a machine holds, and one cell far off makes a sheet of
    billions: the child is given so much memory, time and disk, and no secrets. Formulas are the
    values they had when the file was saved.

    Raises
    ------
    Unusable
        When it is not a sheet, or one beyond the bounds.
    """
    limits = (bounds.sheet_seconds, bounds.sheet_memory, bounds.unpacked_bytes)
    with path.open("rb") as source, target.open("wb") as copy:
        try:
            child = subprocess.run(  # noqa: S603  (our own script)
                [sys.executable, "-I", str(_SCRIPT), *map(str, limits)],
                stdin=source, stdout=copy, stderr=subprocess.PIPE, env={}, check=False,
                timeout=2 * bounds.sheet_seconds + _GRACE,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _too_large() from None
    if child.returncode:
        raise _too_large()
    answer = json.loads(child.stderr)
    if problem := answer.get("problem"):
        message = f"This is not a sheet that can be read ({problem})."
        raise Unusable(Kind.UNREADABLE_FILE, message, _REMEDY)
    return list(answer["others"])


def _too_large() -> Unusable:
    message = "The sheet could not be read within the limits of time and memory."
    return Unusable(Kind.TOO_MANY, message, _REMEDY)
