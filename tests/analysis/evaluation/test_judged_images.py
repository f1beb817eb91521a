"""Captions of images whose every rating is a row: Flickr8k-Expert, Composite, CrowdFlower."""

from __future__ import annotations

import csv
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from PIL import Image
from scipy.stats import kendalltau

from analysis import evaluate, score
from analysis.metrics.files import find_videos

QUICK = ("--draws", "20", "--placebo", "0")
SENTENCE = "a dog runs over green grass while two people watch it from a bench"
WORDS = SENTENCE.split()


def record(number: int) -> dict:
    """Three captions of an image, each rated by three people, more where more words are right."""
    truth = WORDS[number:] + WORDS[:number]
    captions = [" ".join(truth[:right] + ["nothing"] * (8 - right)) for right in (2, 5, 8)]
    rated = [
        {"caption": caption, "rating": min(4, max(1, rating + person % 2))}
        for rating, caption in enumerate(captions, start=number % 2 + 1)
        for person in range(3)
    ]
    return {
        "image_path": f"Images/{number}.jpg",
        "ground_truth": [" ".join(truth), " ".join(truth[:8])],
        "human_judgement": rated,
    }


@pytest.fixture
def judged(tmp_path):
    content = {f"image-{number}": record(number) for number in range(8)}
    content["image-0"]["human_judgement"][0]["rating"] = float("nan")
    content["image-1"]["human_judgement"][0]["rating"] = None
    path = tmp_path / "flickr8k.json"
    path.write_text(json.dumps(content))
    folder = tmp_path / "pictures" / "Images"
    folder.mkdir(parents=True)
    for number in range(8):
        Image.new("RGB", (40, 30), (30 * number, 90, 200)).save(folder / f"{number}.jpg")
    return path


def correlate(human, *options):
    said = StringIO()
    out = human.parent / "out"
    call_command("correlate", "--human", str(human), "--out", str(out), *QUICK, *options,
                 stdout=said, stderr=said)  # fmt: skip
    return said.getvalue(), out


def of_captions(out, metric):
    with (out / "correlations.csv").open(newline="") as file:
        return next(
            row
            for row in csv.DictReader(file)
            if (row["metric"], row["level"]) == (metric, "caption")
        )


def by_hand(judged, metric, *, without_references=False):
    """Every rating beside the metric's value of its caption, straight from the file."""
    scored = score(judged, judged, metrics=[metric]).to_pandas()
    values = dict(zip(zip(scored.video, scored.caption, strict=True), scored[metric], strict=True))
    pairs = [
        (row["rating"], values[image, row["caption"]])
        for image, found in json.loads(judged.read_text()).items()
        for row in found["human_judgement"]
        if row["rating"] is not None and not np.isnan(row["rating"])
        if not (without_references and row["caption"] in found["ground_truth"])
    ]
    return np.array(pairs)


@pytest.mark.parametrize("without", [False, True])
def test_every_rating_is_a_row_of_both_taus(judged, without):
    option = ["--without-references"] if without else []
    said, out = correlate(judged, "--compute", "rougel", *option)
    pairs = by_hand(judged, "rougel", without_references=without)
    row = of_captions(out, "rougel")
    assert int(row["n"]) == len(pairs) == (46 if without else 70)
    for variant in "bc":
        expected = kendalltau(*pairs.T, variant=variant).statistic
        assert float(row[f"kendall_{variant}"]) == pytest.approx(expected, abs=1e-9)
    captions = 16 if without else 24
    assert f"n counts {len(pairs)} ratings of {captions} captions, not captions" in said
    assert f"{captions} captions of 8 videos, rated {len(pairs)} times, have human" in said
    assert f"over {len(pairs)} ratings" in said
    assert "2 judgements have no number as rating; left out" in said
    assert "The captions name no systems" in said
    assert ("24 rows of human scores belong to captions among the references" in said) == without


def test_scores_of_the_same_file_are_read_beside_it(judged):
    scores = judged.parent / "scores.csv"
    call_command("score", str(judged), "--references", str(judged), "--metrics", "rougel,bleu4",
                 "--out", str(scores), stderr=StringIO())  # fmt: skip
    computed = of_captions(correlate(judged, "--compute", "rougel,bleu4")[1], "rougel")
    read = of_captions(correlate(judged, "--metrics", str(scores))[1], "rougel")
    assert read == computed
    in_python = evaluate(judged, scores, draws=20, placebo=0).to_pandas()
    found = in_python[(in_python.metric == "rougel") & (in_python.level == "caption")]
    assert found.kendall_c.item() == pytest.approx(float(computed["kendall_c"]))


def test_every_check_of_robustness_takes_ratings_as_rows(judged):
    _, out = correlate(judged, "--compute", "rougel", "--robustness", "shuffle,references,drift")
    with (out / "robustness.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"quality drift", "word order", "references"} <= {row["check"] for row in rows}
    counted = {row["n"] for row in rows if row["check"] in {"word order", "references"}}
    assert counted == {"70"}


def test_rows_of_a_table_are_ratings_only_where_somebody_says_so(judged):
    human, scores = judged.parent / "human.csv", judged.parent / "seen.csv"
    keys = [(f"v{at}", "A") for at in range(6)]
    ratings = [(*key, value) for at, key in enumerate(keys) for value in (at, at, at + 1)]
    for path, column, rows in (
        (human, "rating", ratings),
        (scores, "m", [(*key, at % 4) for at, key in enumerate(keys)]),
    ):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("video", "system", column), *rows])
    with pytest.raises(CommandError, match="two rows with different scores"):
        correlate(human, "--metrics", str(scores))
    _, out = correlate(human, "--metrics", str(scores), "--rows-are-ratings")
    row = of_captions(out, "m")
    expected = kendalltau([r[2] for r in ratings], [at % 4 for at in range(6) for _ in range(3)],
                          variant="c").statistic  # fmt: skip
    assert int(row["n"]) == 18
    assert float(row["kendall_c"]) == pytest.approx(expected)


def test_images_are_looked_at_where_their_list_says_they_are(judged):
    said, out = correlate(judged, "--compute", "clip_image,clipscore", "--images",
                          str(judged.parent / "pictures"), "--model", "demo", "--anyway",
                          "--store", str(judged.parent / "store"))  # fmt: skip
    assert int(of_captions(out, "clip_image")["n"]) == 70
    assert "no such file" not in said


def test_a_path_in_the_list_never_leaves_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.jpg").write_bytes(b"x")
    for told in ("../secret.jpg", str(tmp_path / "secret.jpg")):
        found = find_videos(tmp_path / "in", ["one"], {"one": told})
        assert found["one"].parent == tmp_path / "in"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"human_judgement": [{"caption": "a dog", "rating": "good"}]}, "is not a number"),
        ({"human_judgement": [{"rating": 2}]}, "has no caption"),
        ({"human_judgement": {}}, "is not a list"),
    ],
)
def test_what_is_no_judgement_is_told_with_its_image(judged, change, said):
    content = json.loads(judged.read_text())
    content["image-5"] |= change
    judged.write_text(json.dumps(content))
    with pytest.raises(CommandError, match=r"flickr8k\.json") as refused:
        correlate(judged, "--compute", "rougel")
    assert said in str(refused.value)
    assert "image-5" in str(refused.value)
    assert not (judged.parent / "out").exists()


def test_an_interval_without_width_is_explained(tmp_path):
    """Three systems that every video orders alike: τ is 1 in every draw of videos."""
    human, scores = tmp_path / "human.csv", tmp_path / "scores.csv"
    keys = [(f"v{at}", system) for at in range(6) for system in "ABC"]
    rng = np.random.default_rng(5)
    for path, column, noise in ((human, "z", 0.1), (scores, "m", 0.2)):
        rows = [(*key, 10 * "ABC".index(key[1]) + noise * rng.normal()) for key in keys]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("video", "system", column), *rows])
    said, out = correlate(human, "--metrics", str(scores))
    assert "Over 3 systems the interval of ρ of m; τ-b of m; τ-c of m has no width" in said
    assert "no width" in (out / "report.html").read_text()
    assert "captions the interval" not in said
