"""Videos: facts, posters, what browsers play, and hostile files kept at a distance."""

from __future__ import annotations

import contextlib
import io
import os
import resource
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from daplatform.tables import Kind
from hits.importing.reading import read_campaign
from hits.importing.sandbox import (
    _SCRIPT,
    Prober,
    UnreadableVideo,
    VideoFacts,
    video_poster,
)
from tests.clips import probe_video
from tests.hits.importing_material import kinds, write_folder, write_video

RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture
def prober():
    with Prober() as prober:
        yield prober


def poster_of(prober: Prober, path: Path) -> Image.Image:
    return Image.open(io.BytesIO(prober.poster(path)))


def colour(image: Image.Image, across: float, down: float) -> tuple[int, int, int]:
    """The pure colour nearest to that of a place in the picture."""
    place = int(image.width * across), int(image.height * down)
    red, _, blue = image.convert("RGB").crop((*place, place[0] + 1, place[1] + 1)).tobytes()
    return RED if red > blue else BLUE


def test_it_finds_duration_size_and_encoding(prober, tmp_path):
    assert prober.probe(write_video(tmp_path / "a.mp4", frames=25)) == VideoFacts(
        duration=2.5, width=64, height=48, codec="h264", pixel_format="yuv420p", container="mp4"
    )


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_poster_of_a_portrait_clip_is_whole(prober, tmp_path, rotation):
    stored = (48, 96) if rotation == 0 else (96, 48)
    image = poster_of(prober, write_video(tmp_path / "a.mp4", size=stored, rotation=rotation))
    assert image.size == (48, 96)
    edges = [(0.5, 0.02), (0.5, 0.98)] if rotation else [(0.02, 0.5), (0.98, 0.5)]
    assert {colour(image, *edge) for edge in edges} == {RED, BLUE}


def test_a_poster_is_a_small_jpeg(prober, tmp_path):
    image = poster_of(prober, write_video(tmp_path / "a.mp4", size=(1280, 720), frames=2))

    assert (image.format, image.size) == ("JPEG", (640, 360))
    assert colour(image, 0.25, 0.5) == RED
    assert colour(image, 0.75, 0.5) == BLUE


@pytest.mark.parametrize(("rotation", "top"), [(90, BLUE), (-90, RED)])
def test_a_turned_video_has_an_upright_poster(prober, tmp_path, rotation, top):
    """A display matrix of 90 turns counter-clockwise: the right half, blue, comes to the top."""
    path = write_video(tmp_path / "a.mp4", rotation=rotation)

    image = poster_of(prober, path)
    facts = prober.probe(path)

    assert image.size == (facts.width, facts.height) == (48, 64)
    assert colour(image, 0.5, 0.25) == top


def test_pixels_that_are_not_square_are_made_so(prober, tmp_path):
    path = write_video(tmp_path / "a.mp4", pixel_shape=Fraction(2))

    assert prober.probe(path).width == poster_of(prober, path).width == 128


@pytest.mark.parametrize(
    ("name", "codec", "pixels"),
    [
        ("a.mp4", "libx264", "yuv420p"),
        ("a.webm", "libvpx", "yuv420p"),
        ("a.webm", "libvpx-vp9", "yuv420p"),
    ],
)
def test_it_accepts_what_every_browser_plays(prober, tmp_path, name, codec, pixels):
    assert prober.probe(write_video(tmp_path / name, codec=codec, pixels=pixels)).unplayable == ""


@pytest.mark.parametrize(
    ("name", "codec", "pixels", "reason"),
    [
        ("a.mp4", "libx264", "yuv444p", "pixel format"),
        ("a.mp4", "mpeg4", "yuv420p", "mpeg4"),
        ("a.mp4", "libx265", "yuv420p", "hevc"),
        ("a.avi", "mpeg4", "yuv420p", "avi"),
        ("a.mkv", "libx264", "yuv420p", "matroska"),
        ("a.mov", "libx264", "yuv420p", "mov"),
    ],
)
def test_it_names_what_some_browser_does_not_play(prober, tmp_path, name, codec, pixels, reason):
    facts = prober.probe(write_video(tmp_path / name, codec=codec, pixels=pixels))

    assert reason in facts.unplayable


@pytest.mark.parametrize(
    "content",
    [
        b"no video",
        b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nreal.mp4\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile real.mp4\n",
    ],
    ids=["text", "playlist", "concatenation"],
)
@pytest.mark.parametrize("name", ["a.mp4", "a.m3u8"])
def test_it_refuses_what_is_no_video_or_leads_to_one(prober, tmp_path, name, content):
    write_video(tmp_path / "real.mp4")
    (tmp_path / name).write_bytes(content)

    with pytest.raises(UnreadableVideo):
        prober.probe(tmp_path / name)


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "libx264"), ("a.webm", "libvpx")])
def test_it_refuses_a_video_that_was_cut_off(prober, tmp_path, name, codec):
    path = write_video(tmp_path / name, codec=codec, frames=30, size=(160, 120))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])

    with pytest.raises(UnreadableVideo):
        prober.probe(path)


def test_a_path_of_odd_bytes_is_no_obstacle(prober, tmp_path):
    path = write_video(tmp_path / "a.mp4")
    odd = path.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\n.mp4"))

    assert prober.probe(odd).duration == 1.0


def test_the_child_is_not_told_our_secrets(prober, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hush")
    prober.probe(write_video(tmp_path / "a.mp4"))

    assert b"hush" not in Path(f"/proc/{prober._child.pid}/environ").read_bytes()


def test_a_child_that_dies_is_one_fault_and_a_new_child(prober, tmp_path):
    path = write_video(tmp_path / "a.mp4")
    prober.probe(path)
    prober._child.kill()

    with pytest.raises(UnreadableVideo, match="limits"):
        prober.probe(path)
    assert prober.probe(path).codec == "h264"


def test_a_file_that_takes_too_long_is_given_up(tmp_path):
    os.mkfifo(tmp_path / "endless.mp4")  # opening it waits for a writer that never comes

    with Prober(seconds=1) as prober, pytest.raises(UnreadableVideo, match="limits"):
        prober.probe(tmp_path / "endless.mp4")


def test_the_child_has_its_limits(prober, tmp_path):
    prober.probe(write_video(tmp_path / "a.mp4"))

    child = prober._child.pid
    assert resource.prlimit(child, resource.RLIMIT_AS)[1] == 500 * 1024 * 1024
    assert resource.prlimit(child, resource.RLIMIT_FSIZE)[1] == 0  # it can write no file


def test_no_child_is_left_behind(tmp_path):
    with Prober() as prober:
        prober.probe(write_video(tmp_path / "a.mp4"))
        child = prober._child

    assert child.poll() is not None


def test_the_child_imports_nothing_of_the_project():
    assert "from hits" not in _SCRIPT.read_text()


def test_single_videos_can_be_asked_about(tmp_path):
    path = write_video(tmp_path / "a.mp4")

    assert probe_video(path).duration == 1.0
    assert video_poster(path).startswith(b"\xff\xd8")


def test_a_campaign_knows_its_videos(tmp_path):
    write_video(tmp_path / "clips" / "1.mp4")
    write_video(tmp_path / "clips" / "2.mp4", codec="mpeg4")
    write_folder(tmp_path, {"videos.csv": "video,path\nv1,clips/1.mp4\nv2,clips/2.mp4\n"})

    reading = read_campaign(tmp_path)

    assert kinds(reading) == [Kind.UNPLAYABLE_VIDEO]
    assert reading.is_sound  # it is converted later
    assert reading.videos[0].facts is not None
    assert reading.videos[0].facts.duration == 1.0
    assert len(reading.videos[0].sha256) == 64


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_damaged_video_is_facts_or_a_fault(prober, tmp_path, data):
    path = tmp_path / "whole.mp4"
    whole = (path if path.exists() else write_video(path)).read_bytes()
    content = bytearray(whole[: data.draw(st.integers(1, len(whole)))])
    for _ in range(data.draw(st.integers(0, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "damaged.mp4").write_bytes(content)

    for ask in (prober.probe, prober.poster):
        with contextlib.suppress(UnreadableVideo):
            assert ask(tmp_path / "damaged.mp4")
