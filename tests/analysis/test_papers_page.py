"""Every command of docs/papers.md runs, in the order it stands there, on small data."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from analysis.presenting.downloads import table_file
from analysis.presenting.exports import ratings_table
from benchmarks.crowd import simulate

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
# A row of a point has its status; rows of tables with numbers have none.
POINT = r"^\| ([DBVEF])(\d+)(?:–[DBVEF](\d+))? \| [^|]+ \| (?:works|partly|not yet|left out)"
COMMANDS = re.findall(r"^    python manage\.py (.+)$", PAGE, re.MULTILINE)
WORDS = [
    "man",
    "dog",
    "horse",
    "street",
    "runs",
    "rides",
    "red",
    "small",
    "park",
    "ball",
    "two",
    "sits",
]


def sentences(rng, count):
    return [" ".join(["a", *rng.choice(WORDS, 6)]) for _ in range(count)]


def table(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


def trecvid(folder, rng, videos=40):
    """A year of the task: SIDs count from 1."""
    (folder / "systems").mkdir(parents=True)
    (folder / "references").mkdir()
    references = [sentences(rng, videos) for _ in range(2)]
    for name, lines in zip(("HUMAN-A", "HUMAN-B"), references, strict=True):
        (folder / "references" / f"t.en-en.{name}").write_text("\n".join(lines) + "\n")
    rows = []
    for system in "ABCD":
        kept = rng.integers(0, 8, videos)
        captions = [
            " ".join([*line.split()[:count], *rng.choice(WORDS, 7 - count)])
            for line, count in zip(references[0], kept, strict=True)
        ]
        (folder / "systems" / f"t.en-en.{system}").write_text("\n".join(captions) + "\n")
        rows += [(system, at + 1, 10 * n, n / 4, 3) for at, n in enumerate(kept.tolist())]
    table(folder / "ad-seg-scores-en-en.csv", "SYS,SID,RAW.SCR,Z.SCR,N", rows)


def campaign(folder, rng):
    folder.mkdir()
    videos = [f"v{number}" for number in range(80)]
    table(folder / "videos.csv", "video,path", [(video, f"{video}.mp4") for video in videos])
    for name, column, names in (
        ("captions", "system", "AB"), ("references", "source", ("human-a", "human-b")),
    ):  # fmt: skip
        rows = [
            (video, source, text)
            for source in names
            for video, text in zip(videos, sentences(rng, len(videos)), strict=True)
        ]
        table(folder / f"{name}.csv", f"video,{column},caption", rows)
    (folder / "campaign.toml").write_text('name = "Small"\ncontrol = "human-a"\n')
    return videos


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers")
    rng = np.random.default_rng(3)
    videos = campaign(folder / "campaign", rng)
    for name, seed in (("ratings.csv", 1), ("first.csv", 1), ("second.csv", 2)):
        ratings = simulate(annotators=10, systems=5, videos=20, clickers=0, seed=seed)
        (folder / name).write_bytes(table_file(ratings_table(ratings), "csv"))
    shutil.copy(ROOT / "tests" / "data" / "field" / "ad-latest.csv", folder)
    rows = [(video, system, rng.normal()) for video in videos for system in "AB"]
    table(folder / "human.csv", "video,system,z", rows)
    people = [(*row[:2], *rng.integers(1, 6, 3)) for row in rows]
    table(folder / "people.csv", "video,system,a,b,c", people)
    for year in ("2016", "2017"):
        trecvid(folder / "vtt" / year, rng)
        trecvid(folder / "single" / year, rng)
    table(folder / "concepts.csv", "word,category", [("dog", "animal"), ("horse", "animal")])
    foils = [(number, "a dog runs", "a horse runs") for number in range(1, 11)]
    table(folder / "vtt-foils.csv", "video,true,foil", foils)
    marked = {
        f"f{number}": {
            system: {
                "paragraph_score": int(rng.integers(1, 6)),
                "sentences": ["a [dog] runs", "it sits"],
            }
            for system in "AB"
        }
        for number in range(6)
    }
    (folder / "factuality_annotation.json").write_text(json.dumps(marked))
    told = [
        (video, system, text)
        for video in marked
        for system, text in zip("AB", sentences(rng, 2), strict=True)
    ]
    table(folder / "facts-captions.csv", "video,system,caption", told)
    told = [(video, "h", text) for video, text in zip(marked, sentences(rng, 6), strict=True)]
    table(folder / "facts-references.csv", "video,source,caption", told)
    judged = {
        f"image-{number}": {
            "image_path": f"{number}.jpg",
            "ground_truth": sentences(rng, 2),
            "human_judgement": [
                {"caption": text, "rating": int(rng.integers(1, 5))}
                for text in sentences(rng, 3)
                for _ in range(3)
            ],
        }
        for number in range(8)
    }
    (folder / "flickr8k.json").write_text(json.dumps(judged))
    times = [(0, 4), (4, 9)]
    for name, source in (("parts", "A"), ("parts-references", "h")):
        rows = [("v1", source, text, *own)
                for text, own in zip(sentences(rng, 2), times, strict=True)]  # fmt: skip
        column = "system" if source == "A" else "source"
        table(folder / f"{name}.csv", f"video,{column},caption,start,end", rows)
    return folder


def test_the_commands_of_the_page_run_one_after_the_other(files, monkeypatch):
    """Some take what an earlier one has written."""
    monkeypatch.chdir(files)
    assert COMMANDS
    for command in COMMANDS:
        name, *arguments = shlex.split(command)
        quick = ["--draws", "20"] if name in ("analyse", "correlate", "compare", "describe") else []
        call_command(name, *arguments, *quick, stdout=io.StringIO(), stderr=io.StringIO())
        assert Path(arguments[arguments.index("--out") + 1]).exists(), command


def test_every_point_of_the_papers_has_a_row():
    """116 points: 26, 19, 17, 24 and 30; a row may stand for several that follow each other."""
    counted = {}
    for letter, first, last in re.findall(POINT, PAGE, re.MULTILINE):
        counted.setdefault(letter, []).extend(range(int(first), int(last or first) + 1))
    sizes = {"D": 26, "B": 19, "V": 17, "E": 24, "F": 30}
    assert counted == {letter: list(range(1, size + 1)) for letter, size in sizes.items()}


def test_every_command_that_a_row_names_is_run():
    """But those that need a database, which pages and their own tests show, or model weights."""
    known = {path.stem for path in ROOT.glob("*/management/commands/*.py")}
    rows = re.findall(r"^\| [DBVEF]\d.*\| works \|(.*)\|$", PAGE, re.MULTILINE)
    named = {word for row in rows for code in re.findall(r"`([^`]+)`", row)
             for word in code.split()[:1] if word in known}  # fmt: skip
    assert len(named) > 5
    elsewhere = {"import_campaign", "rehearse", "erase"}
    assert named - elsewhere <= {command.split()[0] for command in COMMANDS}
