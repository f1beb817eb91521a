"""Decode chosen frames of a video, one after the other, never the whole video in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from numpy.typing import NDArray
from PIL import Image

from analysis.metrics.encoding.sampling import Sampling
from hits.importing.probing import bound_pictures, is_image, read_image

# Only files, and only formats that hold their own media: a playlist could read other hosts.
_OPTIONS = {
    "protocol_whitelist": "file",
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,asf,mpeg,mpegts,ogg",
}
DEMO_SCENE = "demo scene"  # how the comment begins that the demo's renderer leaves in its clips
_BRIEFEST = 0.9  # of the announced duration; less means that the file was cut off


class UnreadableVideo(ValueError):
    """A video that cannot be decoded, with a sentence that says why."""


class Frame(NamedTuple):
    seconds: float
    image: Image.Image


@dataclass(frozen=True)
class _Index:
    """The time stamps of all frames in the order they are shown, and those decoding can start at.

    Both are empty where the container gives no time stamps, as old AVI files do.
    """

    shown: NDArray[np.int64]
    starts: NDArray[np.int64]


def read_frames(path: Path, sampling: Sampling) -> Iterator[Frame]:
    """The chosen frames, upright, in the order they are shown.

    The time stamps of all packets are read first, which takes milliseconds; then only the groups
    of pictures that hold a chosen frame are decoded. An image is its only frame.
    """
    if path.is_file() and is_image(str(path)):
        yield Frame(0.0, _image(path))
        return
    with _opened(path) as (container, stream):
        index = _index(container, stream)
        if len(index.starts):
            seconds = np.asarray(index.shown * float(stream.time_base or 1), np.float64)
            chosen = index.shown[sampling.choose(seconds)]
            # All frames are decoded in one go, without stopping at every start.
            starts = index.starts[:1] if len(chosen) == len(index.shown) else index.starts
            frames = _decode_groups(container, stream, chosen, starts)
        else:
            times = np.array([frame.time or 0.0 for frame in _decode_all(container, stream)])
            chosen = sampling.choose(times)
            frames = _pick(_decode_all(container, stream), chosen)
        found = 0
        for frame in frames:
            found += 1
            yield Frame(frame.time or 0.0, _upright(frame))
        if found < max(len(chosen), 1):
            raise UnreadableVideo(f"only {found} of {len(chosen)} frames could be decoded")


def is_demo_scene(path: Path) -> bool:
    """Whether a video says in its container that it was rendered for the demo."""
    try:
        with av.open(str(path), options=_OPTIONS) as container:
            return container.metadata.get("comment", "").startswith(DEMO_SCENE)
    except (av.FFmpegError, OSError):
        return False


def _image(path: Path) -> Image.Image:
    try:
        return read_image(str(path))
    except ValueError as error:
        raise UnreadableVideo(str(error)) from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    if not path.is_file():
        raise UnreadableVideo("there is no such file")
    try:
        with av.open(str(path), options=_OPTIONS) as container:
            yield container, _pictures(container)
    except av.EOFError as error:
        raise UnreadableVideo("it holds no frames") from error
    except (av.FFmpegError, OSError) as error:
        raise UnreadableVideo(f"it cannot be decoded: {error.strerror or error}") from error


def _pictures(container: InputContainer) -> VideoStream:
    stream = container.streams.best("video")  # not the first: that may be a cover picture
    if not isinstance(stream, VideoStream):
        raise UnreadableVideo("it has no picture, only sound or data")
    try:
        bound_pictures(stream.codec_context)
    except ValueError as error:
        raise UnreadableVideo(str(error)) from error
    stream.thread_type = "AUTO"
    return stream


def _index(container: InputContainer, stream: VideoStream) -> _Index:
    packets = [
        (packet.pts, packet.is_keyframe, packet.is_discard)
        for packet in container.demux(stream)
        if packet.size
    ]
    shown = [pts for pts, _, discard in packets if pts is not None and not discard]
    starts = [pts for pts, key, _ in packets if pts is not None and key]
    if not packets:
        raise UnreadableVideo("it holds no frames")
    _refuse_cut_off(container, stream, len(packets), max(shown, default=0))
    if not starts or not shown or min(starts) > min(shown) or any(p[0] is None for p in packets):
        return _Index(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return _Index(np.unique(shown), np.unique(starts))


def _refuse_cut_off(
    container: InputContainer, stream: VideoStream, packets: int, last: int
) -> None:
    """Compare what the header announces with what there is."""
    if stream.frames > packets:
        raise UnreadableVideo(f"it is cut off: {packets} of {stream.frames} frames are there")
    duration = (container.duration or 0) / av.time_base
    begin = (container.start_time or 0) / av.time_base
    if last and (last * float(stream.time_base or 1) - begin) < _BRIEFEST * duration - 1:
        raise UnreadableVideo("it is cut off: its last frame is long before its announced end")


def _decode_groups(
    container: InputContainer,
    stream: VideoStream,
    chosen: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> Iterator[VideoFrame]:
    """Decode from each start that a chosen frame follows, as far as the last chosen frame."""
    group_of = np.searchsorted(starts, chosen, side="right") - 1
    for group in np.unique(group_of):
        wanted = set(chosen[group_of == group].tolist())
        last = max(wanted)
        container.seek(int(starts[group]), stream=stream)
        for frame in container.decode(stream):
            if frame.pts in wanted:
                yield frame
            if frame.pts is not None and frame.pts >= last:
                break


def _decode_all(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    container.seek(0)
    return container.decode(stream)


def _pick(frames: Iterator[VideoFrame], chosen: NDArray[np.intp]) -> Iterator[VideoFrame]:
    wanted = set(chosen.tolist())
    return (frame for place, frame in enumerate(frames) if place in wanted)


def _upright(frame: VideoFrame) -> Image.Image:
    image: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
    return image.rotate(frame.rotation, expand=True) if frame.rotation else image
