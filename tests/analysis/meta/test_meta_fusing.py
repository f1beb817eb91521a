"""A mix of metrics, saved and applied."""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from analysis.meta.files import fused
from analysis.meta.fusing import read_fusion, write_fusion
from analysis.meta.joining import join
from analysis.meta.pipeline import evaluate_metrics
from analysis.meta.sentences import alike_sentence, fusion_sentence
from analysis.meta.settings import Settings


@pytest.fixture(scope="module")
def saved(joined):
    return fused(evaluate_metrics(joined, Settings(draws=20, placebo=0)))[0]


def test_what_is_saved_is_what_is_read(saved, joined, tmp_path):
    path = tmp_path / "fusion.json"
    path.write_bytes(write_fusion(saved))
    again = read_fusion(path)
    values = {name: joined.metrics[name].to_numpy() for name in joined.metrics}
    np.testing.assert_array_equal(again.score(values), saved.score(values))
    assert again.metrics == ("close", "far", "against")
    assert np.corrcoef(again.score(values), joined.human["z"])[0, 1] > 0.85


def test_a_copy_and_a_sum_are_named_and_not_weighed(scores):
    human, metrics = scores
    frame = metrics.frame
    metrics = metrics.with_columns(
        {"copy": frame["close"] * 3, "sum": frame["far"] + frame["against"], "flat": 0 * frame.far}
    )
    part = evaluate_metrics(join(human, metrics), Settings(draws=20, placebo=0)).parts[0]
    assert {part.metrics[at] for at in part.fusion.metrics} == {"close", "far", "against"}
    assert "copy and sum are not in it: what they say" in fusion_sentence(part)
    assert "but for their scale, have close and copy: no test" in alike_sentence(part)
    assert max(map(abs, part.fusion.fusion.weight)) < 1


def test_it_is_undefined_where_a_metric_is(saved):
    values = {name: np.array([1.0, np.nan]) for name in saved.metrics}
    assert np.isnan(saved.score(values)).tolist() == [False, True]


def test_it_refuses_to_be_applied_without_a_metric(saved):
    with pytest.raises(ValueError, match="needs the metric 'far'"):
        saved.score({"close": np.ones(3)})


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "fusion-1"}', '{"format": "x"}'])
def test_it_refuses_a_file_that_is_no_fusion(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"other\.json: this is no saved fusion"):
        read_fusion(path)


def test_score_applies_it_to_new_captions(tmp_path):
    fusion = (
        '{"format": "fusion-1", "metrics": ["bleu1", "rougel"], "human": "z", "captions": 9, '
        '"signature": "s", "name": "mix", "fusion": {"mean": [0, 0], "sd": [1, 1], '
        '"weight": [2, 3], "human_mean": 1, "human_sd": 1, "ridge": 0, "n": 9}}'
    )
    (tmp_path / "mix.json").write_text(fusion)
    (tmp_path / "c.csv").write_text("video,system,caption\n1,A,a dog runs\n2,A,a red cat\n")
    (tmp_path / "r.csv").write_text("video,source,caption\n1,h,a dog runs\n2,h,the cat sits\n")
    call_command(
        "score", str(tmp_path / "c.csv"), "--references", str(tmp_path / "r.csv"),
        "--metrics", "bleu1,rougel", "--fusion", str(tmp_path / "mix.json"),
        "--out", str(tmp_path / "s.csv"), stderr=StringIO(),
    )  # fmt: skip
    with (tmp_path / "s.csv").open() as file:
        found = {(row["video"], row["metric"]): float(row["value"]) for row in csv.DictReader(file)}
    for video in "12":
        mixed = 1 + 2 * found[video, "bleu1"] + 3 * found[video, "rougel"]
        assert found[video, "mix"] == pytest.approx(mixed)
