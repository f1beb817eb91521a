"""Captions in parts: frames and references between two times, and the mean over parts."""

from __future__ import annotations

import csv
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis import score as score_in_python
from analysis.metrics.batch import Span
from analysis.metrics.encoding.embedding import _within
from analysis.metrics.encoding.embeddings import Embedding
from tests.clips import make_clip

HEADER = "video,system,caption,start,end,part\n"
REFERENCES = (
    "video,source,caption,start,end\n"
    "v1,human-a,a dog runs over grass,0,2\nv1,human-a,two men talk loudly,2,4\n"
)
WORDS = ("rougel", "bleu1")


def score(folder, captions, metrics=WORDS, *options, references=REFERENCES):
    (folder / "captions.csv").write_text(captions)
    (folder / "references.csv").write_text(references)
    call_command("score", str(folder / "captions.csv"), "--references",
                 str(folder / "references.csv"), "--metrics", ",".join(metrics), "--out",
                 str(folder / "scores.csv"), *map(str, options), stderr=StringIO())  # fmt: skip
    with (folder / "scores.csv").open(newline="") as file:
        return {
            (row["video"], row["system"], row["metric"]): float(row["value"] or "nan")
            for row in csv.DictReader(file)
        }


def test_a_part_meets_its_own_references_and_a_caption_is_their_mean(tmp_path):
    parts = "v1,A,a dog runs,0,2,1\nv1,A,a dog runs,2,4,2\nv1,B,two men talk,2,4,\n"
    found = score(tmp_path, HEADER + parts)
    plain = "video,source,caption\nv1,human-a,a dog runs over grass\n"
    own = score(tmp_path, "video,system,caption\nv1,A,a dog runs\n", references=plain)
    for metric in WORDS:
        against_first = own["v1", "A", metric]
        assert against_first > 0.3
        assert found["v1", "A", metric] == pytest.approx(against_first / 2, abs=1e-6)
    assert set(found) == {("v1", system, metric) for system in "AB" for metric in WORDS}
    found = score(tmp_path, HEADER + parts)
    about = json.loads((tmp_path / "scores.csv.json").read_text())
    assert about["signatures"]["rougel"].endswith("|parts:mean")
    assert "3 parts of 2 captions" in about["notes"][-1]


def test_where_no_reference_lies_in_a_part_all_of_the_video_are_taken(tmp_path):
    far = score(tmp_path, HEADER + "v1,A,two men talk,50,60,\n", ["rougel"])
    whole = score(tmp_path, "video,system,caption\nv1,A,two men talk\n", ["rougel"])
    assert far == whole


@pytest.mark.parametrize(
    ("part", "reference", "belongs"),
    [((0, 10), (8, 12), True), ((0, 10), (8, 13), False), ((3, 5), (3.2, 3.9), True),
     ((5, 9), (3.2, 3.9), False), ((0, 100), (4, 5), True)],
)  # fmt: skip
def test_a_reference_belongs_with_more_than_two_fifths_of_its_seconds(part, reference, belongs):
    assert Span(*part).holds(Span(*reference)) == belongs


def test_frames_of_a_part_are_those_between_its_times():
    frames = Embedding(np.eye(4, dtype=np.float32), np.array([0, 1000, 2000, 3000]))
    assert _within(frames, Span(1, 3)).marks.tolist() == [1000, 2000]
    assert _within(frames, Span(2.4, 2.9)).marks.tolist() == [3000]  # none: the nearest
    assert _within(frames, Span(90, 99)).vectors.tolist() == [[0, 0, 0, 1]]


def test_frames_are_embedded_once_for_all_parts(tmp_path):
    make_clip(tmp_path / "v1.mp4", seconds=4, size=(64, 48))
    seen = ("--videos", tmp_path, "--model", "demo", "--anyway", "--frames", "fps:2",
            "--store", tmp_path / "store")  # fmt: skip
    parts = ["v1,A,a red circle,0,1.5,1\n", "v1,A,a red circle,2,4,2\n"]
    first, second = (score(tmp_path, HEADER + part, ["clip_mean"], *seen) for part in parts)
    stored = {path: path.stat().st_size for path in (tmp_path / "store").glob("frames-*/*")}
    both = score(tmp_path, HEADER + "".join(parts), ["clip_mean"], *seen)
    key = ("v1", "A", "clip_mean")
    assert both[key] == pytest.approx((first[key] + second[key]) / 2, abs=1e-6)
    now = {path: path.stat().st_size for path in (tmp_path / "store").glob("frames-*/*")}
    assert stored == now
    with pytest.raises(CommandError, match="middle of the whole video"):
        score(tmp_path, HEADER + parts[0], ["clip_image"], *seen)


@pytest.mark.parametrize(
    "times", ["3,2", "1,", ",4", "a,b", "-1,3", "2,2", "0,inf"], ids=lambda times: times
)
def test_times_that_are_none_are_told_with_their_line(tmp_path, times):
    with pytest.raises(CommandError, match="not the times of a part") as refused:
        score(tmp_path, f"{HEADER}v1,A,a dog,0,1,\nv1,A,a cat,{times},2\n")
    assert "captions.csv, line 3" in str(refused.value)
    assert not (tmp_path / "scores.csv").exists()


def test_a_part_said_twice_is_refused(tmp_path):
    with pytest.raises(CommandError, match="already"):
        score(tmp_path, HEADER + "v1,A,a dog,0,1,\nv1,A,a cat,0,1,\n")


def test_correlate_and_notebooks_say_where_parts_are_scored(tmp_path):
    path = tmp_path / "captions.csv"
    path.write_text(HEADER + "v1,A,a dog,0,1,\n")
    with pytest.raises(ValueError, match="score them with `score`"):
        score_in_python(path, metrics=["rougel"])
