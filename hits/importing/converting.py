"""Converts one video for browsers, in a process of its own that a hostile file may take down.

Run as a script by `conversion.convert_video`: how far it is goes out as lines of JSON. It imports
nothing of the project but its neighbour, so that the process stays small.
"""

from __future__ import annotations

import errno
import resource
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.filter import Graph

sys.path[:0] = [str(Path(__file__).parent)]  # run by itself, in isolated mode
import probing  # type: ignore[import-not-found]  # noqa: E402

_SOUND_RATE = 48_000
_SOUND_FRAME = 1024  # samples that AAC takes at once
_TELL_EVERY = 0.5  # seconds of video
_TURNS = {90: "transpose=cclock", -90: "transpose=clock", 180: "hflip,vflip", -180: "hflip,vflip"}


class Picture:
    """The video stream on its way: upright, with square pixels, no longer than `longest` a side."""

    def __init__(
        self, incoming: Any, outgoing: Any, first: Any, longest: int, quality: int
    ) -> None:
        self.source = probing.video_stream(incoming)
        self._stream = outgoing.add_stream(
            "libx264",
            rate=self.source.average_rate or 25,
            options={"crf": str(quality), "preset": "medium"},
        )
        width, height = probing.square_size(first, self.source)
        if first.rotation % 180:
            width, height = height, width
        scale = min(1.0, longest / max(width, height))
        # H.264 with halved colours takes even sides only.
        width, height = (max(2, round(side * scale / 2) * 2) for side in (width, height))
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = self.source.time_base
        turn = _TURNS.get(first.rotation, "null")
        self._graph = self._filters(f"{turn},scale={width}:{height},setsar=1,format=yuv420p")
        self._start, self._last = _start(incoming, self.source), -1

    def encode(self, packet: Any) -> Iterator[Any]:
        for frame in packet.decode():
            moment = None if frame.pts is None else frame.pts - self._start
            if moment is None or moment <= self._last:
                continue  # some files show two frames at once, or one before the beginning
            self._last = moment
            self._graph.push(frame)
            ready: Any = self._graph.pull()
            ready.pts, ready.time_base = moment, self.source.time_base
            ready.pict_type = 0  # whatever it was, the encoder chooses anew
            yield from self._stream.encode(ready)

    def flush(self) -> Iterator[Any]:
        yield from self._stream.encode(None)

    def _filters(self, steps: str) -> Graph:
        graph = Graph()
        last = graph.add_buffer(template=self.source, time_base=self.source.time_base)
        for step in steps.split(","):
            name, _, options = step.partition("=")
            following = graph.add(name, options or None)
            last.link_to(following)
            last = following
        last.link_to(graph.add("buffersink"))
        graph.configure()
        return graph


class Sound:
    """The audio stream on its way, as stereo AAC."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self.source = incoming.streams.best("audio")
        self._stream = outgoing.add_stream("aac", rate=_SOUND_RATE)
        self._stream.layout = "stereo"
        self._resampler = av.AudioResampler("fltp", "stereo", _SOUND_RATE, _SOUND_FRAME)
        self._start = _start(incoming, self.source)

    def encode(self, packet: Any) -> Iterator[Any]:
        for frame in packet.decode():
            if frame.pts is not None and frame.pts < self._start:
                continue
            frame.pts = None if frame.pts is None else frame.pts - self._start
            yield from self._encoded(frame)

    def flush(self) -> Iterator[Any]:
        yield from self._encoded(None)
        yield from self._stream.encode(None)

    def _encoded(self, frame: Any) -> Iterator[Any]:
        for part in self._resampler.resample(frame):
            yield from self._stream.encode(part)


def convert(source: str, target: str, *, longest: int, quality: int) -> None:
    """H.264 and AAC in an MP4 whose index comes first, so that it plays while it loads."""
    first = _first_frame(source)
    with (
        av.open(source, options=probing.OPTIONS) as incoming,
        av.open(target, "w", format="mp4", options={"movflags": "+faststart"}) as outgoing,
    ):
        streams: list[Any] = [Picture(incoming, outgoing, first, longest, quality)]
        if incoming.streams.best("audio") is not None:
            streams.append(Sound(incoming, outgoing))
        by_index = {stream.source.index: stream for stream in streams}
        total = (incoming.duration or 0) / av.time_base
        for packet in _told(incoming.demux([stream.source for stream in streams]), total):
            for made in by_index[packet.stream.index].encode(packet):
                outgoing.mux(made)
        for stream in streams:
            for made in stream.flush():
                outgoing.mux(made)


def _first_frame(source: str) -> Any:
    """Only frames say how they are turned, and the output wants to know before there is any."""
    with av.open(source, options=probing.OPTIONS) as container:
        frame = next(container.decode(probing.video_stream(container)), None)
        if frame is None:
            raise ValueError("it has no picture")
        return frame


def _told(packets: Iterator[Any], total: float) -> Iterator[Any]:
    """The packets, with word of how far they are."""
    told = 0.0
    for packet in packets:
        yield packet
        if packet.pts is not None and float(packet.pts * packet.time_base) - told >= _TELL_EVERY:
            told = float(packet.pts * packet.time_base)
            probing.say({"done": round(told, 1), "total": round(max(total, told), 1)})


def _start(incoming: Any, stream: Any) -> int:
    """When the file begins, in the stream's own time: players show that moment as 0."""
    ticks: Fraction = Fraction(incoming.start_time or 0, av.time_base) / stream.time_base
    return round(ticks)


def main(source: str, target: str, longest: int, quality: int, memory: int, size: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        convert(source, target, longest=longest, quality=quality)
    except (av.FFmpegError, ValueError, MemoryError) as error:
        is_full = getattr(error, "errno", None) == errno.ENOSPC
        probing.say({"full": True} if is_full else {"problem": probing.problem_of(error)})
    else:
        probing.say({"ready": True})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7]))
