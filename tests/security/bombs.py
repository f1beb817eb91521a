"""Small files that are out to fill a machine."""

from __future__ import annotations

import os
import struct
import zlib
from fractions import Fraction
from pathlib import Path

import av


def picture(side: int, *, is_whole: bool = False) -> bytes:
    """A grey PNG of so many pixels squared, of which only the first hundred are there."""
    pixels = bytes(side * (side + 1) if is_whole else 100)
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(pixels, 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def write_pictures(path: Path, *pictures: bytes) -> Path:
    """A video of these pictures, one a second, whose container announces 64 by 48 pixels."""
    with av.open(str(path), "w", format="mov") as container:
        stream = container.add_stream("png", rate=1)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "gray"
        for number, content in enumerate(pictures):
            packet = av.Packet(content)
            packet.stream, packet.is_keyframe = stream, True
            packet.pts = packet.dts = number
            packet.duration, packet.time_base = 1, Fraction(1)
            container.mux(packet)
    return path


def stretch(path: Path, size: int = 10**12) -> Path:
    """The same file with a hole behind it that takes no place on the disk and hours to read."""
    os.truncate(path, size)
    return path
