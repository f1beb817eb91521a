"""Campaign folders and videos that tests of the importer are made of."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from daplatform.tables import Kind
from hits.importing.reading import Reading, read_campaign

TOML = 'name = "Street scenes"\ncontrol = "human-a"\nhuman = ["human-b"]\n'
VIDEOS = "video,url\nv1,https://example.org/1.mp4\nv2,https://example.org/2.mp4\n"
CAPTIONS = (
    "video,system,caption\n"
    "v1,alpha,a man rides a horse\nv2,alpha,a dog runs\n"
    'v1,beta,"a man, and a horse"\nv2,beta,a cat sleeps\n'
)
REFERENCES = (
    "video,source,caption\n"
    "v1,human-a,A man on a horse.\nv2,human-a,A running dog.\n"
    "v1,human-b,Somebody rides.\nv2,human-b,A dog in a park.\n"
    "v1,human-c,A rider.\nv2,human-c,A dog.\n"
)


def write_folder(root: Path, files: dict[str, str | bytes | None] | None = None) -> Path:
    """A sound campaign, but for the files given; one given as None is left out."""
    material: dict[str, str | bytes | None] = {
        "campaign.toml": TOML,
        "videos.csv": VIDEOS,
        "captions.csv": CAPTIONS,
        "references.csv": REFERENCES,
    }
    return write_files(root, material | (files or {}))


def write_files(root: Path, files: dict[str, str | bytes | None]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def read_with(root: Path, files: dict[str, str | bytes | None] | None = None) -> Reading:
    """The reading of a sound campaign, but for the files given."""
    return read_campaign(write_folder(root, files))


def kinds(reading: Reading) -> list[Kind]:
    return [fault.kind for fault in reading.faults]


def write_video(
    path: Path,
    *,
    codec: str = "libx264",
    pixels: str = "yuv420p",
    frames: int = 10,
    size: tuple[int, int] = (64, 48),
    rotation: int = 0,
    pixel_shape: Fraction = Fraction(1),
) -> Path:
    """A clip of 10 frames a second, red in its left half and blue in its right."""
    path.parent.mkdir(parents=True, exist_ok=True)
    width, height = size
    picture = np.zeros((height, width, 3), np.uint8)
    picture[:, : width // 2, 0] = 255
    picture[:, width // 2 :, 2] = 255
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, pixels
        stream.sample_aspect_ratio = pixel_shape
        if rotation:
            stream.set_display_rotation(rotation)
        for _ in range(frames):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode())
    return path
