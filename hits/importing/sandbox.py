"""Asking about videos from a safe distance: PyAV runs in a child process with limits."""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).with_name("probing.py")
_SECONDS = 60  # a file
_GRACE = 5  # seconds until a child is ended that did not end itself
_MEMORY = 500 * 1024 * 1024
_LONGEST_ANSWER = 4 * 1024 * 1024

# What Chrome, Firefox and Safari all play. Some play more, but HEVC depends on the machine, MPEG-4
# part 2 plays nowhere, and whoever cannot see the video still rates its captions.
_PLAYABLE = {
    "mp4": {"h264", "av1", "vp9"},
    "webm": {"vp8", "vp9", "av1"},
}
IMAGES = frozenset({"jpeg", "png", "webp"})  # items of one frame
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
_H264_PIXELS = {"yuv420p", "yuvj420p"}  # hardware decoders know no other sampling or depth


class UnreadableVideo(ValueError):
    """The video cannot be decoded; the message says why."""


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What there is to know of a video file: seconds, pixels as shown, and the encoding."""

    duration: float
    width: int
    height: int
    codec: str
    pixel_format: str
    container: str

    @property
    def is_image(self) -> bool:
        return self.container in IMAGES

    @property
    def unplayable(self) -> str:
        """Why browsers would not play it; empty when they would, or it is an image."""
        if self.is_image:
            return ""
        if self.container not in _PLAYABLE:
            return f"not every browser opens {self.container} files"
        if self.codec not in _PLAYABLE[self.container]:
            return f"not every browser plays {self.codec} in {self.container}"
        if self.codec == "h264" and self.pixel_format not in _H264_PIXELS:
            return f"not every browser plays H.264 with pixel format {self.pixel_format}"
        return ""


class Prober:
    """A child process that looks into videos, started when needed and again after it died.

    >>> with Prober() as prober:                             # doctest: +SKIP
    ...     prober.probe(Path("clip.mp4")).duration
    4.0
    """

    def __init__(self, seconds: int = _SECONDS, memory: int = _MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Prober:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def probe(self, path: Path) -> VideoFacts:
        """The facts of a video; raises UnreadableVideo."""
        return VideoFacts(**self._ask("facts", path))

    def poster(self, path: Path) -> bytes:
        """A JPEG of one frame, at most 640 pixels wide or high; raises UnreadableVideo."""
        return base64.b64decode(self._ask("poster", path)["jpeg"])

    def _ask(self, wants: str, path: Path) -> dict[str, Any]:
        request = json.dumps({"wants": wants, "path": str(path.absolute())})
        answer = self._exchange(request.encode() + b"\n")
        if not answer.endswith(b"\n"):
            self._stop()
            raise UnreadableVideo("it could not be decoded within the limits of time and memory")
        reply: dict[str, Any] = json.loads(answer)
        if "problem" in reply:
            raise UnreadableVideo(reply["problem"])
        return reply

    def _exchange(self, request: bytes) -> bytes:
        child = self._child or self._start()
        assert child.stdin is not None  # noqa: S101  (a pipe: for the type checker)
        # A child that died after its last answer has closed the pipe; its silence will say so.
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(request)
            child.stdin.flush()
        return self._read(child, self._seconds)

    def _start(self) -> subprocess.Popen[bytes]:
        """No environment is handed down: whoever breaks into a decoder finds no secrets there."""
        child = self._child = subprocess.Popen(  # noqa: S603  (our own script)
            [sys.executable, "-I", str(_SCRIPT), str(self._seconds), str(self._memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
        )
        if not self._read(child, _SECONDS):  # however little time a file is given
            raise RuntimeError(f"{_SCRIPT.name} does not start: are PyAV and Pillow installed?")
        return child

    def _read(self, child: subprocess.Popen[bytes], seconds: int) -> bytes:
        assert child.stdout is not None  # noqa: S101  (a pipe: for the type checker)
        # The child keeps its own time, unless what it decodes has taken it over.
        patience = threading.Timer(seconds + _GRACE, child.kill)
        patience.start()
        try:
            return child.stdout.readline(_LONGEST_ANSWER)
        finally:
            patience.cancel()

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def video_poster(path: Path) -> bytes:
    """A JPEG of one frame of one video; use a Prober for many."""
    with Prober() as prober:
        return prober.poster(path)
