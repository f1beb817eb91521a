"""Videos that are out to fill a machine cost one sentence each, and the import goes on."""

from __future__ import annotations

import io
import os
import resource
import signal
from fractions import Fraction
from pathlib import Path

import pytest
from PIL import Image

from daplatform.tables import Kind
from hits.importing import sandbox
from hits.importing.reading import read_campaign
from hits.importing.sandbox import Prober, UnreadableVideo
from tests.hits.importing_material import kinds, write_folder, write_video
from tests.security.bombs import picture, stretch, write_pictures

GIGANTIC = 16_000  # pixels: the most that FFmpeg itself lets pass; a frame takes 256 MB and more


@pytest.fixture
def prober():
    with Prober() as prober:
        yield prober


def test_a_gigantic_picture_is_refused_before_it_is_decoded(prober, tmp_path):
    path = write_pictures(tmp_path / "a.mp4", *[picture(GIGANTIC)] * 3)
    assert path.stat().st_size < 2_000
    for ask in (prober.probe, prober.poster):
        with pytest.raises(UnreadableVideo, match="16,000 by 16,000 pixels is too large"):
            ask(path)


def test_a_gigantic_picture_in_the_middle_is_not_decoded_either(prober, tmp_path):
    small, large = picture(64, is_whole=True), picture(8_000, is_whole=True)
    path = write_pictures(tmp_path / "a.mp4", small, large, large)
    assert prober.probe(path).width == 64
    assert Image.open(io.BytesIO(prober.poster(path))).size == (64, 64)


def test_pixels_made_square_do_not_make_a_gigantic_picture(prober, tmp_path):
    path = write_video(tmp_path / "a.mp4", size=(4096, 16), pixel_shape=Fraction(10))
    with pytest.raises(UnreadableVideo, match="40,960 by 16 pixels"):
        prober.probe(path)


@pytest.mark.parametrize(("name", "codec"), [("a.avi", "mpeg4"), ("a.mkv", "libx264")])
def test_a_file_without_an_end_is_given_up(tmp_path, name, codec):
    path = stretch(write_video(tmp_path / name, codec=codec))
    with Prober(seconds=1) as prober, pytest.raises(UnreadableVideo, match="limits of time"):
        prober.probe(path)


def test_memory_that_is_not_there_is_one_sentence_and_the_child_lives_on(tmp_path):
    whole = write_pictures(tmp_path / "b.mp4", *[picture(5_000, is_whole=True)] * 2)
    small = write_video(tmp_path / "a.mp4")
    with Prober() as roomy:
        roomy.probe(small)
        pages = int(Path(f"/proc/{roomy._child.pid}/statm").read_text().split()[0])
        assert roomy.probe(whole).width == 5_000
    with Prober(memory=pages * resource.getpagesize() + 5_000_000) as narrow:
        assert narrow.probe(small).width == 64
        with pytest.raises(UnreadableVideo):
            narrow.probe(whole)
        assert narrow.probe(small).width == 64


def test_a_child_that_no_longer_keeps_time_is_ended(prober, tmp_path, monkeypatch):
    path = write_video(tmp_path / "a.mp4")
    prober.probe(path)
    os.kill(prober._child.pid, signal.SIGSTOP)
    with monkeypatch.context() as hasty:
        hasty.setattr(sandbox, "_GRACE", 0)
        hasty.setattr(prober, "_seconds", 1)
        with pytest.raises(UnreadableVideo, match="limits"):
            prober.probe(path)
    assert prober.probe(path).width == 64


def test_each_file_has_its_own_time(prober, tmp_path):
    """However many videos a child looks into, the next is not ended for what those took."""
    path = write_video(tmp_path / "a.mp4")
    prober.probe(path)
    child = prober._child.pid
    soft, hard = resource.prlimit(child, resource.RLIMIT_CPU)
    assert 60 < soft <= 70
    assert hard == resource.RLIM_INFINITY
    resource.prlimit(child, resource.RLIMIT_CPU, (soft - 30, hard))
    assert prober.probe(path).width == 64
    assert resource.prlimit(child, resource.RLIMIT_CPU)[0] >= soft


def test_the_import_goes_on_after_each_bomb(tmp_path):
    write_video(tmp_path / "1.mp4")
    write_pictures(tmp_path / "2.mp4", picture(GIGANTIC))
    write_pictures(tmp_path / "3.mp4", picture(60_000))
    write_video(tmp_path / "4.mp4")
    rows = "".join(f"v{number},{number}.mp4\n" for number in range(1, 5))
    captions = "".join(f"v{number},alpha,a man rides\n" for number in range(1, 5))
    references = captions.replace("alpha", "human-a") + captions.replace("alpha", "human-b")
    write_folder(
        tmp_path,
        {
            "videos.csv": f"video,path\n{rows}",
            "captions.csv": f"video,system,caption\n{captions}",
            "references.csv": f"video,source,caption\n{references}",
        },
    )

    reading = read_campaign(tmp_path)

    assert [kind for kind in kinds(reading) if kind is Kind.UNREADABLE_VIDEO] == kinds(reading)
    assert [video.facts is not None for video in reading.videos] == [True, False, False, True]
    assert [fault.where.line for fault in reading.faults] == [3, 4]
