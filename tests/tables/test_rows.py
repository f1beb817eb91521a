"""Tables: three formats, one reading; and every way in which bytes fail to be a table."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daplatform.tables import Bounds, Columns, Faults, Kind, find_table, read_table
from daplatform.tables.formulas import as_written, defused

COLUMNS = Columns(required=("video", "system", "caption"))
ROW = [(2, ("v1", "alpha", 'He said "hi", and left'))]


def rows_of(path, content: bytes | str, columns: Columns = COLUMNS, **limits: int):
    """Rows and (kind, line, column) of faults of a table with that content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    faults = Faults()
    rows = list(read_table(path, columns, faults, Bounds(**limits)))
    return rows, [(fault.kind, fault.where.line, fault.where.column) for fault in faults]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["without BOM", "with BOM"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_it_reads_delimited_tables(tmp_path, suffix, delimiter, end, mark):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerows([["video", "system", "caption"], ROW[0][1]])

    assert rows_of(tmp_path / f"captions{suffix}", mark + text.getvalue().encode()) == (ROW, [])


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["without BOM", "with BOM"])
def test_it_reads_json_lines(tmp_path, mark):
    row = dict(zip(COLUMNS.required, ROW[0][1], strict=True))
    content = b"\n" + json.dumps(row).encode() + b"\n\n"

    assert rows_of(tmp_path / "captions.jsonl", mark + content) == (ROW, [])


@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), max_size=20)] * 3), max_size=8
    )
)
def test_what_our_files_hold_is_read_back(tmp_path_factory, rows):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([COLUMNS.required, *(map(defused, row) for row in rows)])
    path = tmp_path_factory.mktemp("table") / "captions.csv"

    found, faults = rows_of(path, text.getvalue())

    assert [values for _, values in found] == [
        tuple(as_written(joined(defused(text))) for text in row) for row in rows
    ]
    assert {kind for kind, _, _ in faults} <= {Kind.LINE_BREAK}


def test_a_name_that_a_spreadsheet_would_run_loses_the_apostrophe_we_gave_it(tmp_path):
    content = "video,system,caption\n'-AwyG,'@home,'tis so\n-AwyG,b,it's\n"
    assert rows_of(tmp_path / "captions.csv", content) == (
        [(2, ("-AwyG", "@home", "'tis so")), (3, ("-AwyG", "b", "it's"))],
        [],
    )


def joined(text: str) -> str:
    """What becomes of a text with line breaks."""
    return re.sub(r"[ \t]*[\r\n]+[ \t]*", " ", text).strip() if set("\r\n") & set(text) else text


def test_line_breaks_become_spaces_and_are_counted_once_a_file(tmp_path):
    content = 'video,system,caption\nv1,a,"A dog\r\n runs."\nv2,a,"A\rcat.\n"\nv3,a,A "bird"\n'
    content = content.replace('A "bird"', "A bird.")

    rows, _ = rows_of(tmp_path / "captions.csv", content)
    faults = Faults()
    list(read_table(tmp_path / "captions.csv", COLUMNS, faults))

    assert [values[2] for _, values in rows] == ["A dog runs.", "A cat.", "A bird."]
    assert [str(fault) for fault in faults] == [
        "captions.csv, line 2: Line breaks inside 2 texts became spaces; this is the first. "
        "Nothing, if the texts still read well."
    ]


def test_line_breaks_in_json_become_spaces_too(tmp_path):
    line = '{"video": "v1", "system": "a", "caption": "A dog\\nruns."}\n'

    rows, faults = rows_of(tmp_path / "captions.jsonl", line)

    assert rows == [(1, ("v1", "a", "A dog runs."))]
    assert faults == [(Kind.LINE_BREAK, 1, "")]


def test_a_first_line_may_name_the_separator_as_excel_does(tmp_path):
    rows, faults = rows_of(tmp_path / "c.csv", "sep=|\nvideo|system|caption\nv1|a|One, two\n")

    assert (rows, faults) == ([(3, ("v1", "a", "One, two"))], [])


def test_json_lines_are_known_by_how_they_begin(tmp_path):
    line = '{"video": "v1", "system": "a", "caption": "A dog."}\n'

    assert rows_of(tmp_path / "captions.csv", line) == ([(1, ("v1", "a", "A dog."))], [])


def test_lines_are_counted_through_texts_of_several_lines(tmp_path):
    content = 'video,system,caption\nv1,a,"one\ntwo"\n\nv2,a,three\n'

    rows, _ = rows_of(tmp_path / "captions.csv", content)

    assert [line for line, _ in rows] == [2, 5]


def test_columns_may_come_in_any_order_and_case(tmp_path):
    rows, faults = rows_of(tmp_path / "c.csv", "Caption, SYSTEM ,Video\nA dog.,alpha,v1\n")

    assert rows == [(2, ("v1", "alpha", "A dog."))]
    assert faults == []


def test_an_optional_column_that_is_absent_is_empty(tmp_path):
    columns = Columns(required=("video",), either=("path", "url"))

    assert rows_of(tmp_path / "v.csv", "url,video\nu,v1\n", columns)[0] == [(2, ("v1", "", "u"))]
    content = '{"video": 1, "url": null, "path": "p"}\n'
    assert rows_of(tmp_path / "v.jsonl", content, columns)[0] == [(1, ("1", "p", ""))]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [(Kind.EMPTY_FILE, None, "")]),
        ("system,caption\n", [(Kind.MISSING_COLUMN, 1, "")]),
        ("caption\n", [(Kind.MISSING_COLUMN, 1, "")]),
        ("video,system,caption,video\n", [(Kind.REPEATED_COLUMN, 1, "video")]),
        ("video,system,caption,notes\n", [(Kind.UNUSED_COLUMN, 1, "'notes'")]),
        ("video,system,caption\nv1,a\n", [(Kind.FIELD_COUNT, 2, "")]),
        ("video,system,caption\nv1,a,b,c\n", [(Kind.FIELD_COUNT, 2, "")]),
        ('video,system,caption\nv1,a,"b" c\n', [(Kind.QUOTING, 2, "")]),
        ('video,system,caption\nv1,a,"b\nv2,a,c\n', [(Kind.QUOTING, 2, "")]),
        ("video,system,caption\rv1,a,b\r", [(Kind.QUOTING, 1, "")]),
        (b"video,system,caption\nv1,a,caf\x8e\nv2,a,\x8e\n", [(Kind.ENCODING, 2, "9")]),
    ],
)
def test_it_says_where_a_delimited_table_is_wrong(tmp_path, content, expected):
    assert rows_of(tmp_path / "captions.csv", content)[1] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", (Kind.JSON, 1, "2")),
        ("[1]", (Kind.JSON, 1, "")),
        ("null", (Kind.JSON, 1, "")),
        ("[" * 30_000, (Kind.JSON, 1, "")),
        ("9" * 5000, (Kind.JSON, 1, "")),
        ('{"video": "a", "video": "b", "system": "s", "caption": "c"}', (Kind.JSON, 1, "")),
        ('{"video": "a", "system": "s"}', (Kind.MISSING_COLUMN, 1, "")),
        ('{"video": "a", "system": "s", "caption": ["c"]}', (Kind.NOT_TEXT, 1, "caption")),
        ('{"video": true, "system": "s", "caption": "c"}', (Kind.NOT_TEXT, 1, "video")),
        ('{"video": null, "system": "s", "caption": "c"}', (Kind.NOT_TEXT, 1, "video")),
    ],
)
def test_it_says_where_json_lines_are_wrong(tmp_path, line, expected):
    assert rows_of(tmp_path / "captions.jsonl", line) == ([], [expected])


def test_it_names_an_unused_json_key_once(tmp_path):
    line = '{"video": "a", "system": "s", "caption": "c", "notes": ""}\n'

    rows, faults = rows_of(tmp_path / "captions.jsonl", line * 3)

    assert len(rows) == 3
    assert faults == [(Kind.UNUSED_COLUMN, 1, "'notes'")]


def test_a_broken_row_does_not_stop_the_reading(tmp_path):
    content = b'video,system,caption\nv1,a\nv2,a,b\n"v3"x,a,b\nv4,a,\x81\nv5,a,b\n'

    rows, faults = rows_of(tmp_path / "captions.csv", content)

    assert [values[0] for _, values in rows] == ["v2", "v4", "v5"]
    assert [(kind, line) for kind, line, _ in faults] == [
        (Kind.FIELD_COUNT, 2),
        (Kind.QUOTING, 4),
        (Kind.ENCODING, 5),
    ]


def test_it_passes_over_a_line_of_a_million_characters(tmp_path):
    content = f"video,system,caption\nv1,a,{'x' * 1_000_000}\nv2,a,b\n"

    rows, faults = rows_of(tmp_path / "captions.csv", content)

    assert rows == [(3, ("v2", "a", "b"))]
    assert faults == [(Kind.LONG_LINE, 2, "")]


def test_an_open_quote_ends_where_a_line_would_be_too_long(tmp_path):
    content = 'video,system,caption\nv1,a,"open\n' + "v2,a,b\n" * 50

    rows, faults = rows_of(tmp_path / "captions.csv", content, line_bytes=100)

    assert faults == [(Kind.QUOTING, 2, "")]
    assert len(rows) > 30


def test_it_finds_the_one_table_of_a_name(tmp_path):
    faults = Faults()
    assert find_table(tmp_path, "captions", faults) is None
    (tmp_path / "captions.tsv").touch()
    assert find_table(tmp_path, "captions", faults) == tmp_path / "captions.tsv"
    (tmp_path / "captions.csv").touch()
    assert find_table(tmp_path, "captions", faults) is None

    assert {fault.kind for fault in faults} == {Kind.MISSING_FILE, Kind.AMBIGUOUS_FILE}


def test_it_refuses_a_table_that_is_a_link_or_a_folder(tmp_path):
    (tmp_path / "captions.csv").symlink_to("/etc/hostname")
    (tmp_path / "videos.csv").mkdir()
    faults = Faults()

    assert find_table(tmp_path, "captions", faults) is None
    assert find_table(tmp_path, "videos", faults) is None
    assert [fault.kind for fault in faults] == [Kind.LINK, Kind.UNREADABLE_FILE]
