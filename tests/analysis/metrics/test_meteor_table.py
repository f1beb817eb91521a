"""METEOR's paraphrases: a table made once, whole, by whichever process comes first."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest

from analysis.metrics.families.meteor import table
from analysis.metrics.families.meteor.files import Files
from analysis.metrics.families.meteor.table import open_table

# A probability, a phrase and one of its paraphrases; those of one phrase follow each other.
PAIRS = [
    ("in front of", "before"),
    ("in front of", "ahead of"),
    ("in front", "ahead"),
    ("before", "prior to"),
    ("ahead of", "in front of"),
    ('café "x"', "bar"),
]  # fmt: skip


@pytest.fixture
def files(tmp_path) -> Files:
    jar, paraphrases = tmp_path / "meteor.jar", tmp_path / "paraphrase-en.gz"
    jar.write_bytes(b"lists")
    lines = [line for one, other in PAIRS for line in ("0.5", one, other)]
    paraphrases.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return Files(jar, paraphrases)


def found(words: str, files: Files, folder) -> list[tuple[int, str]]:
    """Where phrases begin, and what they are, in the order they are found."""
    text = words.split()
    phrases = open_table(files, folder).phrases(text)
    rows = zip(phrases.places.tolist(), phrases.lengths.tolist(), strict=True)
    return [(place, " ".join(text[place : place + length])) for place, length in rows]


def test_phrases_are_found_at_every_place_the_shortest_first(files, tmp_path):
    assert found("stand in front of before", files, tmp_path / "store") == [
        (1, "in"), (1, "in front"), (1, "in front of"), (2, "front"), (3, "of"), (4, "before"),
    ]  # fmt: skip
    assert found("front in nowhere in", files, tmp_path / "store") == [
        (0, "front"), (1, "in"), (3, "in"),
    ]  # fmt: skip
    assert found("", files, tmp_path / "store") == []


def paraphrases(words: str, files: Files, folder) -> dict[str, list[str]]:
    """Of each phrase of the text its paraphrases in the text, in the order of the table."""
    opened, text = open_table(files, folder), words.split()
    phrases = opened.phrases(text)
    name = {
        node: " ".join(text[place : place + length])
        for place, length, node in zip(*(column.tolist() for column in phrases), strict=True)
    }
    return {
        name[one]: [name[other] for other in sorted(near, key=near.get)]
        for one, near in opened.paraphrases(phrases.nodes).items()
    }


def test_only_paraphrases_that_are_there_are_told_in_the_order_of_the_table(files, tmp_path):
    text = "ahead of x before x in front of"
    assert paraphrases(text, files, tmp_path / "store") == {
        "in front of": ["before", "ahead of"],
        "in front": ["ahead"],
        "ahead of": ["in front of"],
    }
    assert paraphrases('a café "x" and a bar', files, tmp_path / "store") == {'café "x"': ["bar"]}
    assert paraphrases("nothing at all", files, tmp_path / "store") == {}


def test_it_is_made_once(files, tmp_path, monkeypatch):
    open_table(files, tmp_path / "store")
    monkeypatch.setattr(table, "build_table", lambda source: pytest.fail("made again"))
    open_table(files, tmp_path / "store")


def test_other_data_has_a_table_of_its_own(files, tmp_path):
    open_table(files, tmp_path / "store")
    files.paraphrases.write_bytes(gzip.compress(b"0.5\nx\ny\n"))
    newer = Files(files.jar, files.paraphrases.rename(tmp_path / "newer.gz"))
    assert found("x in", newer, tmp_path / "store") == [(0, "x")]
    assert len(list((tmp_path / "store").iterdir())) == 2


def test_what_a_full_disk_cut_short_is_made_again(files, tmp_path, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            open_table(files, tmp_path / "store")
    [home] = (tmp_path / "store").iterdir()
    assert list(home.iterdir()) == []
    assert found("before", files, tmp_path / "store") == [(0, "before")]


MAKE = """
import sys
from pathlib import Path
from analysis.metrics.families.meteor import table
from analysis.metrics.families.meteor.files import Files
build = table.build_table
def told(source):
    print("made")
    return build(source)
table.build_table = told
table.open_table(Files(Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]))
"""


def test_of_several_processes_at_once_one_makes_it_and_all_have_it(files, tmp_path):
    command = [sys.executable, "-c", MAKE, *files, tmp_path / "store"]
    running = [
        subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4
    assert "".join(said) == "made\n"


def test_the_table_stays_on_the_disk(files, tmp_path):
    arrays = open_table(files, tmp_path / "store")._arrays
    assert all(isinstance(array.base, np.memmap) for array in arrays)
