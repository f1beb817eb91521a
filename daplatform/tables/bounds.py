"""How much of a file is ever held or unpacked: a hostile one must not fill a machine."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Bounds:
    """Of one file. Captions compress to about a twentieth, ratings to a tenth."""

    line_bytes: int = 65_536  # of a line, and of a row that spans several
    unpacked_bytes: int = 4 * 1024 * MEGABYTE
    unpacked_ratio: int = 200  # unpacked to packed
    sheet_seconds: int = 120  # of processor time
    sheet_memory: int = 2 * 1024 * MEGABYTE


BOUNDS = Bounds()
