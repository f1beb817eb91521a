"""`manage.py correlate`: files in, files out, a sentence for whatever is wrong."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.meta.fusing import read_fusion

QUICK = ("--draws", "20", "--placebo", "20")


def write(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def files(tmp_path):
    """Thirty videos by four systems; the metric `good` follows people, `poor` does not."""
    rng = np.random.default_rng(8)
    keys = [(str(video), system) for video in range(1, 31) for system in "ABCD"]
    human = np.round(rng.normal(size=len(keys)), 6)
    good, poor = human + 0.4 * rng.normal(size=len(keys)), rng.normal(size=len(keys))
    write(
        tmp_path / "human.csv",
        ["video", "system", "z"],
        [[*key, z] for key, z in zip(keys, human, strict=True)],
    )
    write(tmp_path / "scores.csv", ["video", "system", "metric", "value"],
          [[*key, name, value] for name, values in (("good", good), ("poor", poor))
           for key, value in zip(keys, values, strict=True)])  # fmt: skip
    return tmp_path


def correlate(folder, *options, human="human.csv", metrics="scores.csv"):
    out = StringIO()
    call_command(
        "correlate", "--human", str(folder / human), "--metrics", str(folder / metrics),
        "--out", str(folder / "out"), *QUICK, *options, stdout=out, stderr=StringIO(),
    )  # fmt: skip
    return out.getvalue()


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_it_writes_every_file_of_the_contract(files):
    said = correlate(files, "--latex")
    out = files / "out"
    header = (out / "correlations.csv").read_text().splitlines()[0]
    assert header.startswith("metric,human,level,n,pearson,spearman,kendall_b,kendall_c,")
    names = {path.name for path in out.iterdir()}
    files = "williams.csv outliers.csv report.html report.json correlations.tex williams.tex"
    assert {*files.split(), "williams-z.svg", "fusion-z.json", "signature.txt"} <= names
    first = rows(out / "correlations.csv")[0]
    assert (first["metric"], first["level"], first["n"]) == ("good", "caption", "120")
    assert "Is good better than poor here? Yes" in said
    assert (out / "signature.txt").read_text().strip() in said


def test_the_report_stands_alone_and_holds_the_answer(files):
    correlate(files, "--compare", "poor,good")
    html = (files / "out" / "report.html").read_text()
    assert "Is good better than poor here? Yes" in html
    assert "Is it because of a few odd captions?" in html
    assert not re.search(r"<script|<link|<img|https?://", html)
    report = json.loads((files / "out" / "report.json").read_text())
    assert {row["metric"] for row in report["correlations"]} == {"good", "poor"}


def test_the_same_files_give_the_same_bytes(files):
    correlate(files)
    first = {path.name: path.read_bytes() for path in (files / "out").iterdir()}
    correlate(files)
    assert first == {path.name: path.read_bytes() for path in (files / "out").iterdir()}


def test_a_saved_fusion_is_one_more_metric_later(files):
    correlate(files)
    (files / "saved.json").write_bytes((files / "out" / "fusion-z.json").read_bytes())
    saved = read_fusion(files / "saved.json")
    assert saved.metrics == ("good", "poor")
    correlate(files, "--fusion", str(files / "saved.json"))
    found = {row["metric"]: row for row in rows(files / "out" / "correlations.csv")
             if row["level"] == "caption"}  # fmt: skip
    assert float(found["fusion"]["pearson"]) >= float(found["good"]["pearson"])
    with pytest.raises(CommandError, match="fusion needs the metric 'poor'"):
        correlate(files, "--only", "good", "--fusion", str(files / "saved.json"))


def test_it_stops_when_rows_belong_together_at_a_shift(files):
    there = rows(files / "human.csv")
    late = [[int(row["video"]) + 1, row["system"], row["z"]] for row in there]
    write(files / "late.csv", ["video", "system", "z"], late)
    with pytest.raises(CommandError, match="1 line earlier") as stopped:
        correlate(files, human="late.csv")
    assert stopped.value.returncode == 3
    assert not (files / "out").exists()
    assert "good" in correlate(files, "--shift", "-1", human="late.csv")
    assert "shift:-1" in correlate(files, "--shift", "auto", human="late.csv")
    correlate(files, "--shift", "0", human="late.csv")
    warnings = json.loads((files / "out" / "report.json").read_text())["warnings"]
    assert any("at a shift of -1, and +0 was asked for" in text for text in warnings)


@pytest.fixture
def texts(tmp_path):
    """Five videos by two systems, with two references, and people who like long captions."""
    texts = ["a man rides a horse", "two dogs run on the beach", "a woman cooks an egg",
             "a boy throws a red ball", "a cat sleeps on a chair"]  # fmt: skip
    captions = [[n, system, text if system == "A" else " ".join(text.split()[:3])]
                for n, text in enumerate(texts) for system in "AB"]  # fmt: skip
    write(tmp_path / "captions.csv", ["video", "system", "caption"], captions)
    write(tmp_path / "refs.csv", ["video", "source", "caption"],
          [[n, source, f"{text} {more}"] for n, text in enumerate(texts)
           for source, more in (("h1", "outside"), ("h2", "in the morning"))])  # fmt: skip
    write(tmp_path / "human.csv", ["video", "system", "z"],
          [[n, system, len(text)] for n, system, text in captions])  # fmt: skip
    return tmp_path


def compute(folder, metrics, *options):
    call_command(
        "correlate", "--human", str(folder / "human.csv"), "--out", str(folder / "out"),
        "--captions", str(folder / "captions.csv"), "--references", str(folder / "refs.csv"),
        "--compute", metrics, "--shift", "0", *QUICK, *options,
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip


def test_metrics_are_computed_of_captions_and_checked(texts):
    compute(texts, "bleu1,rougel", "--robustness", "all")
    found = rows(texts / "out" / "robustness.csv")
    assert {row["check"] for row in found} == {
        "quality drift", "word order", "references", "reference set", "foils"
    }  # fmt: skip
    assert "bleu1,refs:2" in (texts / "out" / "signature.txt").read_text()


def test_meteor_is_computed_without_java(texts, settings, meteor_store, no_java):
    settings.DATA_DIR = texts
    (texts / "embeddings").symlink_to(meteor_store)
    compute(texts, "meteor,bleu1", "--robustness", "references")
    [meteor] = [
        row for row in rows(texts / "out" / "correlations.csv")
        if (row["metric"], row["level"]) == ("meteor", "caption")
    ]  # fmt: skip
    assert meteor["n"] == "10"
    assert float(meteor["pearson"]) > 0.5
    assert "meteor" in {row["metric"] for row in rows(texts / "out" / "robustness.csv")}
    assert "meteor:1.5-python@" in (texts / "out" / "signature.txt").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--scores", "fluency"], "no column 'fluency'"),
        (["--without", "Q"], "no system 'Q'"),
        (["--compare", "good,cider"], "no column 'cider'"),
        (["--factor", "0"], "factor must be above 0"),
    ],
)
def test_bad_options_get_a_sentence_and_nothing_is_written(files, options, said):
    with pytest.raises(CommandError, match=said) as refused:
        correlate(files, *options)
    assert refused.value.returncode == 2
    assert not (files / "out").exists()


def test_a_metric_nobody_knows_is_named(files):
    with pytest.raises(CommandError, match="unknown names: nosuch"):
        correlate(files, "--compute", "bleu4,nosuch")


def test_a_missing_file_is_named(files):
    with pytest.raises(CommandError, match=r"absent\.csv"):
        correlate(files, human="absent.csv")


def test_ratings_give_scores_and_a_ceiling(files):
    """Twelve people who all see the same quality, each with an error of their own."""
    rng = np.random.default_rng(4)
    quality = {(row["video"], row["system"]): float(row["z"]) for row in rows(files / "human.csv")}
    ratings = [
        [person, "h1", system, video, "system", round(50 + 15 * q + rng.normal(0, 6)), 5]
        for person in "abcdefghijkl"
        for (video, system), q in quality.items()
    ]
    header = ["annotator", "hit", "system", "item", "kind", "score", "seconds"]
    write(files / "ratings.csv", header, ratings)
    correlate(files, "--annotators", "all", "--scores", "z", human="ratings.csv")
    html = (files / "out" / "report.html").read_text()
    assert "a metric without any error would reach r = 0.9" in html
    first = rows(files / "out" / "correlations.csv")[0]
    assert float(first["pearson_corrected"]) > float(first["pearson"])
    with pytest.raises(CommandError, match="no caption has a rating by annotators who passed"):
        correlate(files, human="ratings.csv")
    with pytest.raises(CommandError, match="there is no 'zoe' in the ratings"):
        correlate(files, "--annotators", "a,zoe", human="ratings.csv")
