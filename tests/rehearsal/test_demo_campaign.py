"""The demo campaign: a folder like an organiser's, made once and never twice."""

from __future__ import annotations

import csv
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hits.importing.reading import read_campaign
from rehearsal.demo import HUMANS, SYSTEMS, demo_scenes, judge, scene_named, write_demo_campaign

SMALL: dict[str, Any] = {"videos": 3, "size": (96, 54), "fps": 4, "workers": 1}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_campaign(folder, **SMALL)
    return folder


@pytest.fixture
def folder(finished, tmp_path) -> Path:
    """A copy for each test, so that none sees what another did to it."""
    return shutil.copytree(finished, tmp_path / "demo")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def times(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_it_writes_videos_captions_and_references(folder):
    names = [video["video"] for video in rows(folder / "videos.csv")]
    assert [scene_named(name) for name in names] == demo_scenes(3)
    assert all((folder / video["path"]).stat().st_size for video in rows(folder / "videos.csv"))
    captions, references = rows(folder / "captions.csv"), rows(folder / "references.csv")
    assert {(row["video"], row["system"]) for row in captions} == {
        (name, system) for name in names for system in SYSTEMS
    }
    assert {(row["video"], row["source"]) for row in references} == {
        (name, human) for name in names for human in HUMANS
    }


def test_its_settings_are_those_of_the_protocol(folder):
    settings = tomllib.loads((folder / "campaign.toml").read_text(encoding="utf-8"))
    assert settings["control"] == "human-a"
    assert settings["human"] == ["human-b"]
    assert settings["hits"] == {
        "size": 100, "redundancy": 1, "assignments": 1, "seed": 7,
    }  # fmt: skip


def test_it_imports_without_a_fault(folder):
    reading = read_campaign(folder)
    assert not reading.faults.errors, list(reading.faults)


def test_its_human_captions_describe_their_videos(folder):
    for row in rows(folder / "references.csv"):
        assert judge(scene_named(row["video"]), row["caption"]) > 0.6


def test_writing_it_again_touches_nothing(folder):
    before = times(folder)
    write_demo_campaign(folder, **SMALL)
    assert times(folder) == before


def test_what_is_missing_or_broken_is_made_again(folder):
    before = {path: path.read_bytes() for path in times(folder)}
    first, second, _ = sorted((folder / "clips").iterdir())
    first.unlink()
    second.write_bytes(b"not a video")
    (folder / "captions.csv").write_text("video,system,caption\n")
    write_demo_campaign(folder, **SMALL)
    assert {path: path.read_bytes() for path in times(folder)} == before


def test_several_workers_render_the_same_bytes(folder, tmp_path):
    write_demo_campaign(tmp_path / "pool", **{**SMALL, "workers": 2})
    alone = {path.name: path.read_bytes() for path in (folder / "clips").iterdir()}
    assert alone == {path.name: path.read_bytes() for path in (tmp_path / "pool/clips").iterdir()}
