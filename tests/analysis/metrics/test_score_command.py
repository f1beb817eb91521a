"""`manage.py score`: files in, a file out, and an exit code that tells."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

CAPTIONS = """video,system,caption
v1,A,a dog runs
v1,B,a cat sleeps
v2,A,"two men talk, loudly"
"""
REFERENCES = """video,source,caption
v1,human-a,a dog is running
v1,human-b,a dog runs fast
v2,human-a,two men are talking
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "captions.csv").write_text(CAPTIONS)
    (tmp_path / "references.csv").write_text(REFERENCES)
    return tmp_path


def command(captions: Path, *arguments: object) -> None:
    call_command("score", str(captions), *map(str, arguments))


def run(files: Path, metrics: str = "bleu1,rougel", *options: str) -> list[dict[str, str]]:
    out = files / "scores.csv"
    tables = [files / "captions.csv", "--references", files / "references.csv"]
    command(*tables, "--metrics", metrics, "--out", out, *options)
    with out.open() as file:
        return list(csv.DictReader(file))


def test_every_caption_gets_a_value_of_every_metric(files):
    rows = run(files)
    assert [(row["video"], row["system"], row["metric"]) for row in rows] == [
        ("v1", "A", "bleu1"),
        ("v1", "B", "bleu1"),
        ("v2", "A", "bleu1"),
        ("v1", "A", "rougel"),
        ("v1", "B", "rougel"),
        ("v2", "A", "rougel"),
    ]
    assert float(rows[0]["value"]) == pytest.approx(math.exp(1 - 4 / 3), abs=1e-6)  # brevity


def test_the_same_files_give_the_same_bytes(files):
    run(files, "bleu4,cider,chrf")
    first = (files / "scores.csv").read_bytes()
    run(files, "bleu4,cider,chrf")
    assert (files / "scores.csv").read_bytes() == first


def test_the_signatures_lie_beside_the_scores(files):
    run(files)
    about = json.loads((files / "scores.csv.json").read_text())
    assert about["signatures"]["bleu1"] == "bleu1|refs:1-2|tokenize:ptb|version:1"
    assert about["faults"] == []


def test_tables_may_be_tab_separated_or_json_lines(files):
    rows = list(csv.DictReader(CAPTIONS.splitlines()))
    (files / "captions.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    (files / "references.tsv").write_text(REFERENCES.replace(",", "\t"))
    out = files / "scores.csv"
    tables = [files / "captions.jsonl", "--references", files / "references.tsv"]
    command(*tables, "--metrics", "bleu1", "--out", out)
    assert len(out.read_text().splitlines()) == 4


def test_a_missing_reference_leaves_a_gap_and_shows_in_the_exit_code(files, capsys):
    (files / "references.csv").write_text("\n".join(REFERENCES.splitlines()[:3]))
    with pytest.raises(SystemExit) as exit_:
        run(files)
    assert exit_.value.code == 3
    assert "video v2: it has no reference (bleu1, rougel)" in capsys.readouterr().err
    rows = list(csv.DictReader((files / "scores.csv").open()))
    assert [row["value"] for row in rows if row["video"] == "v2"] == ["", ""]
    assert all(row["value"] for row in rows if row["video"] == "v1")


def test_a_caption_given_twice_is_refused_with_its_line(files):
    (files / "captions.csv").write_text(CAPTIONS + "v1,A,a dog\n")
    with pytest.raises(CommandError, match=r"captions.csv, line 5: 'A' has a caption of 'v1'"):
        run(files)


def test_a_missing_column_is_named(files):
    (files / "captions.csv").write_text("video,caption\nv1,a dog\n")
    with pytest.raises(CommandError, match="no column system"):
        run(files)


def test_a_missing_file_is_named(files):
    (files / "references.csv").unlink()
    with pytest.raises(CommandError, match=r"references.csv: There is no such file"):
        run(files)


def test_an_unknown_metric_is_refused_before_anything_is_read(files):
    with pytest.raises(CommandError, match="unknown: bleu9"):
        command(files / "captions.csv", "--metrics", "bleu9", "--out", "x")


def test_a_folder_that_does_not_exist_is_said_before_anything_is_scored(files, monkeypatch):
    monkeypatch.delattr("analysis.management.commands.score.score")
    with pytest.raises(CommandError, match=r"There is no folder .*/no to write scores\.csv"):
        command(files / "captions.csv", "--metrics", "bleu1", "--out", files / "no" / "scores.csv")
    with pytest.raises(CommandError, match="is a folder; name a file in it"):
        command(files / "captions.csv", "--metrics", "bleu1", "--out", files)


def test_a_value_that_is_not_defined_is_said_and_shows_in_the_exit_code(files, capsys):
    """In a corpus of one text no word is rarer than another, and all weigh nothing."""
    (files / "captions.csv").write_text("video,system,caption\nv1,A,a dog\n")
    (files / "references.csv").write_text("video,source,caption\nv1,human-a,a dog\n")
    with pytest.raises(SystemExit) as exit_:
        run(files, "bertscore_f", "--bertscore-idf", f"--store={files / 'store'}")
    assert exit_.value.code == 3
    assert "video v1: it has no defined value (bertscore_f)" in capsys.readouterr().err


def test_meteor_is_scored_without_java(files, meteor_store, no_java):
    rows = run(files, "meteor", "--store", str(meteor_store))
    # What METEOR's own program says of these captions and references, tokenised.
    expected = [0.3799461194352912, 0.050955414012738856, 0.40342845225473745]
    assert [float(row["value"]) for row in rows] == pytest.approx(expected, abs=1e-9)
