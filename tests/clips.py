"""Small real videos for tests."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from hits.importing.sandbox import Prober, VideoFacts


def probe_video(path: Path) -> VideoFacts:
    with Prober() as prober:
        return prober.probe(path)


def make_clip(
    path: Path,
    *,
    seconds: float = 1.0,
    size: tuple[int, int] = (64, 48),
    shade: int = 0,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    rate: int = 10,
) -> Path:
    """A clip that changes from dark to light; `shade` makes clips differ."""
    options = {"movflags": "faststart"} if path.suffix in (".mp4", ".mov") else {}
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec, rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = pixels
        stream.time_base = Fraction(1, rate)
        for number in range(round(seconds * rate)):
            level = (shade * 40 + number * 200 // round(seconds * rate)) % 256
            picture = np.full((size[1], size[0], 3), level, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path
