"""Looks into one video after another, in a process of its own that a hostile file may take down.

Run as a script by `sandbox.Prober`: requests come in and answers go out as lines of JSON. It
imports nothing of the project, so that the process stays small.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import math
import resource
import signal
import sys
from typing import Any

import av
from PIL import Image, ImageOps, UnidentifiedImageError

# Only formats that hold their own media: a playlist could make FFmpeg read other files and hosts.
OPTIONS = {
    "protocol_whitelist": "file",
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,asf,mpeg,mpegts,ogg",
}
# More than any browser plays smoothly; a frame of it still fits into the memory there is.
_LARGEST_PICTURE = 8192 * 4320  # pixels
_LONGEST_SIDE = 16_384  # pixels, when they are made square
IMAGE_FORMATS = ("JPEG", "PNG", "WEBP")
_LONGEST = 24 * 60 * 60  # seconds
_POSTER_SIDE = 640  # pixels, of the longer side
_BRIEFEST = 0.9  # of the announced duration; less means that the file was cut off


def probe(path: str) -> dict[str, Any]:
    """Duration, size and encoding of a video, with its first frame decoded and all packets read;
    of an image, its size."""
    if is_image(path):
        return _image_facts(path)
    with av.open(path, options=OPTIONS) as container:
        stream = video_stream(container)
        frame = next(container.decode(stream), None)
        if frame is None:
            raise ValueError("it has no picture")
        width, height = square_size(frame, stream)
        _refuse_huge(width, height)
        if frame.rotation % 180:  # a quarter turn, as phones held upright ask for
            width, height = height, width
        return {
            "duration": _duration(container, stream),
            "width": width,
            "height": height,
            "codec": stream.codec_context.codec.canonical_name,
            "pixel_format": stream.codec_context.pix_fmt or "",
            "container": _container_name(container, path),
        }


def is_image(path: str) -> bool:
    """Whether a file begins as a JPEG, PNG or WebP does, whatever its name."""
    with open(path, "rb") as file:
        start = file.read(12)
    return start.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or (
        start.startswith(b"RIFF") and start.endswith(b"WEBP")
    )


def read_image(path: str) -> Image.Image:
    """A whole image, upright, in RGB. ValueError says what is wrong with it."""
    try:
        with Image.open(path, formats=IMAGE_FORMATS) as image:
            _refuse_huge(*image.size)
            # A photograph may hold a second one for depth, which is no animation.
            if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
                raise ValueError("it is an animation: make a video of it, or an image")
            return ImageOps.exif_transpose(image).convert("RGB")
    except UnidentifiedImageError as error:  # its message is the path of our copy
        raise ValueError("the image is incomplete") from error
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"the image is incomplete ({error})") from error


def _image_facts(path: str) -> dict[str, Any]:
    width, height = read_image(path).size
    with Image.open(path, formats=IMAGE_FORMATS) as image:
        codec = {"PNG": "png", "WEBP": "webp"}.get(str(image.format), "jpeg")
    size = {"duration": 0.0, "width": width, "height": height}
    return {**size, "codec": codec, "pixel_format": "", "container": codec}


def _image_poster(path: str) -> bytes:
    image, jpeg = read_image(path), io.BytesIO()
    image.thumbnail((_POSTER_SIDE, _POSTER_SIDE))
    image.save(jpeg, "JPEG", quality=80)
    return jpeg.getvalue()


def poster(path: str) -> bytes:
    """A JPEG of a frame from the middle, upright and with square pixels."""
    if is_image(path):
        return _image_poster(path)
    with av.open(path, options=OPTIONS) as container:
        stream = video_stream(container)
        frame = _middle_frame(container, stream)
        if frame is None:
            raise ValueError("it has no picture")
        width, height = square_size(frame, stream)
        scale = min(1.0, _POSTER_SIDE / max(width, height))
        small = frame.reformat(max(1, round(width * scale)), max(1, round(height * scale)))
        jpeg = io.BytesIO()
        small.to_image().rotate(frame.rotation, expand=True).save(jpeg, "JPEG", quality=80)
        return jpeg.getvalue()


def video_stream(container: Any) -> Any:
    stream = container.streams.best("video")  # not the first: that may be a cover picture
    if stream is None:
        raise ValueError("it holds no video")
    bound_pictures(stream.codec_context)
    stream.codec_context.thread_count = 1  # each thread would take its share of the memory
    return stream


def bound_pictures(context: Any) -> None:
    """Refuse a stream of gigantic pictures, and make any that come later an error.

    To be called before the first frame is decoded.
    """
    _refuse_huge(context.width, context.height)
    context.options = {"max_pixels": str(_LARGEST_PICTURE)}


def _refuse_huge(width: int, height: int) -> None:
    """A few hundred bytes can announce a picture that fills a machine."""
    if width * height > _LARGEST_PICTURE or max(width, height) > _LONGEST_SIDE:
        raise ValueError(f"its picture of {width:,} by {height:,} pixels is too large")


def square_size(frame: Any, stream: Any) -> tuple[int, int]:
    """Width and height of the picture when its pixels are made square."""
    return max(1, round(frame.width * (stream.sample_aspect_ratio or 1))), frame.height


def _duration(container: Any, stream: Any) -> float:
    """Seconds of video really in the file; some files announce none, some more than they hold."""
    container.seek(0)
    everything, video = _Span(), _Span()
    for packet in container.demux():
        everything.add(packet)
        if packet.stream is stream:
            video.add(packet)
    announced = (container.duration or 0) / av.time_base
    if everything.seconds < _BRIEFEST * announced:
        raise ValueError(f"it ends after {everything.seconds:.1f} of {announced:.1f} seconds")
    if video.seconds > _LONGEST:
        raise ValueError("it lasts longer than a day")
    return video.seconds


class _Span:
    """The time from the start of the earliest packet to the end of the latest."""

    def __init__(self) -> None:
        self._begin, self._end = math.inf, -math.inf

    def add(self, packet: Any) -> None:
        if packet.pts is not None:
            self._begin = min(self._begin, float(packet.pts * packet.time_base))
            end = packet.pts + (packet.duration or 0)
            self._end = max(self._end, float(end * packet.time_base))

    @property
    def seconds(self) -> float:
        return max(0.0, self._end - self._begin)


def _middle_frame(container: Any, stream: Any) -> Any:
    """The key frame before the middle, as opening frames are often black; else the first frame."""
    with contextlib.suppress(av.FFmpegError):
        container.seek((container.duration or 0) // 2)
        if frame := next(container.decode(stream), None):
            return frame
    container.seek(0)
    return next(container.decode(stream), None)


def _container_name(container: Any, path: str) -> str:
    """FFmpeg has one name for MP4 and QuickTime and one for WebM and Matroska; browsers do not."""
    if "mp4" in container.format.name:
        return "mov" if container.metadata.get("major_brand", "").startswith("qt") else "mp4"
    if "webm" in container.format.name:
        with open(path, "rb") as stream:
            return "webm" if b"webm" in stream.read(64) else "matroska"
    return str(container.format.name)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        if request["wants"] == "poster":
            return {"jpeg": base64.b64encode(poster(request["path"])).decode()}
        return probe(request["path"])
    except (av.FFmpegError, ValueError, OSError, MemoryError) as error:
        return {"problem": problem_of(error)}


def problem_of(error: Exception) -> str:
    """Why a video cannot be read, for whoever sent it."""
    if isinstance(error, av.FFmpegError):
        return f"it cannot be decoded ({error.strerror})"
    if isinstance(error, MemoryError):
        return "it needs too much memory to decode"
    return str(error)


def main(seconds: int, memory: int) -> None:
    """Answer requests until there are no more; a file that takes too long ends the process."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    say({"ready": True})
    for line in sys.stdin:
        _allow(seconds)
        answer = _answer(json.loads(line))
        signal.alarm(0)
        say(answer)


def _allow(seconds: int) -> None:
    """So much time for one file, by the clock and by the processor, however many came before."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    signal.alarm(seconds)


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(seconds=int(sys.argv[1]), memory=int(sys.argv[2]))
