"""`manage.py correlate`: files in, files out, a sentence for whatever is wrong."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.metrics.registry import mixing

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
    assert {*files.split(), "williams-z-captions.svg", "fusion-z.json", "signature.txt"} <= names
    first = rows(out / "correlations.csv")[0]
    assert (first["metric"], first["level"], first["n"]) == ("good", "caption", "120")
    assert "Is good better than poor here? Yes" in said
    assert (out / "signature.txt").read_text().strip() in said


def test_the_report_stands_alone_and_holds_the_answer(files):
    correlate(files, "--compare", "poor,good")
    html = (files / "out" / "report.html").read_text()
    assert "Is good better than poor here? Yes" in html
    assert "Is it due to a few outliers?" in html
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
    correlate(files, "--learned", str(files / "saved.json"))
    assert mixing("fusion") == ("good", "poor")
    found = {row["metric"]: row for row in rows(files / "out" / "correlations.csv")
             if row["level"] == "caption"}  # fmt: skip
    assert float(found["fusion"]["pearson"]) >= float(found["good"]["pearson"])
    with pytest.raises(CommandError, match="fusion needs the metric 'poor'"):
        correlate(files, "--only", "good", "--learned", str(files / "saved.json"))


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
        "quality drift", "word order", "references", "first references", "reference set", "foils"
    }  # fmt: skip
    assert "bleu1,refs:2" in (texts / "out" / "signature.txt").read_text()


def test_meteor_is_computed_without_java(texts, settings, meteor_store, no_java):
    settings.METRIC_STORE = meteor_store
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
    with pytest.raises(CommandError, match="unknown: nosuch"):
        correlate(files, "--compute", "bleu4,nosuch")


def test_a_missing_file_is_named(files):
    with pytest.raises(CommandError, match=r"absent\.csv"):
        correlate(files, human="absent.csv")


def test_the_level_and_the_pairs_of_quality_control_are_choices_of_their_own(files):
    """`careful` passes by any rule; `hasty` has six pairs and a p between .01 and .05."""
    header = ["annotator", "hit", "system", "item", "kind", "score", "seconds"]
    differences = {"careful": [30, 32, 29, 31, 30, 33] * 2, "hasty": [20, 30, 2, 25, -4, 18]}
    told = []
    for name, drops in differences.items():
        for row in rows(files / "human.csv"):
            score = 50 + 10 * float(row["z"]) + (name == "hasty") * len(told) % 7
            told.append([name, "h", row["system"], row["video"], "system", int(score), ""])
        for number, drop in enumerate(drops):
            pair = [name, "h", "H", str(number + 1)]
            told += [[*pair, "reference", 70, ""], [*pair, "degraded", 70 - drop, ""]]
    write(files / "ratings.csv", header, told)

    def who(*options):
        correlate(files, "--scores", "raw", *options, human="ratings.csv")
        found = (files / "out" / "signature.txt").read_text()
        raw = [float(row["human_mean"]) for row in rows(files / "out" / "systems.csv")]
        return found, raw

    usual, both = who()
    assert "quality_alpha:0.05|minimum_pairs:0" in usual
    strict, one = who("--quality-alpha", "0.001")
    assert "quality_alpha:0.001" in strict
    many, same = who("--min-pairs", "10")
    assert "minimum_pairs:10" in many
    assert one == same != both
    assert who("--alpha", "0.001")[1] == both


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
    assert "a perfect metric would reach r = 0.9" in html
    first = rows(files / "out" / "correlations.csv")[0]
    assert float(first["pearson_corrected"]) > float(first["pearson"])
    said = correlate(files, "--scores", "z", human="ratings.csv")  # nobody could be checked
    assert "everybody's ratings count" in (files / "out" / "report.html").read_text()
    assert "Written to" in said
    assert float(rows(files / "out" / "correlations.csv")[0]["pearson"]) == float(first["pearson"])
    with pytest.raises(CommandError, match="no annotator 'zoe' in the ratings"):
        correlate(files, "--annotators", "a,zoe", human="ratings.csv")


@pytest.fixture
def seen(files):
    """Captions, references and clips of the same thirty videos."""
    from tests.clips import make_clip

    (files / "clips").mkdir()
    clip = make_clip(files / "clips" / "1.mp4", seconds=0.3).read_bytes()
    keys = [(str(video), system) for video in range(1, 31) for system in "ABCD"]
    for video in range(2, 31):
        (files / "clips" / f"{video}.mp4").write_bytes(clip)
    write(files / "captions.csv", ["video", "system", "caption"],
          [[video, system, f"a dog of {system} runs over field {int(video) % 7}"]
           for video, system in keys])  # fmt: skip
    write(files / "references.csv", ["video", "source", "caption"],
          [[str(video), source, f"{source} sees a dog on field {video % 5}"]
           for video in range(1, 31) for source in ("one", "two")])  # fmt: skip
    return files


@pytest.fixture
def pretend_model(monkeypatch):
    from analysis.metrics.encoding.models import ModelRef
    from tests.analysis.metrics.pretend import PretendEncoders

    chosen = []
    model_ref = ModelRef("pretend", (), lambda device: PretendEncoders())
    monkeypatch.setattr(
        "analysis.metrics.encoding.encoder.find_model",
        lambda choice: chosen.append(choice) or model_ref,
    )
    return chosen


def compute_seen(folder, metrics, *options):
    out, err = StringIO(), StringIO()
    call_command(
        "correlate", "--human", str(folder / "human.csv"), "--captions",
        str(folder / "captions.csv"), "--references", str(folder / "references.csv"),
        "--compute", metrics, "--store", str(folder / "store"), "--out", str(folder / "out"),
        *QUICK, *map(str, options), stdout=out, stderr=err,
    )  # fmt: skip
    return out.getvalue() + err.getvalue()


def test_it_takes_what_score_takes(seen, pretend_model):
    """The model, the videos, the settings: in the signature stands what was asked for."""
    from analysis.metrics.encoding.models import ModelChoice

    compute_seen(
        seen, "emscore,factvc,clip_image,bleu4", "--model", "ViT-B-16", "--weights", "there.pt",
        "--videos", seen / "clips", "--frames", "uniform:2", "--idf", "none", "--tokenize", "none",
        "--corpus", seen / "references.csv",
    )  # fmt: skip
    assert pretend_model == [ModelChoice("ViT-B-16", "there.pt")]
    signature = (seen / "out" / "signature.txt").read_text()
    assert "emscore,idf:none" in signature
    assert "frames:uniform:2" in signature
    assert "tokenize:none" in signature
    found = {row["metric"]: row["n"] for row in rows(seen / "out" / "correlations.csv")
             if row["level"] == "caption"}  # fmt: skip
    assert found == dict.fromkeys(("emscore", "factvc", "clip_image", "bleu4"), "120")


def test_it_takes_the_operators_model(seen, pretend_model, settings):
    from analysis.metrics.encoding.models import ModelChoice

    settings.METRIC_MODELS = ["demo", "ViT-B-32=openai"]
    compute_seen(seen, "emscore_text")
    assert pretend_model == [ModelChoice("ViT-B-32", "openai")]


def test_the_demo_model_is_refused_and_nothing_is_written(seen):
    with pytest.raises(CommandError, match="its scores mean nothing") as refused:
        compute_seen(seen, "emscore_text,bleu4", "--model", "demo")
    assert refused.value.returncode == 2
    assert not (seen / "out").exists()


def test_whoever_uses_it_anyway_reads_so_in_the_report(seen, pretend_model):
    said = compute_seen(seen, "emscore_text,bleu4", "--model", "demo", "--anyway")
    assert "its numbers mean nothing" in said
    assert "its numbers mean nothing" in (seen / "out" / "report.html").read_text()


def test_without_a_model_it_says_which_metrics_need_one_and_takes_the_rest(seen):
    said = compute_seen(seen, "emscore_text,bleu4")
    assert "an image–text model is needed and none is named" in said
    metrics = {row["metric"] for row in rows(seen / "out" / "correlations.csv") if row["pearson"]}
    assert metrics == {"bleu4"}


def test_where_no_metric_has_a_value_it_says_why(seen):
    with pytest.raises(CommandError, match="an image–text model is needed and none is named"):
        compute_seen(seen, "emscore_text,factvc_text")
    assert not (seen / "out").exists()


def test_what_could_not_be_checked_is_said_at_the_terminal(seen):
    one = [row for row in rows(seen / "references.csv") if row["source"] == "one"]
    write(seen / "references.csv", [*one[0]], [row.values() for row in one])
    said = compute_seen(seen, "bleu1", "--robustness", "sets")
    assert "Note: sets: there is only one set of references" in said


def test_metrics_that_look_are_in_every_check(seen, pretend_model):
    compute_seen(seen, "emscore,clip_mean,emscore_ref,bleu4", "--model", "any", "--videos",
            seen / "clips", "--robustness", "all")  # fmt: skip
    found = rows(seen / "out" / "robustness.csv")
    by_check = {}
    for row in found:
        if row["n"] != "0":
            by_check.setdefault(row["check"], set()).add(row["metric"])
    everything = {"emscore", "clip_mean", "emscore_ref", "bleu4"}
    assert by_check["word order"] == everything
    assert by_check["quality drift"] == everything
    assert by_check["references"] == everything
    assert by_check["first references"] == by_check["reference set"] == {"emscore_ref", "bleu4"}
    none = {row["metric"] for row in found if row["condition"] == "0 of 2"}
    assert none == {"emscore", "clip_mean"}
    repeats = {row["repeats"] for row in found if row["check"] == "word order"}
    assert repeats == {"20"}
    drawn = {path.name for path in (seen / "out").glob("references-z-*.svg")}
    assert drawn == {f"references-z-{name}.svg" for name in ("pearson", "kendall_b", "spearman")}
    report = (seen / "out" / "report.html").read_text()
    assert "ρ with people (z) by number of references" in report


def test_foils_are_looked_at_with_their_videos(seen, pretend_model):
    write(seen / "foils.csv", ["video", "true", "foil"],
          [[str(video), f"a dog runs in {video}", f"a cat runs in {video}"]
           for video in range(1, 31)])  # fmt: skip
    compute_seen(seen, "emscore,clip_mean", "--model", "any", "--videos", seen / "clips",
            "--robustness", "foils", "--foils", seen / "foils.csv")  # fmt: skip
    found = rows(seen / "out" / "robustness.csv")
    assert {(row["metric"], row["n"]) for row in found} == {("emscore", "30"), ("clip_mean", "30")}
    assert all(row["accuracy"] and row["ties"] for row in found)


def test_scores_of_two_models_stand_in_one_table(files):
    for label, offset, idf in (("ViT-B-32", 0.0, "paper"), ("ViT-B-16", 0.1, "none")):
        found = rows(files / "scores.csv")
        made = {f"good@{label}": f"good|idf:{idf}|k:5"}
        (files / f"{label}.csv.json").write_text(json.dumps({"signatures": made}))
        write(files / f"{label}.csv", ["video", "system", "metric", "value"],
              [[row["video"], row["system"], f"{row['metric']}@{label}",
                float(row["value"]) + offset] for row in found])  # fmt: skip
    said = StringIO()
    call_command(
        "correlate", "--human", str(files / "human.csv"), "--metrics",
        str(files / "ViT-B-32.csv"), str(files / "ViT-B-16.csv"), "--out", str(files / "out"),
        "--latex", *QUICK, stdout=StringIO(), stderr=said,
    )  # fmt: skip
    found = {row["metric"] for row in rows(files / "out" / "correlations.csv")}
    assert found == {f"{name}@{label}" for name in ("good", "poor")
                     for label in ("ViT-B-32", "ViT-B-16")}  # fmt: skip
    differ = "good@ViT-B-32 with idf:paper; good@ViT-B-16 with idf:none"
    assert differ in said.getvalue()
    html = (files / "out" / "report.html").read_text()
    assert differ in html
    assert ">good@ViT-B-32 (idf:paper)<" in html
    assert ">good@ViT-B-16 (idf:none)<" in html
    assert not re.findall("good@ViT-B-(?:16|32)(?! with| \\(idf|,)", html.split("signature")[0])
    for name in ("correlations.tex", "williams.tex"):
        told = (files / "out" / name).read_text().split("booktabs", 1)[1]
        assert "good@ViT-B-16 (idf:none)" in told
        assert not re.findall(r"good@ViT-B-16(?! \(idf)", told)
    drawn = (files / "out" / "williams-z-captions.svg").read_text()
    assert "good@ViT-B-16 (idf" in drawn


def test_the_report_names_its_file_and_the_fields_own_words(files):
    correlate(files)
    html = (files / "out" / "report.html").read_text()
    assert "<h1>Metrics against people: human.csv</h1>" in html
    assert "For systems they keep the systems fixed" in html
    assert {"Pairs in order (acc_eq)", "Soft (SPA)"} <= set(re.findall(r"<th[^>]*>([^<]+)", html))


def test_what_score_writes_fits_people_whatever_videos_are_called(tmp_path):
    """A spreadsheet would run -AwyG1 as a formula, so that CSV files have an apostrophe before it;
    people's own files have none."""
    keys = [(video, system) for video in ("-AwyG1", "=x2", "v3") for system in "ABCD"]
    write(tmp_path / "human.csv", ["video", "system", "z"],
          [(*key, at % 5) for at, key in enumerate(keys)])  # fmt: skip
    write(tmp_path / "captions.csv", ["video", "system", "caption"],
          [(*key, f"a man number {at % 7} rides") for at, key in enumerate(keys)])  # fmt: skip
    call_command("score", str(tmp_path / "captions.csv"), "--metrics", "bleu1",
                 "--references", str(write(tmp_path / "references.csv",
                                           ["video", "source", "caption"],
                                           [(video, "h", f"a man {video} rides")
                                            for video, _ in keys[::4]])),
                 "--out", str(tmp_path / "scores.csv"), stderr=StringIO())  # fmt: skip
    assert correlate(tmp_path).startswith("12 captions of 3 videos by 4 systems have")
    assert rows(tmp_path / "out" / "unmatched.csv") == []


def test_a_column_in_two_files_is_refused_with_the_way_out(files):
    (files / "again.csv").write_text((files / "scores.csv").read_text())
    with pytest.raises(CommandError, match=r"good is in scores\.csv already; `score --label`"):
        call_command(
            "correlate", "--human", str(files / "human.csv"), "--metrics",
            str(files / "scores.csv"), str(files / "again.csv"), "--out", str(files / "out"),
            stderr=StringIO(),
        )  # fmt: skip
    assert not (files / "out").exists()


def test_a_missing_model_is_one_sentence_whatever_it_leaves_out(tmp_path):
    """Families of EMScore and FactVC need the same weights: that is said once."""
    videos = [f"v{number}" for number in range(12)]
    keys = [(video, system) for video in videos for system in "AB"]
    rows = [(*key, at % 7) for at, key in enumerate(keys)]
    human = write(tmp_path / "human.csv", ["video", "system", "z"], rows)
    rows = [(*key, f"a man number {at % 5} rides a horse") for at, key in enumerate(keys)]
    captions = write(tmp_path / "captions.csv", ["video", "system", "caption"], rows)
    rows = [(video, "h", f"a man number {at % 5} walks") for at, video in enumerate(videos)]
    references = write(tmp_path / "references.csv", ["video", "source", "caption"], rows)
    said = StringIO()
    call_command(
        "correlate", "--human", str(human), "--captions", str(captions), "--references",
        str(references), "--compute", "rougel,bleu1,emscore_text,emscore_text_f,factvc_text",
        *QUICK, "--out", str(tmp_path / "out"), stdout=StringIO(), stderr=said,
    )  # fmt: skip
    lines = [line for line in said.getvalue().splitlines() if "emscore_text" in line]
    assert len([line for line in lines if "model" in line]) == 1, lines
    assert len([line for line in lines if "no value" in line]) == 1, lines
