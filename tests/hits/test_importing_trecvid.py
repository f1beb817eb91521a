"""TRECVID's layout: systems/, references/, one caption a line, and urls."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daplatform.tables import Kind
from hits.importing.reading import Reading, read_campaign
from hits.importing.roles import Role
from hits.importing.trecvid import system_name
from tests.hits.importing_material import kinds, write_files

FILES: dict[str, str | bytes | None] = {
    "urls": "https://example.org/1.mp4\nhttps://example.org/2.mp4\n",
    "systems/vtt.en-en.FDU": "a man rides a horse\na dog runs\n",
    "systems/vtt.en-en.HUMAN-B": "Somebody rides.\r\nA dog.\r\n",
    "references/vtt.en-en.HUMAN-A": "A man on a horse.\nA running dog.",
    "references/vtt.en-en.HUMAN-B": "Somebody rides.\nA dog.\n",
    "references/vtt.en-en.HUMAN-C": "A rider.\nA dog in a park.\n",
}


def read(root: Path, changes: dict[str, str | bytes | None] | None = None) -> Reading:
    return read_campaign(write_files(root / "vtt19", FILES | (changes or {})))


def errors(reading: Reading) -> list[tuple[Kind, str, int | None]]:
    return [
        (fault.kind, fault.where.file, fault.where.line)
        for fault in reading.faults
        if fault.severity == "error"
    ]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("trecvid19-vtt.en-en.KU_ISPL_prior", "KU_ISPL_prior"),
        ("trecvid19-vtt.en-en.run.2", "run.2"),
        ("trecvid17-vtt-enen-ref.en", "ref"),
        ("alpha.txt", "alpha"),
        ("alpha", "alpha"),
        ("alpha-1.2", "alpha-1.2"),
    ],
)
def test_the_name_of_a_system_is_in_that_of_its_file(file, name):
    assert system_name(file) == name


def test_it_needs_no_settings(tmp_path):
    reading = read(tmp_path)

    assert reading.is_sound
    assert kinds(reading) == []
    assert (reading.settings.name, reading.settings.control) == ("vtt19", "HUMAN-A")
    assert {system.name: system.role for system in reading.systems} == {
        "FDU": Role.CANDIDATE,
        "HUMAN-B": Role.HUMAN,
        "HUMAN-A": Role.REFERENCE,
        "HUMAN-C": Role.REFERENCE,
    }


def test_the_line_is_the_video_counted_from_one(tmp_path):
    captions = list(read(tmp_path).captions())

    assert captions[:3] == [
        ("1", "FDU", "a man rides a horse"),
        ("2", "FDU", "a dog runs"),
        ("1", "HUMAN-B", "Somebody rides."),
    ]
    assert len(captions) == 8


def test_settings_may_choose_otherwise(tmp_path):
    toml = 'name = "Nine"\ncontrol = "HUMAN-C"\nhuman = ["HUMAN-A", "HUMAN-B"]\n'
    reading = read(tmp_path, {"campaign.toml": toml})

    assert kinds(reading) == []
    assert reading.settings.name == "Nine"
    assert [system.name for system in reading.systems if system.is_control] == ["HUMAN-C"]
    assert [system.name for system in reading.systems if system.role is Role.HUMAN] == [
        "HUMAN-B",
        "HUMAN-A",
    ]


def test_the_caller_may_name_it(tmp_path):
    write_files(tmp_path, FILES)

    assert read_campaign(tmp_path, name="Upload").settings.name == "Upload"


def test_urls_may_be_paths(tmp_path):
    reading = read(tmp_path, {"urls": "https://example.org/1.mp4\nclips/2.mp4\n"})

    assert errors(reading) == [(Kind.MISSING_VIDEO, "urls", 2)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"urls": "https://example.org/1\n\n"}, (Kind.PATH, "urls", 2)),
        ({"urls": "https://example.org/1\nftp://x/2\n"}, (Kind.ADDRESS, "urls", 2)),
        ({"systems/x.txt": "one\n"}, (Kind.LINE_COUNT, "systems/x.txt", 1)),
        ({"systems/x.txt": "one\ntwo\nthree\n"}, (Kind.LINE_COUNT, "systems/x.txt", 3)),
        ({"systems/x.txt": "one\n \n"}, (Kind.EMPTY_CAPTION, "systems/x.txt", 2)),
        ({"systems/x.txt": b"one\ntw\x9a\n"}, (Kind.ENCODING, "systems/x.txt", 2)),
        ({"systems/x.txt": "one\nt\0o\n"}, (Kind.CONTROL_CHARACTER, "systems/x.txt", 2)),
        ({"systems/o.en-en.FDU": "one\ntwo\n"}, (Kind.SHARED_NAME, "systems/vtt.en-en.FDU", None)),
        (
            {"references/vtt.en-en.HUMAN-B": "Somebody rides.\nA cat.\n"},
            (Kind.SHARED_NAME, "references/vtt.en-en.HUMAN-B", 2),
        ),
        ({"captions.csv": ""}, (Kind.AMBIGUOUS_FILE, "systems/", None)),
    ],
)
def test_it_says_where_the_folder_is_wrong(tmp_path, changes, expected):
    assert expected in errors(read(tmp_path, changes))


def test_an_empty_line_is_not_to_be_deleted(tmp_path):
    reading = read(tmp_path, {"systems/x.txt": "\ntwo\n"})

    assert [f.remedy for f in reading.faults if f.kind is Kind.EMPTY_CAPTION] == ["Write one."]


def test_one_set_of_references_must_be_left_for_control(tmp_path):
    only = {name: content for name, content in FILES.items() if "HUMAN-A" not in name}
    del only["references/vtt.en-en.HUMAN-C"]

    assert errors(read_campaign(write_files(tmp_path, only))) == [
        (Kind.SETTING, "references/", None)
    ]


def test_without_urls_hits_can_be_composed_but_nothing_shown(tmp_path):
    write_files(tmp_path, {name: text for name, text in FILES.items() if name != "urls"})

    assert errors(read_campaign(tmp_path)) == [(Kind.MISSING_FILE, "urls", None)]
    composable = read_campaign(tmp_path, needs_videos=False)
    assert composable.is_sound
    assert kinds(composable) == [Kind.MISSING_FILE]
    assert [video.name for video in composable.videos] == ["1", "2"]


@pytest.mark.parametrize("missing", ["references", "systems/vtt.en-en.FDU"])
def test_a_folder_or_file_that_leads_elsewhere_is_refused(tmp_path, missing):
    root = write_files(tmp_path / "vtt", FILES)
    (root / missing).rename(tmp_path / "elsewhere")
    (root / missing).symlink_to(tmp_path / "elsewhere")

    assert not read_campaign(root).is_sound


def test_a_file_name_that_is_no_text_is_a_fault(tmp_path):
    root = write_files(tmp_path, FILES)
    name = os.fsencode(root / "systems") + b"/\xff\n"
    Path(os.fsdecode(name)).write_text("one\ntwo\n")

    reading = read_campaign(root)

    assert not reading.is_sound
    for fault in reading.faults:
        assert str(fault).encode().decode().isprintable()


@pytest.mark.published
@pytest.mark.parametrize("year", ["2016", "2017", "2018", "2019"])
def test_the_systems_of_a_published_year_are_those_that_were_scored(year):
    """Provenance: captions and scores of TRECVID video-to-text, from the BERTHA authors."""
    published = Path(os.environ["DA_PUBLISHED"])
    root = published / "trecvid-vtt" / "single-annotator" / year
    if not root.is_dir():
        pytest.skip(f"no published data at {root}")

    reading = read_campaign(root, needs_videos=False)
    scores = (root / "ad-seg-scores-en-en.csv").read_text().splitlines()

    ranked = {system.name for system in reading.systems if system.role is not Role.REFERENCE}
    assert reading.is_sound
    assert ranked == {line.split(",")[0] for line in scores[1:]}
