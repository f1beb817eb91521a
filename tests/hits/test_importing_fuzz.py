"""Whatever the bytes: faults with a place and a remedy, never an exception."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.importing.limits import Limits
from hits.importing.reading import Reading, read_campaign
from tests.hits.importing_material import (
    CAPTIONS,
    REFERENCES,
    TOML,
    VIDEOS,
    write_files,
    write_folder,
)

TABLES = {"videos": VIDEOS, "captions": CAPTIONS, "references": REFERENCES}
NAMES = ["campaign.toml", *(f"{stem}.{end}" for stem in TABLES for end in ("csv", "tsv", "jsonl"))]

# Bytes that mean something to one of the readers, among any others.
PIECES = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([b"\n", b"\r", b",", b"\t", b'"', b"{", b"}", b"[", b":", b"\0", b"=", b"'"]),
    st.sampled_from([b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9", "é漢".encode(), "é".encode("utf-16")]),
    st.sampled_from([b"video", b"caption", b"v1", b'{"video": "', b"[hits]", b"\\ud800", b"1e9"]),
)
CONTENT = st.lists(PIECES, max_size=30).map(b"".join)


def check(reading: Reading) -> None:
    """Either all of it is right, or there are faults that can be read and printed."""
    for fault in reading.faults:
        assert fault.message
        assert str(fault).isprintable()
        str(fault).encode()
    if reading.is_sound:
        captions = list(reading.captions())
        assert len(captions) == len(reading.video) == len(reading.system)
        assert all(caption.text.strip() for caption in captions)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=30)
@given(content=CONTENT)
def test_any_bytes_for_any_file(name, content):
    stem = name.split(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        replaced = {f"{stem}.csv": None} if stem in TABLES else {}
        check(read_campaign(write_folder(Path(folder), {**replaced, name: content})))


@pytest.mark.parametrize("stem", TABLES)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_any_bytes_within_a_sound_table(stem, data):
    content = TABLES[stem].encode()
    place = data.draw(st.integers(0, len(content)))
    content = content[:place] + data.draw(CONTENT) + content[place:]
    with tempfile.TemporaryDirectory() as folder:
        check(read_campaign(write_folder(Path(folder), {f"{stem}.csv": content})))


@settings(deadline=None, max_examples=60)
@given(place=st.integers(0, len(TOML)), content=CONTENT)
def test_any_bytes_within_sound_settings(place, content):
    toml = TOML.encode()
    with tempfile.TemporaryDirectory() as folder:
        root = write_folder(Path(folder), {"campaign.toml": toml[:place] + content + toml[place:]})
        check(read_campaign(root))


@settings(deadline=None, max_examples=60)
@given(
    urls=CONTENT,
    system=CONTENT,
    reference=CONTENT,
    name=st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=9),
)
def test_any_bytes_in_trecvids_layout(urls, system, reference, name):
    with tempfile.TemporaryDirectory() as folder:
        files = {"urls": urls, f"systems/s{name}": system, "references/ref": reference}
        check(read_campaign(write_files(Path(folder), files)))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252", "utf-8-sig"]), min_size=1))
def test_mixed_encodings(encodings):
    line = "v1,alpha,ein schönes Café\n"
    content = b"video,system,caption\n" + b"".join(line.encode(name) for name in encodings)
    with tempfile.TemporaryDirectory() as folder:
        reading = read_campaign(write_folder(Path(folder), {"captions.csv": content}))
        check(reading)
        assert reading.is_sound == (encodings in (["utf-8"], ["latin-1"], ["cp1252"]))


@pytest.mark.parametrize("name", ["captions.csv", "captions.tsv", "captions.jsonl", "videos.csv"])
@pytest.mark.parametrize("piece", [b"x", b'"', b",", b'"x\n', b"[", b"\xff", b"\xe9\n", b"a,b,c\n"])
def test_millions_of_characters_stay_within_bounds(tmp_path, name, piece):
    replaced = {"captions.csv": None} if name.startswith("captions") else {}
    times = 20_000 if piece.endswith(b"\n") else 1_000_000
    root = write_folder(tmp_path, {**replaced, name: piece * times})

    tracemalloc.start()
    try:
        reading = read_campaign(root, limits=Limits(faults_per_kind=100))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    check(reading)
    assert not reading.is_sound
    assert peak < 4_000_000
