"""Decoding: the chosen frames and no others, upright, and a sentence for every bad file."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.metrics.encoding.frames import UnreadableVideo, read_frames
from analysis.metrics.encoding.sampling import Sampling
from tests.security.bombs import picture, write_pictures

FRAMES = 60
RATE = 12


def make_video(path: Path, *, codec: str = "libx264", options=None, frames: int = FRAMES) -> Path:
    """Frame n has the grey level 4 n; groups of ten pictures with B frames between them."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=RATE, options=options or {"g": "10", "bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = Fraction(1, RATE)
        for number in range(frames):
            pixels = np.full((48, 64, 3), 4 * number, np.uint8)
            pixels[:24, :32] = 255 - 4 * number  # the upper left corner differs
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    return make_video(tmp_path_factory.mktemp("video") / "clip.mp4")


def numbers(path: Path, sampling: str) -> list[int]:
    """Which frames came out, told by their grey."""
    levels = [
        np.asarray(f.image)[-8:, -8:].mean() / 4
        for f in read_frames(path, Sampling.parse(sampling))
    ]
    return [round(level) for level in levels]


def test_all_frames_come_in_the_order_they_are_shown(video):
    assert numbers(video, "all") == list(range(FRAMES))


def test_uniform_frames_are_the_middles_of_equal_parts(video):
    assert numbers(video, "uniform:6") == [5, 15, 25, 35, 45, 55]
    assert numbers(video, "uniform:1") == [30]


def test_one_frame_a_second_is_the_one_on_screen_then(video):
    assert numbers(video, "fps:1") == [0, 12, 24, 36, 48]
    assert numbers(video, "fps:0.5") == [0, 24, 48]


def test_seeking_finds_the_same_pictures_as_decoding_everything(video):
    everything = [np.asarray(frame.image) for frame in read_frames(video, Sampling.parse("all"))]
    for frame in read_frames(video, Sampling.parse("uniform:17")):
        number = round(frame.seconds * RATE)
        np.testing.assert_array_equal(np.asarray(frame.image), everything[number])


def test_fewer_frames_than_asked_for_are_all_taken(tmp_path):
    short = make_video(tmp_path / "short.mp4", frames=3)
    assert numbers(short, "uniform:16") == [0, 1, 2]


def test_a_container_without_time_stamps_is_read_from_end_to_end(tmp_path):
    raw = make_video(tmp_path / "old.avi", codec="mpeg4", options={"bf": "2"}, frames=20)
    assert numbers(raw, "uniform:4") == pytest.approx([2, 7, 12, 17], abs=1)


@pytest.mark.parametrize("codec", ["libx265", "libvpx-vp9"])
def test_other_codecs_are_read_as_well(tmp_path, codec):
    suffix = ".webm" if codec == "libvpx-vp9" else ".mp4"
    options = {"x265-params": "log-level=none"} if codec == "libx265" else {"deadline": "realtime"}
    other = make_video(tmp_path / f"clip{suffix}", codec=codec, options=options, frames=24)
    assert numbers(other, "uniform:3") == pytest.approx([4, 12, 20], abs=1)


def test_a_rotated_video_comes_out_upright(video, tmp_path):
    turned = tmp_path / "turned.mp4"
    turned.write_bytes(turn_a_quarter(video.read_bytes()))
    first = next(iter(read_frames(turned, Sampling.parse("all"))))
    assert first.image.size == (48, 64)
    corner = np.asarray(first.image)[:16, -16:]  # upper left, turned clockwise, is upper right
    assert corner.mean() > 200


def turn_a_quarter(data: bytes) -> bytes:
    """Write a clockwise quarter turn into the matrix of the track header."""
    matrix = data.index(b"tkhd") + 4 + 40
    quarter = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 48 << 16, 0, 1 << 30)
    return data[:matrix] + quarter + data[matrix + 36 :]


def test_every_bad_file_gets_its_own_sentence(video, tmp_path):
    data = video.read_bytes()
    quick = make_video(tmp_path / "quick.mkv")
    files = {
        "missing": None,
        "empty": b"",
        "text": b"this is no video\n" * 100,
        "playlist": b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n/etc/passwd\n",
        "cut": data[: len(data) // 2],
        "cut.mkv": quick.read_bytes()[: quick.stat().st_size // 3],
    }
    for name, content in files.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UnreadableVideo) as unreadable:
            list(read_frames(path, Sampling.parse("uniform:4")))
        assert "\n" not in str(unreadable.value)
        assert str(tmp_path) not in str(unreadable.value)


def test_sound_without_pictures_is_said(tmp_path):
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
        frame.sample_rate = 16000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    with pytest.raises(UnreadableVideo, match="no picture"):
        list(read_frames(path, Sampling.parse("all")))


def test_a_stream_without_frames_is_said(tmp_path):
    path = tmp_path / "none.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        container.start_encoding()
    with pytest.raises(UnreadableVideo, match="it holds no frames"):
        list(read_frames(path, Sampling.parse("all")))


@given(st.integers(1, 300), st.integers(1, 64))
def test_uniform_frames_are_distinct_ordered_and_evenly_spread(count, amount):
    chosen = Sampling.parse(f"uniform:{amount}").choose(np.arange(count, dtype=float))
    assert len(chosen) == min(count, amount)
    gaps = np.diff(chosen)
    assert (gaps >= 1).all()
    assert gaps.max(initial=0) - gaps.min(initial=10**9) <= 1


@given(st.lists(st.floats(0.01, 3), min_size=1, max_size=50), st.floats(0.2, 5))
def test_frames_by_the_second_are_those_on_screen(gaps, rate):
    times = np.cumsum(gaps)
    chosen = Sampling.parse(f"fps:{rate!r}").choose(times)
    shown = {
        int(np.flatnonzero(times <= times[0] + tick / rate + 1e-6)[-1])
        for tick in range(int((times[-1] - times[0]) * rate) + 1)
    }
    assert chosen.tolist() == sorted(shown)


@pytest.mark.parametrize(
    "text", ["uniform", "uniform:0", "uniform:1.5", "fps:0", "fps:x", "some", ""]
)
def test_a_way_of_sampling_that_makes_no_sense_is_refused(text):
    with pytest.raises(ValueError, match="frames must be uniform:N, fps:R, middle or all"):
        Sampling.parse(text)


def test_a_gigantic_picture_is_one_sentence_and_is_not_decoded(tmp_path):
    bomb = write_pictures(tmp_path / "bomb.mp4", *[picture(16_000)] * 3)
    with pytest.raises(UnreadableVideo, match="16,000 by 16,000 pixels is too large"):
        list(read_frames(bomb, Sampling.parse("uniform:2")))


def test_a_gigantic_picture_in_the_middle_is_not_decoded_either(tmp_path):
    small, large = picture(64, is_whole=True), picture(8_000, is_whole=True)
    bomb = write_pictures(tmp_path / "bomb.mp4", small, large, large)
    with pytest.raises(UnreadableVideo):
        list(read_frames(bomb, Sampling.parse("all")))
