"""Zips: unpacked only if nothing in them reaches outside, and never more than is bearable."""

from __future__ import annotations

import io
import random
import stat
import struct
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from daplatform.tables import Kind
from hits.importing.limits import Limits
from hits.importing.reading import read_campaign
from tests.hits.importing_material import CAPTIONS, REFERENCES, TOML, VIDEOS, kinds

MATERIAL = {
    "campaign.toml": TOML,
    "videos.csv": VIDEOS,
    "captions.csv": CAPTIONS,
    "references.csv": REFERENCES,
}


def zipped(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def with_entry(entry: zipfile.ZipInfo, content: bytes = b"x") -> bytes:
    buffer = io.BytesIO(zipped(MATERIAL))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(entry, content)
    return buffer.getvalue()


def read(root: Path, content: bytes, limits: Limits | None = None):
    workspace = root / "workspace"
    workspace.mkdir()
    (root / "upload.zip").write_bytes(content)
    return read_campaign(root / "upload.zip", workspace=workspace, limits=limits or Limits())


def outside(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.name != "workspace")


def test_it_reads_a_zip_of_files(tmp_path):
    reading = read(tmp_path, zipped(MATERIAL))

    assert kinds(reading) == []
    assert len(list(reading.captions())) == 10


def test_it_reads_a_zip_of_one_folder_past_what_desktops_leave(tmp_path):
    files = {f"street/{name}": content for name, content in MATERIAL.items()}
    rubbish = {"__MACOSX/street/._captions.csv": b"\0", "street/.DS_Store": b"\0"}

    reading = read(tmp_path, zipped(files | rubbish))

    assert kinds(reading) == []
    assert reading.root == tmp_path / "workspace" / "street"


def test_a_zip_and_its_folder_have_one_digest(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, content in MATERIAL.items():
        (tmp_path / "folder" / name).write_text(content)

    assert read(tmp_path, zipped(MATERIAL)).digest == read_campaign(tmp_path / "folder").digest


def test_a_campaign_without_a_name_is_called_like_its_zip(tmp_path):
    files = {"urls": "https://a.org/1\n", "systems/a": "one\n", "references/b": "one\n"}

    assert read(tmp_path, zipped(files)).settings.name == "upload"


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "a/../../evil",
        "/evil",
        "C:/evil",
        "a\\..\\evil",
        "a\nb",
        "x" * 300,
        "x/" * 20 + "x",
    ],
)
def test_it_refuses_a_path_outside_the_folder(tmp_path, name):
    reading = read(tmp_path, zipped(MATERIAL | {name: "x"}))

    assert kinds(reading) == [Kind.ARCHIVE]
    assert outside(tmp_path) == ["upload.zip"]
    assert list((tmp_path / "workspace").iterdir()) == []


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFBLK])
def test_it_refuses_links_and_devices(tmp_path, mode):
    entry = zipfile.ZipInfo("link")
    entry.external_attr = (mode | 0o777) << 16

    assert kinds(read(tmp_path, with_entry(entry, b"/etc/passwd"))) == [Kind.ARCHIVE]


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("a", "A"), ("a/b", "A/B")])
def test_it_refuses_files_that_would_overwrite_each_other(tmp_path, names):
    reading = read(tmp_path, zipped(MATERIAL | dict.fromkeys(names, "x")))

    assert set(kinds(reading)) == {Kind.ARCHIVE}


def test_it_refuses_an_encrypted_zip(tmp_path):
    content = bytearray(zipped({"a": "x"}))
    content[6] |= 1  # general purpose flag of the local header
    content[content.index(b"PK\1\2") + 8] |= 1  # and of the central directory

    (fault,) = read(tmp_path, bytes(content)).faults
    assert "encrypted" in fault.message


def test_it_refuses_packing_that_is_not_common(tmp_path):
    assert kinds(read(tmp_path, zipped(MATERIAL, zipfile.ZIP_LZMA))) == [Kind.ARCHIVE] * 4


def test_it_refuses_a_bomb(tmp_path):
    reading = read(tmp_path, zipped(MATERIAL | {"bomb": bytes(20_000_000)}))

    assert kinds(reading) == [Kind.TOO_MANY]
    assert list((tmp_path / "workspace").iterdir()) == []


def test_it_refuses_one_entry_that_is_a_bomb_among_honest_ones(tmp_path):
    honest = random.Random(1).randbytes(200_000)

    reading = read(tmp_path, zipped({"bomb": bytes(20_000_000), "honest": honest}))

    assert kinds(reading) == [Kind.ARCHIVE]
    assert list((tmp_path / "workspace").iterdir()) == []


@pytest.mark.parametrize("limits", [Limits(archive_files=3), Limits(archive_bytes=100)])
def test_it_refuses_too_many_files_or_bytes(tmp_path, limits):
    assert kinds(read(tmp_path, zipped(MATERIAL), limits)) == [Kind.TOO_MANY]


def test_it_refuses_a_list_of_files_that_would_fill_the_memory(tmp_path):
    files = {f"{number:06}": "" for number in range(2_000)}

    (fault,) = read(tmp_path, zipped(files), Limits(archive_directory_bytes=100_000)).faults
    assert "list of files is too long" in fault.message


def test_an_entry_that_lies_about_its_size_is_refused(tmp_path):
    content = bytearray(zipped({"a": "x" * 1000}))
    place = content.index(b"PK\1\2") + 24
    content[place : place + 4] = struct.pack("<I", 10)

    assert kinds(read(tmp_path, bytes(content))) == [Kind.ARCHIVE]


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", zipped({})])
def test_it_refuses_what_is_no_zip_or_empty(tmp_path, content):
    assert kinds(read(tmp_path, content)) == [Kind.ARCHIVE]


def test_a_zip_needs_a_place_to_be_unpacked(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped(MATERIAL))

    with pytest.raises(ValueError, match="workspace"):
        read_campaign(tmp_path / "a.zip")


WHOLE = zipped(MATERIAL)


@given(st.integers(0, len(WHOLE) - 1))
@settings(deadline=None, max_examples=60)
def test_a_truncated_zip_is_refused(length):
    with tempfile.TemporaryDirectory() as folder:
        assert kinds(read(Path(folder), WHOLE[:length])) == [Kind.ARCHIVE]


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=4))))
@settings(deadline=None, max_examples=200)
@example([(WHOLE.index(b"PK\1\2") + 46, b"\0")])  # a name cut to nothing
def test_a_damaged_zip_is_never_an_exception(damage):
    content = bytearray(WHOLE)
    for place, replacement in damage:
        content[place : place + len(replacement)] = replacement
    with tempfile.TemporaryDirectory() as folder:
        reading = read(Path(folder), bytes(content))
        assert reading.is_sound or reading.faults.errors
        assert outside(Path(folder)) == ["upload.zip"]
