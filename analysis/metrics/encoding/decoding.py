"""Decode several videos at once, ahead of the model, and hand out their frames in order."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from PIL import Image

from analysis.metrics.encoding.frames import UnreadableVideo, read_frames
from analysis.metrics.encoding.sampling import Sampling

Prepared = TypeVar("Prepared")


@dataclass(frozen=True)
class Decoded(Generic[Prepared]):
    """A frame of the video with that number; without a frame, its end, with what is wrong if so."""

    video: int
    seconds: float = 0.0
    frame: Prepared | None = None
    fault: str = ""


def decode_ahead(
    paths: Sequence[Path],
    sampling: Sampling,
    prepare: Callable[[Image.Image], Prepared],
    *,
    decoders: int,
    ahead: int,
) -> Iterator[Decoded[Prepared]]:
    """The frames of all videos, video by video, each prepared where it was decoded.

    So many decoders work on as many videos, each at most so many frames ahead: memory is bounded
    whatever the videos, and the order does not depend on who is faster.
    """
    stop = threading.Event()
    waiting: deque[queue.Queue[Decoded[Prepared]]] = deque()
    with ThreadPoolExecutor(decoders) as pool:
        try:
            for number, path in enumerate(paths):
                lane: queue.Queue[Decoded[Prepared]] = queue.Queue(ahead)
                pool.submit(_decode, number, path, sampling, prepare, lane, stop)
                waiting.append(lane)
                if len(waiting) == decoders:
                    yield from _until_end(waiting.popleft())
            while waiting:
                yield from _until_end(waiting.popleft())
        finally:
            stop.set()  # whoever waits for room in a lane gives up


def _until_end(lane: queue.Queue[Decoded[Prepared]]) -> Iterator[Decoded[Prepared]]:
    while True:
        decoded = lane.get()
        yield decoded
        if decoded.frame is None:
            return


def _decode(
    number: int,
    path: Path,
    sampling: Sampling,
    prepare: Callable[[Image.Image], Prepared],
    lane: queue.Queue[Decoded[Prepared]],
    stop: threading.Event,
) -> None:
    end: Decoded[Prepared] = Decoded(number)
    try:
        for frame in read_frames(path, sampling):
            _put(lane, Decoded(number, frame.seconds, prepare(frame.image)), stop)
            if stop.is_set():
                return
    except UnreadableVideo as unreadable:
        end = Decoded(number, fault=str(unreadable))
    except Exception as error:  # whatever it is, it is this video's and the run goes on
        end = Decoded(number, fault=f"it cannot be decoded: {error!r}")
    _put(lane, end, stop)


def _put(
    lane: queue.Queue[Decoded[Prepared]], decoded: Decoded[Prepared], stop: threading.Event
) -> None:
    while not stop.is_set():
        try:
            lane.put(decoded, timeout=0.1)
        except queue.Full:
            continue
        return
