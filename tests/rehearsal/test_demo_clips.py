"""Clips of the demo: playable anywhere, the same bytes every time."""

from __future__ import annotations

from typing import Any

import av
import pytest

from rehearsal.demo import clips, render_clip, scene
from rehearsal.demo.clips import is_rendered

SMALL: dict[str, Any] = {"size": (96, 54), "fps": 6}


def test_a_clip_is_playable_and_as_long_as_its_scene(tmp_path):
    render_clip(scene(5), tmp_path / "clip.mp4", **SMALL)
    with av.open(str(tmp_path / "clip.mp4")) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.width, stream.height) == (96, 54)
        assert len(list(container.decode(video=0))) == round(6 * scene(5).seconds)
        assert container.duration / av.time_base == pytest.approx(scene(5).seconds, abs=0.01)


def test_a_browser_can_start_playing_before_it_has_the_whole_file(tmp_path):
    render_clip(scene(5), tmp_path / "clip.mp4", **SMALL)
    content = (tmp_path / "clip.mp4").read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


def test_the_same_scene_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        render_clip(scene(6), tmp_path / name, **SMALL)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_clip_knows_what_it_was_made_from(tmp_path):
    path = tmp_path / "clip.mp4"
    render_clip(scene(6), path, **SMALL)
    assert is_rendered(scene(6), path, **SMALL)
    assert not is_rendered(scene(7), path, **SMALL)
    assert not is_rendered(scene(6), path, size=(96, 54), fps=12)
    assert not is_rendered(scene(6), tmp_path / "missing.mp4", **SMALL)


def test_a_broken_clip_is_not_taken_for_a_clip(tmp_path):
    path = tmp_path / "clip.mp4"
    render_clip(scene(6), path, **SMALL)
    path.write_bytes(path.read_bytes()[:200])
    assert not is_rendered(scene(6), path, **SMALL)


def test_an_interrupted_clip_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupted(scene, path, size, fps):
        path.write_bytes(b"half a clip")
        raise KeyboardInterrupt

    monkeypatch.setattr(clips, "_encode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        render_clip(scene(6), tmp_path / "clip.mp4", **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_it_refuses_a_size_that_h264_cannot_have(tmp_path):
    with pytest.raises(ValueError, match="size"):
        render_clip(scene(6), tmp_path / "clip.mp4", size=(97, 54))
