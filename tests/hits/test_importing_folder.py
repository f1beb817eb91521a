"""The platform's own layout, from files to checked rows."""

from __future__ import annotations

import csv
import json
import os
import tracemalloc

import pytest

from daplatform.tables import Kind
from hits.importing.limits import Limits
from hits.importing.reading import read_campaign
from hits.importing.roles import Role
from tests.hits.importing_material import (
    CAPTIONS,
    REFERENCES,
    TOML,
    VIDEOS,
    kinds,
    read_with,
    write_folder,
    write_video,
)
from tests.tables.sheets import write_ods, write_xlsx


def test_a_sound_campaign_has_no_faults(tmp_path):
    reading = read_with(tmp_path)

    assert list(reading.faults) == []
    assert reading.is_sound
    assert reading.settings.name == "Street scenes"
    assert [(video.name, video.url) for video in reading.videos] == [
        ("v1", "https://example.org/1.mp4"),
        ("v2", "https://example.org/2.mp4"),
    ]


def test_it_tells_the_roles_apart(tmp_path):
    reading = read_with(tmp_path)

    assert {system.name: system.role for system in reading.systems} == {
        "alpha": Role.CANDIDATE,
        "beta": Role.CANDIDATE,
        "human-a": Role.REFERENCE,
        "human-b": Role.HUMAN,
        "human-c": Role.REFERENCE,
    }
    assert reading.control is not None
    assert reading.control.name == "human-a"
    assert [system.captions for system in reading.systems] == [2] * 5
    assert reading.systems[0].samples == ("a man rides a horse", "a dog runs")


def test_captions_come_in_the_order_of_the_columns(tmp_path):
    reading = read_with(tmp_path)

    captions = list(reading.captions())

    assert len(captions) == 10
    assert captions[2] == ("v1", "beta", "a man, and a horse")
    assert [reading.videos[number].name for number in reading.video] == [c.video for c in captions]
    assert [reading.systems[number].name for number in reading.system] == [
        c.system for c in captions
    ]


def test_texts_are_kept_to_the_letter(tmp_path):
    odd = "video,system,caption\nv1,alpha, two  spaces \nv2,alpha,“q” ’n’ 犬\n"

    assert [caption.text for caption in read_with(tmp_path, {"captions.csv": odd}).captions()][
        :2
    ] == [
        " two  spaces ",
        "“q” ’n’ 犬",
    ]


def test_the_digest_is_that_of_the_content(tmp_path):
    first = read_with(tmp_path / "one").digest

    assert read_with(tmp_path / "two").digest == first
    assert read_with(tmp_path / "three", {"captions.csv": CAPTIONS + "\n"}).digest != first
    assert read_with(tmp_path / "four", {"campaign.toml": TOML + "# new\n"}).digest != first


def test_the_digest_covers_the_bytes_of_videos(tmp_path):
    table = {"videos.csv": "video,path\nv1,1.mp4\nv2,2.mp4\n"}
    write_video(tmp_path / "1.mp4")
    write_video(tmp_path / "2.mp4")
    first = read_with(tmp_path, table)
    write_video(tmp_path / "2.mp4", frames=11)

    assert first.is_sound
    assert read_with(tmp_path, table).digest != first.digest


def test_it_notices_a_file_that_changes_after_the_check(tmp_path):
    reading = read_with(tmp_path)
    (tmp_path / "captions.csv").write_text(CAPTIONS.replace("dog", "cat"))

    with pytest.raises(ValueError, match=r"captions\.csv has changed"):
        list(reading.captions())


def test_a_campaign_with_errors_gives_no_captions(tmp_path):
    reading = read_with(tmp_path, {"references.csv": None})

    with pytest.raises(ValueError, match="errors"):
        next(reading.captions())


def test_it_is_told_everything_at_once(tmp_path):
    reading = read_with(
        tmp_path,
        {
            "campaign.toml": TOML + "[hits]\nsize = 7\nsead = 3\n",
            "videos.csv": "video,url\nv1,ftp://example.org/1\nv2,https://example.org/2\nv2,x\n",
            "captions.csv": CAPTIONS + "v3,alpha,a bird\nv1,alpha,again\nv1,beta\nv2,gamma, \n",
            "references.csv": REFERENCES.encode() + b"v1,human-d,caf\x8e\n",
        },
    )

    found = [(f.kind, f.where.file, f.where.line, f.where.column) for f in reading.faults]
    assert [fault for fault in found if fault[0] is not Kind.MISSING_CAPTIONS] == [
        (Kind.SETTING, "campaign.toml", 5, "size"),
        (Kind.UNKNOWN_SETTING, "campaign.toml", 6, "sead"),
        (Kind.UNKNOWN_VIDEO, "captions.csv", 6, "video"),
        (Kind.DUPLICATE_CAPTION, "captions.csv", 7, ""),
        (Kind.FIELD_COUNT, "captions.csv", 8, ""),
        (Kind.EMPTY_CAPTION, "captions.csv", 9, "caption"),
        (Kind.ENCODING, "references.csv", 8, "15"),
        (Kind.ADDRESS, "videos.csv", 2, "url"),
        (Kind.DUPLICATE_VIDEO, "videos.csv", 4, "video"),
    ]
    assert all(fault.remedy for fault in reading.faults)


@pytest.mark.parametrize("name", ["campaign.toml", "videos.csv", "captions.csv", "references.csv"])
def test_a_missing_file_is_one_fault(tmp_path, name):
    reading = read_with(tmp_path, {name: None})

    assert [(fault.kind, fault.where.file) for fault in reading.faults] == [
        (Kind.MISSING_FILE, name)
    ]


@pytest.mark.parametrize("name", ["campaign.toml", "videos.csv", "captions.csv", "references.csv"])
def test_an_empty_file_is_an_error(tmp_path, name):
    assert not read_with(tmp_path, {name: b""}).is_sound


@pytest.mark.parametrize("header", [VIDEOS, CAPTIONS, REFERENCES])
def test_a_table_of_nothing_but_its_header_is_an_error(tmp_path, header):
    name = {VIDEOS: "videos.csv", CAPTIONS: "captions.csv", REFERENCES: "references.csv"}[header]

    assert not read_with(tmp_path, {name: header.split("\n")[0]}).is_sound


def test_a_pipe_is_not_waited_for(tmp_path):
    write_folder(tmp_path, {"captions.csv": None})
    os.mkfifo(tmp_path / "captions.csv")

    assert Kind.UNREADABLE_FILE in kinds(read_campaign(tmp_path))


def test_it_suggests_the_video_that_was_meant(tmp_path):
    reading = read_with(tmp_path, {"captions.csv": CAPTIONS + "V1,gamma,a bird\n"})

    unknown = next(fault for fault in reading.faults if fault.kind is Kind.UNKNOWN_VIDEO)
    assert unknown.remedy == "Did you mean 'v1'?"


def test_a_repeated_caption_names_the_line_of_the_first(tmp_path):
    reading = read_with(tmp_path, {"captions.csv": CAPTIONS + "v2,beta,again\n"})

    (fault,) = reading.faults
    assert (fault.kind, fault.where.line) == (Kind.DUPLICATE_CAPTION, 6)
    assert "captions.csv, line 5" in fault.message


def test_missing_captions_are_a_warning_with_counts(tmp_path):
    captions = CAPTIONS.replace("v2,beta,a cat sleeps\n", "")
    reading = read_with(tmp_path, {"captions.csv": captions})

    (fault,) = reading.faults
    assert reading.is_sound
    assert fault.kind is Kind.MISSING_CAPTIONS
    assert "'beta' has no caption for 1 of 2 videos: 'v2'" in fault.message


def test_the_control_set_needs_captions_of_two_videos(tmp_path):
    references = REFERENCES.replace("v2,human-a,A running dog.\n", "")
    reading = read_with(tmp_path, {"references.csv": references})

    assert [fault.where.column for fault in reading.faults if fault.severity == "error"] == [
        "control"
    ]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('control = "human-x"', "control"),
        ('control = "alpha"', "control"),
        ('control = "human-a"\nhuman = ["human-x"]', "human"),
        ('control = "human-a"\nhuman = ["alpha"]', "human"),
        ('control = "human-a"\nhuman = ["human-a"]', "human"),
    ],
)
def test_roles_must_name_sources_that_can_play_them(tmp_path, line, column):
    reading = read_with(tmp_path, {"campaign.toml": f'name = "N"\n{line}\n'})

    errors = [fault for fault in reading.faults if fault.severity == "error"]
    assert [(fault.kind, fault.where.column) for fault in errors] == [(Kind.SETTING, column)]


def test_a_system_and_a_source_cannot_share_a_name(tmp_path):
    reading = read_with(tmp_path, {"captions.csv": CAPTIONS.replace("beta", "human-c")})

    assert kinds(reading) == [Kind.SHARED_NAME]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("v3,,", Kind.PATH),
        ("v3,a.mp4,https://example.org/a.mp4", Kind.PATH),
        ("v3,https://example.org/a.mp4,", Kind.PATH),
        ("v3,../a.mp4,", Kind.PATH),
        ("v3,absent.mp4,", Kind.MISSING_VIDEO),
        ("v3,captions.csv,", Kind.UNREADABLE_VIDEO),
        ("v3,empty.mp4,", Kind.EMPTY_VIDEO),
        ("v3,link.mp4,", Kind.LINK),
        ("v3,,file:///etc/passwd", Kind.ADDRESS),
        (" v3,,https://example.org/a.mp4", Kind.NAME),
    ],
)
def test_it_refuses_a_video_that_cannot_be_shown(tmp_path, row, kind):
    table = "video,path,url\nv1,,https://example.org/1\nv2,,https://example.org/2\n" + row
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "link.mp4").symlink_to("empty.mp4")

    reading = read_with(tmp_path, {"videos.csv": table})

    errors = [fault for fault in reading.faults if fault.severity == "error"]
    assert [(fault.kind, fault.where.line) for fault in errors] == [(kind, 4)]


def test_videos_need_not_be_there_to_compose_hits(tmp_path):
    write_folder(tmp_path, {"videos.csv": "video,path\nv1,1.mp4\nv2,2.mp4\n"})

    assert read_campaign(tmp_path, needs_videos=False).is_sound
    assert kinds(read_campaign(tmp_path)) == [Kind.MISSING_VIDEO] * 2


def test_it_warns_of_one_video_under_two_names_and_of_plain_http(tmp_path):
    reading = read_with(
        tmp_path, {"videos.csv": "video,url\nv1,http://a.org/x\nv2,http://a.org/x\n"}
    )

    assert reading.is_sound
    assert sorted(kinds(reading)) == [Kind.ADDRESS, Kind.REPEATED_VIDEO_FILE]


def test_it_warns_of_a_file_that_nothing_is_read_from(tmp_path):
    reading = read_with(tmp_path, {"caption.csv": "", "README.md": "", ".hidden": ""})

    assert [(fault.kind, fault.remedy) for fault in reading.faults] == [
        (Kind.UNUSED_FILE, "Did you mean 'captions.csv'?")
    ]


def test_it_stops_at_the_limits(tmp_path):
    write_folder(tmp_path)

    for limits in (Limits(videos=1), Limits(videos_bytes=9), Limits(systems=1), Limits(captions=3)):
        assert Kind.TOO_MANY in kinds(read_campaign(tmp_path, limits=limits))


def test_it_refuses_a_source_that_is_not_there(tmp_path):
    reading = read_campaign(tmp_path / "absent")

    assert kinds(reading) == [Kind.MISSING_FILE]
    assert reading.videos == reading.systems == ()


def test_it_reports_progress_up_to_the_end(tmp_path):
    steps = []
    write_folder(tmp_path)

    read_campaign(tmp_path, progress=lambda what, done, total: steps.append((what, done, total)))

    assert ("captions.csv", 5, 5) in steps
    assert ("references.csv", 7, 7) in steps
    assert steps[-1] == ("videos", 2, 2)


def test_the_three_formats_say_the_same(tmp_path):
    rows = [line.split(",") for line in REFERENCES.splitlines()]
    tsv = "\n".join("\t".join(row) for row in rows)
    jsonl = "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:])
    readings = [
        read_with(tmp_path / suffix, {"references.csv": None, f"references.{suffix}": content})
        for suffix, content in (("csv", REFERENCES), ("tsv", tsv), ("jsonl", jsonl))
    ]

    assert [list(reading.captions()) for reading in readings] == [
        list(read_with(tmp_path / "original").captions())
    ] * 3


def test_many_captions_need_little_memory(tmp_path):
    """The 10 MB of captions must never be held together; 12 bytes for each of 20,000 may be."""
    videos = [f"v{number}" for number in range(2_000)]
    table = "video,url\n" + "".join(f"{v},https://example.org/{v}\n" for v in videos)
    rows = "".join(f"{v},system-{s},{'a man walks ' * 40}\n" for s in range(10) for v in videos)
    write_folder(tmp_path, {"videos.csv": table, "captions.csv": "video,system,caption\n" + rows})

    tracemalloc.start()
    try:
        reading = read_campaign(tmp_path, needs_videos=False)
        captions = sum(1 for _ in reading.captions())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert captions == 20_006
    assert peak < 4_000_000


def test_a_german_excel_export_is_read_as_it_is(tmp_path):
    """Semicolons, Windows-1252 and line breaks inside captions: warnings only."""
    captions = (
        "video;system;caption\r\n"
        'v1;alpha;"Ein Mann reitet\nüber die Straße"\r\nv2;alpha;Ein Hund läuft\r\n'
    )
    references = "video;source;caption\r\nv1;human-a;Ein Mann.\r\nv2;human-a;Ein Hund.\r\n"
    reading = read_with(
        tmp_path,
        {
            "campaign.toml": 'name = "Straßen"\ncontrol = "human-a"\n',
            "videos.csv": VIDEOS.replace(",", ";").encode("utf-16"),
            "captions.csv": captions.encode("cp1252"),
            "references.csv": references.encode("cp1252"),
        },
    )

    assert reading.is_sound
    assert [caption.text for caption in reading.captions()][:2] == [
        "Ein Mann reitet über die Straße",
        "Ein Hund läuft",
    ]
    assert [(fault.kind, fault.where.file) for fault in reading.faults] == [
        (Kind.ENCODING, "captions.csv"),
        (Kind.LINE_BREAK, "captions.csv"),
        (Kind.ENCODING, "videos.csv"),
    ]


def test_a_campaign_may_be_sheets(tmp_path):
    tables = {"videos": VIDEOS, "captions": CAPTIONS, "references": REFERENCES}
    root = write_folder(tmp_path, {f"{stem}.csv": None for stem in tables})
    for (stem, text), write in zip(
        tables.items(), (write_xlsx, write_ods, write_xlsx), strict=True
    ):
        suffix = ".ods" if write is write_ods else ".xlsx"
        write(root / f"{stem}{suffix}", list(csv.reader(text.splitlines())))

    reading = read_campaign(root)

    assert list(reading.faults) == []
    assert sum(1 for _ in reading.captions()) == 10


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"captions.csv": "v;s;c\nv1;alpha;one\n"}, [(Kind.MISSING_COLUMN, "captions.csv")]),
        ({"references.csv": "v;s;c\nv1;a;one\n"}, [(Kind.MISSING_COLUMN, "references.csv")]),
        ({"videos.csv": "v;u\nv1;https://x.org\n"}, [(Kind.MISSING_COLUMN, "videos.csv")]),
        ({"videos.csv": VIDEOS + "v3\n", "captions.csv": CAPTIONS + "v3,alpha,one\nv3,beta,two\n"},
         [(Kind.FIELD_COUNT, "videos.csv")]),
        ({"captions.csv": CAPTIONS + "v9,alpha,one\nv9,beta,one\n"},
         [(Kind.UNKNOWN_VIDEO, "captions.csv")]),
        ({"captions.csv": CAPTIONS + "v1, c,one\nv2, c,one\n"}, [(Kind.NAME, "captions.csv")]),
        ({"captions.csv": CAPTIONS.replace("beta,a cat sleeps", "beta")},
         [(Kind.FIELD_COUNT, "captions.csv")]),
        ({"captions.csv": None, "caption.csv": CAPTIONS}, [(Kind.MISSING_FILE, "captions.csv")]),
        ({"references.csv": REFERENCES.encode() + b"v1,d,\x81\nv2,d,\x81\n"},
         [(Kind.ENCODING, "references.csv")]),
    ],
)  # fmt: skip
def test_one_cause_is_one_message(tmp_path, files, told):
    reading = read_with(tmp_path, files)

    assert [(fault.kind, fault.where.file) for fault in reading.faults] == told
