"""Faults: all are counted, enough are kept, and each says where and what to do."""

from __future__ import annotations

import json

from daplatform.tables import Faults, Kind, Where


def test_it_keeps_the_first_of_each_kind_and_counts_the_rest():
    faults = Faults(kept=3)
    for line in range(10):
        faults.error(Kind.EMPTY_CAPTION, Where("captions.csv", line), "Empty.")
    faults.error(Kind.MISSING_FILE, Where("videos.csv"), "Missing.")

    assert faults.errors == len(faults) == 11
    assert len(list(faults)) == 4
    assert faults.unlisted == {Kind.EMPTY_CAPTION: 7}
    assert faults.is_full(Kind.EMPTY_CAPTION)
    assert not faults.is_full(Kind.MISSING_FILE)


def test_it_counts_warnings_apart_from_errors():
    faults = Faults()
    faults.warning(Kind.UNUSED_FILE, Where("notes.txt"), "Unused.")

    assert (faults.errors, faults.warnings) == (0, 1)


def test_it_lists_errors_first_then_by_file_and_line():
    faults = Faults()
    faults.warning(Kind.UNUSED_FILE, Where("a.txt"), "Unused.")
    faults.error(Kind.QUOTING, Where("b.csv", 9), "Later.")
    faults.error(Kind.QUOTING, Where("b.csv", 2), "Sooner.")
    faults.error(Kind.SETTING, Where("a.toml"), "First.")

    assert [fault.message for fault in faults] == ["First.", "Sooner.", "Later.", "Unused."]


def test_a_fault_reads_as_a_sentence_with_its_place():
    faults = Faults()
    faults.error(Kind.EMPTY_CAPTION, Where("captions.csv", 7, "caption"), "Empty.", "Write one.")

    assert str(next(iter(faults))) == "captions.csv, line 7, column caption: Empty. Write one."


def test_a_fault_goes_into_json():
    faults = Faults()
    faults.warning(Kind.ADDRESS, Where("videos.csv", 3), "Plain http.", "Use https.")

    assert json.loads(json.dumps(next(iter(faults)).as_dict())) == {
        "severity": "warning",
        "kind": "address",
        "file": "videos.csv",
        "line": 3,
        "column": "",
        "message": "Plain http.",
        "remedy": "Use https.",
    }
