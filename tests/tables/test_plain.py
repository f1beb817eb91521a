"""Files as Excel, LibreOffice and gzip leave them: read, or refused with the way out."""

from __future__ import annotations

import gzip

import pytest

from daplatform.tables import Bounds, Columns, Faults, Kind, Severity, read_table
from tests.tables.sheets import write_ods, write_workbook, write_xlsx

COLUMNS = Columns(required=("video", "system", "caption"))
GERMAN = "video;system;caption\r\nv1;a;Ein Hund läuft über die Straße – schnell.\r\n"
TEXT = "Ein Hund läuft über die Straße – schnell."
SHEET = [("video", "system", "caption"), (1.0, "a", "A dog\nruns."), (2.5, "a", "A cat.")]


def read(path, **bounds: int):
    """Rows and faults of a table."""
    faults = Faults()
    return list(read_table(path, COLUMNS, faults, Bounds(**bounds))), list(faults)


def written(path, content: bytes):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp1252", "Windows-1252 (Latin-1)"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"),
    ],
)
def test_other_encodings_are_read_with_one_warning(tmp_path, encoding, name):
    rows, faults = read(written(tmp_path / "captions.csv", GERMAN.encode(encoding)))

    assert rows == [(2, ("v1", "a", TEXT))]
    assert [(fault.severity, fault.kind) for fault in faults] == [(Severity.WARNING, Kind.ENCODING)]
    assert f"The file is {name}, not UTF-8" in faults[0].message
    assert "In Excel: File, Save as, CSV UTF-8" in faults[0].remedy


def test_a_warning_about_letters_shows_some(tmp_path):
    _, faults = read(written(tmp_path / "captions.csv", GERMAN.encode("cp1252")))

    assert "for instance 'läuft'" in faults[0].message


@pytest.mark.parametrize("word", ["Größe", "L’été", "façade", "¿Qué?", "œuf", "20 €", "5 m²"])
def test_western_words_are_unambiguous(tmp_path, word):
    content = f"video,system,caption\nv1,a,{word}\n".encode("cp1252")

    assert read(written(tmp_path / "c.csv", content))[0] == [(2, ("v1", "a", word))]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Собака бежит", "cp1251"),
        ("Żółta łódź", "cp1250"),
        ("Ein Mädchen läuft", "mac-roman"),
        ("犬が走る", "shift-jis"),
    ],
)
def test_what_could_be_several_encodings_is_refused_with_the_way_out(tmp_path, text, encoding):
    content = f"video,system,caption\nv1,a,{text}\nv2,a,{text}\n".encode(encoding)

    _, faults = read(written(tmp_path / "c.csv", content))

    assert [(fault.severity, fault.kind, fault.where.line) for fault in faults] == [
        (Severity.ERROR, Kind.ENCODING, 2)
    ]
    assert "CSV UTF-8" in faults[0].remedy


def test_utf_8_with_a_few_foreign_lines_is_not_taken_for_latin_1(tmp_path):
    content = "video,system,caption\nv1,a,Größe\n".encode() + "v2,a,Größe\n".encode("cp1252")

    _, faults = read(written(tmp_path / "c.csv", content))

    assert [(fault.severity, fault.where.line) for fault in faults] == [(Severity.ERROR, 3)]


def test_utf_16_that_is_cut_off_is_refused(tmp_path):
    _, faults = read(written(tmp_path / "c.csv", GERMAN.encode("utf-16")[:-1]))

    assert [fault.kind for fault in faults] == [Kind.ENCODING]
    assert faults[0].severity is Severity.ERROR


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
@pytest.mark.parametrize("name", ["captions.xlsx", "captions.ods", "captions.csv"])
def test_sheets_are_read_whatever_they_are_called(tmp_path, write, name):
    rows, faults = read(write(tmp_path / name, SHEET))

    assert rows == [(2, ("1", "a", "A dog runs.")), (3, ("2.5", "a", "A cat."))]
    assert [(fault.kind, fault.where.line) for fault in faults] == [(Kind.LINE_BREAK, 2)]


def test_rows_of_a_sheet_are_numbered_as_excel_does(tmp_path):
    sheet = [(), ("video", "system", "caption"), (), ("v1", "a", "one", "stray"), ("v2", "a", "b")]

    rows, faults = read(write_xlsx(tmp_path / "captions.xlsx", sheet))

    assert rows == [(5, ("v2", "a", "b"))]
    assert [(fault.kind, fault.where.line) for fault in faults] == [(Kind.FIELD_COUNT, 4)]


def test_other_sheets_are_named_in_a_warning(tmp_path):
    path = write_xlsx(tmp_path / "captions.xlsx", SHEET, [("notes",)], [])

    _, faults = read(path)

    assert [fault.message for fault in faults if fault.kind is Kind.UNUSED_SHEET] == [
        "Only the first sheet is read, not 'Sheet 2'."
    ]


def test_a_cell_at_the_far_end_of_a_sheet_does_not_take_the_memory(tmp_path):
    """Libraries that lay a sheet out in full would need four hundred gigabytes for this one."""
    corners = '<row r="1"><c r="A1"><v>1</v></c></row>'
    corners += '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'

    rows, faults = read(write_workbook(tmp_path / "captions.xlsx", corners))

    assert rows == []
    assert [fault.kind for fault in faults] == [Kind.TOO_MANY]


def test_a_sheet_that_unpacks_without_end_is_stopped(tmp_path):
    row = '<row><c t="inlineStr"><is><t>{}</t></is></c></row>'.format("x" * 30_000)
    path = write_workbook(tmp_path / "captions.xlsx", row * 5_000)
    assert path.stat().st_size < 5_000_000

    rows, faults = read(path, sheet_memory=150_000_000)

    assert rows == []
    assert [fault.kind for fault in faults] == [Kind.TOO_MANY]


def test_a_sheet_larger_than_the_disk_allows_is_stopped(tmp_path):
    path = write_xlsx(tmp_path / "captions.xlsx", [("video", "system", "caption" * 1000)] * 100)

    assert [fault.kind for fault in read(path, unpacked_bytes=10_000)[1]] == [Kind.TOO_MANY]


@pytest.mark.parametrize("content", [b"PK\x03\x04 not a zip", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_what_only_begins_as_a_sheet_is_refused(tmp_path, content):
    rows, faults = read(written(tmp_path / "captions.csv", content))

    assert rows == []
    assert [(fault.kind, fault.severity) for fault in faults] == [
        (Kind.UNREADABLE_FILE, Severity.ERROR)
    ]
    assert "CSV UTF-8" in faults[0].remedy


def test_compressed_tables_are_read(tmp_path):
    path = written(tmp_path / "captions.csv.gz", gzip.compress(GERMAN.encode()))

    assert read(path) == ([(2, ("v1", "a", TEXT))], [])


@pytest.mark.parametrize("bound", [{"unpacked_ratio": 10}, {"unpacked_bytes": 1_000_000}])
def test_a_compressed_bomb_is_refused(tmp_path, bound):
    path = written(tmp_path / "captions.csv.gz", gzip.compress(b"a" * 20_000_000))

    assert [fault.kind for fault in read(path, **bound)[1]] == [Kind.TOO_MANY]


def test_a_compressed_table_that_is_cut_off_is_refused(tmp_path):
    path = written(tmp_path / "captions.csv.gz", gzip.compress(GERMAN.encode())[:-12])

    assert [fault.kind for fault in read(path)[1]] == [Kind.UNREADABLE_FILE]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_one_fault(tmp_path, content):
    assert [fault.kind for fault in read(written(tmp_path / "c.csv", content))[1]] == [
        Kind.EMPTY_FILE
    ]
