"""Our own ratings file, in each of its formats, good and bad."""

from __future__ import annotations

import gzip
import json
import random

import numpy as np
import pandas as pd
import pytest

from analysis.reading import read_ratings
from analysis.stats.ratings import KINDS
from daplatform.tables import TableError
from tests.tables.sheets import write_ods, write_xlsx

HEADER = "annotator,hit,system,item,kind,score,seconds"
GOOD = [
    "w1,h1,A,v1,system,70,5.5",
    "w1,h1,A,v2,system,40,",
    "w1,h1,R,v1,reference,90,7",
    "w1,h1,R,v1,degraded,20,8.25",
]


def written(path, *lines, header=HEADER):
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


def fault_of(path):
    with pytest.raises(TableError) as caught:
        read_ratings(path)
    return str(caught.value)


def as_csv(frame, path):
    frame.to_csv(path, index=False)


def as_tsv(frame, path):
    frame.to_csv(path, index=False, sep="\t")


def as_semicolons(frame, path):
    frame.to_csv(path, index=False, sep=";")


def as_csv_with_byte_order_mark(frame, path):
    frame.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n", quoting=1)


def as_json_lines(frame, path):
    frame.to_json(path, orient="records", lines=True)


def as_parquet(frame, path):
    frame.to_parquet(path)


@pytest.mark.parametrize(
    "write",
    [as_csv, as_tsv, as_semicolons, as_csv_with_byte_order_mark, as_json_lines, as_parquet],
)
def test_every_format_holds_the_same_ratings(tmp_path, write):
    plain = written(tmp_path / "plain.csv", *GOOD)
    path = tmp_path / "named anyhow"
    write(pd.read_csv(plain), path)
    expected, ratings = read_ratings(plain).ratings, read_ratings(path).ratings
    for name in ("annotator", "hit", "system", "item", "kind", "score"):
        np.testing.assert_array_equal(getattr(ratings, name), getattr(expected, name))
    assert ratings.items == ("v1", "v2")


def test_names_lose_the_apostrophe_that_our_files_put_before_a_formula(tmp_path):
    """Names of videos often begin with a dash; scores of metrics have them without."""
    lines = [line.replace("v1", "'-v1") for line in GOOD] + ["w2,h2,A,-v1,system,30,"]
    ratings = read_ratings(written(tmp_path / "ratings.csv", *lines)).ratings
    assert ratings.items == ("-v1", "v2")
    assert ratings.item.tolist().count(0) == 4


def test_columns_may_stand_in_any_order_among_others(tmp_path):
    frame = pd.read_csv(written(tmp_path / "a.csv", *GOOD)).assign(comment="x", position=range(4))
    as_csv(frame[sorted(frame.columns, reverse=True)], tmp_path / "b.csv")
    ratings = read_ratings(tmp_path / "b.csv").ratings
    assert sorted(ratings.score) == [20, 40, 70, 90]
    assert sorted(ratings.position) == [0, 1, 2, 3]


def test_an_annotator_called_na_is_a_person(tmp_path):
    path = written(tmp_path / "a.csv", "NA,h1,A,v1,system,70,NA")
    ratings = read_ratings(path).ratings
    assert ratings.annotators == ("NA",)
    assert np.isnan(ratings.seconds).all()


def test_whole_numbers_may_be_written_with_a_point(tmp_path):
    assert read_ratings(written(tmp_path / "a.csv", "w,h,A,v1,system,70.0,1")).ratings.score == 70


def test_a_fault_is_told_by_file_and_line(tmp_path):
    path = written(tmp_path / "a.csv", *GOOD, "", "w1,h1,A,v3,system,101,5", "w1,h1,A,v4,sys,x,5")
    assert fault_of(path).splitlines() == [
        "a.csv, line 7: score '101' is not a whole number from 0 to 100. "
        "Correct it, or delete the row.",
        "a.csv, line 8: There is no kind 'sys'. Did you mean 'system'?",
        "a.csv, line 8: score 'x' is not a whole number from 0 to 100. "
        "Correct it, or delete the row.",
    ]


def test_lines_are_counted_through_quoted_line_breaks(tmp_path):
    path = written(tmp_path / "a.csv", '"w\n1",h1,A,v1,system,70,5', "w1,h1,A,v2,system,-3,5")
    assert fault_of(path).startswith("a.csv, line 4: score '-3'")


@pytest.mark.parametrize("before", ["\n\n", "  \n\n"], ids=["empty", "spaces"])
def test_blank_lines_may_stand_before_the_header(tmp_path, before):
    path = written(tmp_path / "a.csv", *GOOD, header=before + HEADER)
    assert len(read_ratings(path).ratings) == 4
    written(path, *GOOD, "w1,h1,A,v3,system,101,5", header=before + HEADER)
    assert fault_of(path).startswith("a.csv, line 8: score '101'")


def test_both_lines_of_a_doubled_rating_are_named(tmp_path):
    fault = fault_of(written(tmp_path / "a.csv", *GOOD, GOOD[0]))
    assert fault.startswith("a.csv, lines 2 and 6: These are two ratings of kind 'system'")
    assert fault.endswith("Keep one of them.")


def test_a_degraded_row_without_its_original(tmp_path):
    fault = fault_of(written(tmp_path / "a.csv", *GOOD, "w1,h1,R,v9,degraded,20,8"))
    assert fault.startswith("a.csv, line 6: There is no rating of the original")


def test_a_row_that_is_cut_short(tmp_path):
    fault = fault_of(written(tmp_path / "a.csv", *GOOD[:2], "w1,h1,A", *GOOD[2:]))
    assert fault.startswith("a.csv, line 4: This row has 3 cells, and the header 7.")


def test_a_missing_column(tmp_path):
    path = written(tmp_path / "a.csv", *GOOD, header=HEADER.replace("score", "scores"))
    assert fault_of(path) == "a.csv: There is no column 'score'. Rename 'scores'."


def test_columns_in_capitals_are_recognised_but_not_taken(tmp_path):
    path = written(tmp_path / "a.csv", *GOOD, header=HEADER.replace("hit", "HIT"))
    assert fault_of(path) == "a.csv: There is no column 'hit'. Rename 'HIT'."


def test_a_column_that_is_there_twice(tmp_path):
    path = written(tmp_path / "a.csv", *(f"{row},1" for row in GOOD), header=f"{HEADER},score")
    assert fault_of(path) == "a.csv, line 1: The column 'score' occurs twice. Keep one of them."


@pytest.mark.parametrize("content", ["", "\n\n", "   \n"])
def test_an_empty_file(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    assert fault_of(tmp_path / "a.csv").casefold().startswith("a.csv: the file is empty")


def test_a_header_alone(tmp_path):
    assert (
        fault_of(written(tmp_path / "a.csv")) == "a.csv: There are no ratings. Add rows of ratings."
    )


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "a.csv").write_bytes(f"{HEADER}\n{GOOD[0]}\n".encode() + b"\x81\xfe,h,A,v3\n")
    assert fault_of(tmp_path / "a.csv").startswith(
        "a.csv, line 3, column 1: The byte 0x81 is not UTF-8"
    )


def test_a_spreadsheets_utf_16(tmp_path):
    (tmp_path / "a.csv").write_text("\n".join([HEADER, *GOOD, ""]), encoding="utf-16")
    file = read_ratings(tmp_path / "a.csv")
    assert len(file.ratings) == len(GOOD)
    assert file.notes == ("a.csv: The file is UTF-16, not UTF-8, and was read as that",)


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_a_sheet(tmp_path, write):
    rows = [
        [float(cell) if cell[:1].isdigit() else cell for cell in row.split(",")] for row in GOOD
    ]
    path = write(tmp_path / "a.csv", [HEADER.split(","), *rows])
    assert len(read_ratings(path).ratings) == len(GOOD)


def test_a_compressed_file(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress("\n".join([HEADER, *GOOD, ""]).encode()))
    assert len(read_ratings(tmp_path / "a.csv.gz").ratings) == len(GOOD)


def test_a_german_sheet_with_semicolons_latin_1_and_decimal_commas(tmp_path):
    rows = [HEADER, *(row.replace("w1", "Jörg").replace("5.5", "5.25") for row in GOOD)]
    content = "\n".join(row.replace(",", ";").replace(".", ",") for row in rows)
    (tmp_path / "a.csv").write_bytes(content.encode("cp1252"))
    file = read_ratings(tmp_path / "a.csv")
    assert "Jörg" in file.ratings.annotators
    assert file.ratings.seconds is not None
    assert (file.ratings.seconds % 1 != 0).any()
    assert "Windows-1252 (Latin-1)" in file.notes[0]


def test_text_that_is_not_utf_8_in_rows_of_the_right_width(tmp_path):
    row = GOOD[0].encode().replace(b"w1", b"w\x81")
    (tmp_path / "a.csv").write_bytes(f"{HEADER}\n".encode() + row + b"\n")
    assert fault_of(tmp_path / "a.csv").startswith("a.csv, line 2, column 2: The byte 0x81")


@pytest.mark.parametrize("header", [b"", f"{HEADER}\n".encode()], ids=["garbage", "after a header"])
def test_garbage_of_any_kind_is_one_sentence(tmp_path, header):
    noise = random.Random(1).randbytes(3_000_000)
    (tmp_path / "a.csv").write_bytes(header + noise)
    assert fault_of(tmp_path / "a.csv").startswith("a.csv")


def test_a_line_without_end(tmp_path):
    (tmp_path / "a.csv").write_text(f"{HEADER}\n" + "x" * 3_000_000)
    assert fault_of(tmp_path / "a.csv").startswith("a.csv, line 2: The line has 3,000,000 bytes;")


class TestJsonLines:
    rating = dict(zip(HEADER.split(","), ["w1", "h1", "A", "v1", "system", 70, 5.5], strict=True))

    def test_a_line_that_is_no_json(self, tmp_path):
        (tmp_path / "a.jsonl").write_text(json.dumps(self.rating) + "\n{oops\n")
        assert fault_of(tmp_path / "a.jsonl").startswith("a.jsonl, line 2: This is not JSON")

    def test_a_list_of_all_ratings(self, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps([self.rating]))
        assert "line 1: This is not a JSON object. Write one object to a line." in fault_of(
            tmp_path / "a.json"
        )

    def test_a_line_that_lacks_a_value(self, tmp_path):
        other = {name: value for name, value in self.rating.items() if name != "score"}
        (tmp_path / "a.jsonl").write_text(
            "\n".join([json.dumps(self.rating), "", json.dumps(other | {"item": "v2"})])
        )
        assert fault_of(tmp_path / "a.jsonl").startswith("a.jsonl, line 3: score ''")

    def test_a_value_that_is_a_list(self, tmp_path):
        (tmp_path / "a.jsonl").write_text(json.dumps(self.rating | {"score": [1]}))
        assert "a.jsonl, line 1: score is not a single value." in fault_of(tmp_path / "a.jsonl")


class TestParquet:
    def test_a_fault_is_told_by_row(self, tmp_path):
        frame = pd.read_csv(written(tmp_path / "a.csv", *GOOD))
        frame.loc[2, "score"] = 500
        frame.to_parquet(tmp_path / "a.parquet")
        assert fault_of(tmp_path / "a.parquet").startswith("a.parquet, row 3: score '500'")

    def test_a_missing_column(self, tmp_path):
        frame = pd.read_csv(written(tmp_path / "a.csv", *GOOD)).rename(columns={"hit": "hits"})
        frame.to_parquet(tmp_path / "a.parquet")
        assert fault_of(tmp_path / "a.parquet") == (
            "a.parquet: There is no column 'hit'. Rename 'hits'."
        )

    def test_a_file_that_only_begins_like_one(self, tmp_path):
        (tmp_path / "a.parquet").write_bytes(b"PAR1" + b"\0" * 100)
        assert "This Parquet file cannot be read" in fault_of(tmp_path / "a.parquet")


def test_kinds_are_those_of_the_protocol():
    assert KINDS == ("system", "reference", "degraded", "repeat")
