from __future__ import annotations

import hashlib
import io
import json

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.stats.ratings import KINDS
from benchmarks.crowd import simulate

TABLES = ["annotators", "captions", "significance", "systems"]


@pytest.fixture
def ratings_csv(tmp_path):
    ratings = simulate(annotators=8, seed=3)
    frame = pd.DataFrame(
        {
            **{
                name: np.array(getattr(ratings, f"{name}s"))[getattr(ratings, name)]
                for name in ("annotator", "hit", "system", "item")
            },
            "kind": np.array(KINDS)[ratings.kind],
            "score": ratings.score,
            "seconds": ratings.seconds,
        }
    )
    path = tmp_path / "ratings.csv"
    frame.sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


def analyse(*arguments, **options):
    stdout = io.StringIO()
    call_command("analyse", *map(str, arguments), draws=20, stdout=stdout, **options)
    return stdout.getvalue()


def test_it_writes_every_promised_file_and_says_what_it_found(ratings_csv, tmp_path):
    out = tmp_path / "results"
    said = analyse(ratings_csv, "--out", out)
    promised = [*(f"{name}.csv" for name in TABLES), "report.html", "report.json", "signature.txt"]
    assert sorted(file.name for file in out.iterdir()) == sorted(promised)
    assert "800 ratings by 8 annotators" in said
    assert f"<h1>Direct Assessment: {ratings_csv.name}" in (out / "report.html").read_text()
    assert (out / "signature.txt").read_text().strip() in said


@pytest.mark.parametrize("format", ["parquet", "json"])
def test_it_writes_tables_in_another_format(ratings_csv, tmp_path, format):
    analyse(ratings_csv, "--out", tmp_path / "results", "--format", format, "--latex")
    written = {file.name for file in (tmp_path / "results").iterdir()}
    assert {f"{name}.{format}" for name in TABLES} <= written
    assert {"ranking.tex", "significance.tex"} <= written
    assert not any(name.endswith(".csv") for name in written)


def test_the_same_ratings_in_another_order_give_the_same_bytes(ratings_csv, tmp_path):
    lines = ratings_csv.read_text().splitlines()
    turned = tmp_path / "turned" / ratings_csv.name  # the report names the file
    turned.parent.mkdir()
    turned.write_text("\n".join([lines[0], *reversed(lines[1:])]))
    digests = []
    for ratings in (ratings_csv, turned):
        out = ratings.parent / "out"
        analyse(ratings, "--out", out)
        digests.append(
            {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in out.iterdir()}
        )
    assert digests[0] == digests[1]


def test_keeping_all_annotators_uses_all_of_them(ratings_csv, tmp_path):
    analyse(ratings_csv, "--out", tmp_path / "passed", "--quality-alpha", "1e-9")
    analyse(
        ratings_csv, "--out", tmp_path / "all", "--quality-alpha", "1e-9", "--keep-all-annotators"
    )
    passed, everybody = (
        pd.read_csv(tmp_path / name / "systems.csv")["ratings"].sum() for name in ("passed", "all")
    )
    assert passed < everybody == 8 * 80


def test_when_nobody_passed_it_says_so_and_defines_nothing(ratings_csv, tmp_path):
    said = analyse(ratings_csv, "--out", tmp_path / "out", "--min-pairs", "99")
    assert "Nobody passed" in said
    assert "not defined" in said
    assert pd.read_csv(tmp_path / "out" / "systems.csv")["z"].isna().all()


def test_trust_is_assessed_unless_that_takes_long_and_nobody_insists(
    ratings_csv, tmp_path, monkeypatch
):
    out = tmp_path / "out"

    def written(*arguments):
        analyse(ratings_csv, "--out", out, *arguments)
        return (out / "report.html").read_text(), json.loads((out / "report.json").read_text())

    page, numbers = written()
    assert "A second crowd" in page
    assert numbers["trust"]["replication_z"]["splits"] == 1000
    monkeypatch.setattr("analysis.results.settings.QUICK_RATINGS", 1)
    page, numbers = written()
    assert "were not computed" in page
    assert numbers["trust"] is None
    page, numbers = written("--thorough")
    assert "A second crowd" in page
    assert numbers["trust"]["effective_annotators"] == pytest.approx(8)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "bad.csv: The file is empty. Fill it, or delete it."),
        ("a,b\n1,2\n", "bad.csv: There is no column 'annotator'"),
        (
            "annotator,hit,system,item,kind,score,seconds\nw,h,A,1,system,101,5\n",
            "bad.csv, line 2: score '101'",
        ),
        (
            "annotator,hit,system,item,kind,score,seconds\nw,h,A,1,system,50,5\n",
            "no system has ratings of two captions",
        ),
    ],
    ids=["empty", "columns", "score", "one caption"],
)
def test_bad_input_is_a_sentence_code_2_and_nothing_written(tmp_path, content, sentence):
    (tmp_path / "bad.csv").write_text(content)
    with pytest.raises(CommandError, match="Nothing was written") as caught:
        analyse(tmp_path / "bad.csv", "--out", tmp_path / "out")
    assert str(caught.value).startswith(sentence)
    assert caught.value.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CommandError, match=r"nowhere\.csv: There is no such file") as caught:
        analyse(tmp_path / "nowhere.csv", "--out", tmp_path / "out")
    assert caught.value.returncode == 2


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ("--alpha=5", "alpha must lie between 0 and 1"),
        ("--seed=-1", "seed must not be negative"),
        ("--draws=1000000000", "draws must be at least 1 and at most 100,000"),
    ],
)
def test_a_choice_that_makes_no_sense(ratings_csv, tmp_path, choice, sentence):
    with pytest.raises(CommandError, match=sentence) as caught:
        call_command("analyse", str(ratings_csv), "--out", str(tmp_path / "out"), choice)
    assert caught.value.returncode == 2
    assert not (tmp_path / "out").exists()
