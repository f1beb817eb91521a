"""Scenes as H.264 files that every browser plays, the same bytes each time."""

from __future__ import annotations

import hashlib
from pathlib import Path

import av
import av.error
import numpy as np

from analysis.metrics.encoding.frames import DEMO_SCENE
from rehearsal.demo.files import whole_file
from rehearsal.demo.rendering import Studio
from rehearsal.demo.story import Scene

EDITION = 1
"""Raise it when the drawing changes, and clips of an earlier edition are rendered anew."""
SIZE = (640, 360)
FPS = 24
# One thread: with more, x264's decisions depend on how they were scheduled. No macroblock tree: for
# small pictures on AVX-512 processors it reads memory that nobody wrote.
CODEC = {"crf": "24", "preset": "veryfast", "tune": "animation", "threads": "1", "mbtree": "0"}


def render_clip(scene: Scene, path: Path, *, size: tuple[int, int] = SIZE, fps: int = FPS) -> None:
    """Render a scene into an MP4 file."""
    if size[0] % 2 or size[1] % 2:
        raise ValueError(f"size must be even, for yuv420p, got {size}")
    with whole_file(path) as part:
        _encode(scene, part, size, fps)


def is_rendered(scene: Scene, path: Path, *, size: tuple[int, int], fps: int) -> bool:
    """Whether the file is there and was made from just this."""
    try:
        with av.open(str(path)) as container:
            return container.metadata.get("comment") == _edition(scene, size, fps)
    except (av.error.FFmpegError, OSError):
        return False


def _encode(scene: Scene, path: Path, size: tuple[int, int], fps: int) -> None:
    studio = Studio.build(scene, size)
    count = round(scene.seconds * fps)
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        container.metadata["comment"] = _edition(scene, size, fps)
        stream = container.add_stream("libx264", rate=fps, options=CODEC)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.codec_context.thread_count = 1
        stream.codec_context.gop_size = 2 * fps
        for number in range(count):
            picture = np.asarray(studio.shoot(number / max(1, count - 1)))
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))


def _edition(scene: Scene, size: tuple[int, int], fps: int) -> str:
    """What a clip was made from, short enough to be written into the file."""
    made_from = repr((EDITION, scene, size, fps))
    return f"{DEMO_SCENE} {scene.seed} {hashlib.sha256(made_from.encode()).hexdigest()[:16]}"
