"""Copies of a video that browsers play: which ones it needs, and making one at a safe distance."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hits.importing.sandbox import UnreadableVideo, VideoFacts

_SCRIPT = Path(__file__).with_name("converting.py")
_MEMORY = 3 * 1024**3
_LARGEST = 8 * 1024**3  # bytes of a copy
_SILENCE = 600  # seconds without a word after which a child is ended
HEAVY_BYTES: Final = 8_000_000
HEAVY_BITS: Final = 4_000_000  # a second: more than a phone on the road takes in while it plays


@dataclass(frozen=True)
class Copy:
    """What a copy is like: pixels of its longer side at most, and x264's constant rate factor."""

    longest: int
    quality: int


COPIES: Final = {"web": Copy(1920, 20), "light": Copy(854, 26)}
"""By kind: in place of a file that some browser does not play, and for phones."""


def copies_needed(facts: VideoFacts, size: int) -> list[str]:
    """The kinds of copies to make of a file of so many bytes.

    >>> small = VideoFacts(4.0, 640, 360, "h264", "yuv420p", "mp4")
    >>> copies_needed(small, 1_000_000), copies_needed(small, 9_000_000)
    ([], ['light'])
    >>> copies_needed(VideoFacts(4.0, 640, 360, "mpeg4", "yuv420p", "avi"), 1_000_000)
    ['web']
    """
    is_heavy = not facts.is_image and size > HEAVY_BYTES and 8 * size > HEAVY_BITS * facts.duration
    return [
        kind for kind, is_needed in (("web", facts.unplayable), ("light", is_heavy)) if is_needed
    ]


def convert_video(
    source: Path, target: Path, copy: Copy, progress: Callable[[float, float], None]
) -> None:
    """Write a copy of a video; raises UnreadableVideo, and OSError where there is no room for it.

    ``progress`` is told of the seconds that are done, of all.

    No environment is handed down: whoever breaks into a decoder finds no secrets there.
    """
    numbers = (copy.longest, copy.quality, _MEMORY, _LARGEST)
    command = [sys.executable, "-I", str(_SCRIPT), str(source), str(target), *map(str, numbers)]
    child = subprocess.Popen(  # noqa: S603  (our own script)
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
    )
    try:
        _follow(child, progress)
    finally:
        child.kill()
        child.communicate()


def _follow(child: subprocess.Popen[bytes], progress: Callable[[float, float], None]) -> None:
    while (line := _line(child)).endswith(b"\n"):  # cut off, where the child died over it
        said = json.loads(line)
        if "ready" in said:
            return
        if "full" in said:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if "problem" in said:
            raise UnreadableVideo(said["problem"])
        progress(said["done"], said["total"])
    raise UnreadableVideo("it could not be converted within the limits of time and memory")


def _line(child: subprocess.Popen[bytes]) -> bytes:
    assert child.stdout is not None  # noqa: S101  (a pipe: for the type checker)
    patience = threading.Timer(_SILENCE, child.kill)
    patience.start()
    try:
        return child.stdout.readline()
    finally:
        patience.cancel()
