"""EvalSets of mt-metrics-eval, in the shape that project writes them."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

SEGMENTS = 12


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    made = tmp_path / "wmt"
    (made / "human-scores").mkdir(parents=True)
    scores = {}
    for pair in ("en-de", "zh-en"):
        (made / "metric-scores" / pair).mkdir(parents=True)
        mqm = rng.normal(size=(3, SEGMENTS))
        scores[pair] = mqm, mqm + rng.normal(size=mqm.shape)
        names = {
            f"human-scores/{pair}.mqm": mqm,
            f"metric-scores/{pair}/BLEU-refA": scores[pair][1],
        }
        for name, table in names.items():
            lines = [f"S{s}\t{value}" for s, row in enumerate(table.tolist()) for value in row]
            (made / f"{name}.seg.score").write_text("\n".join(lines) + "\n")
    human = made / "human-scores" / "en-de.mqm.seg.score"
    lines = human.read_text().splitlines()
    human.write_text("\n".join(["S0\tNone", *lines[1:]]) + "\n")
    return made, scores


def correlate(folder, *further):
    out = folder.parent / "out"
    call_command(
        "correlate", "--human", str(folder), "--out", str(out), "--draws", "5", "--placebo", "0",
        *further, stdout=io.StringIO(), stderr=io.StringIO(),
    )  # fmt: skip
    return pd.read_csv(out / "correlations.csv")


def test_human_and_metric_scores_of_a_pair_are_read(folder):
    made, scores = folder
    found = correlate(made, "--pair", "en-de").query("level == 'caption'").iloc[0]
    mqm, metric = (table.ravel()[1:] for table in scores["en-de"])
    assert (found["metric"], found["human"], found["n"]) == ("BLEU-refA", "mqm", 3 * SEGMENTS - 1)
    assert found["pearson"] == pytest.approx(stats.pearsonr(mqm, metric)[0])


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [((), "--pair en-de"), (("--pair", "de-en"), "no language pair 'de-en'")],
)
def test_a_pair_is_to_be_named(folder, arguments, fault):
    with pytest.raises(CommandError) as caught:
        correlate(folder[0], *arguments)
    assert fault in str(caught.value)
    assert caught.value.returncode == 2


def test_a_line_that_is_no_score_is_told(folder):
    made, _ = folder
    path = made / "human-scores" / "zh-en.mqm.seg.score"
    path.write_text(path.read_text() + "S9\n")
    with pytest.raises(CommandError, match="line 37"):
        correlate(made, "--pair", "zh-en")


def test_systems_with_other_numbers_of_segments_are_refused(folder):
    made, _ = folder
    path = made / "human-scores" / "zh-en.mqm.seg.score"
    path.write_text(path.read_text() + "S9\t0.5\n")
    with pytest.raises(CommandError, match="S9 has 1"):
        correlate(made, "--pair", "zh-en")


def test_files_can_be_named_by_themselves(folder):
    made, scores = folder
    metric = made / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    human = made / "human-scores" / "en-de.mqm.seg.score"
    found = correlate(human, "--metrics", str(metric)).query("level == 'caption'").iloc[0]
    assert (found["metric"], found["human"]) == ("BLEU-refA", "en-de.mqm")
    mqm, own = (table.ravel()[1:] for table in scores["en-de"])
    assert found["pearson"] == pytest.approx(stats.pearsonr(mqm, own)[0])


def test_a_file_of_systems_meets_another_and_no_segment(folder, tmp_path):
    files = {"mqm": [1, 2, 3, 5], "BLEU": [10, 30, 20, 40]}
    for name, values in files.items():
        lines = [f"S{at}\t{value}" for at, value in enumerate(values)]
        (tmp_path / f"{name}.sys.score").write_text("\n".join(lines) + "\n")
    human, metric = (tmp_path / f"{name}.sys.score" for name in files)
    found = correlate(human, "--metrics", str(metric)).query("level == 'system'").iloc[0]
    assert found["pearson"] == pytest.approx(stats.pearsonr(*files.values())[0])
    segments = folder[0] / "metric-scores" / "en-de" / "BLEU-refA.seg.score"
    with pytest.raises(CommandError, match="No caption has a human score"):
        correlate(human, "--metrics", str(segments))


FIELD = Path(__file__).parents[2] / "data" / "field"


def test_samples_in_the_shape_of_the_field_are_held_against_people(tmp_path):
    """Made by hand: an EvalSet with a missing score, and two files of systems."""
    made = tmp_path / "evalset"
    shutil.copytree(FIELD / "evalset", made)
    found = correlate(made).query("level == 'caption'").iloc[0]
    assert (found["metric"], found["human"], found["n"]) == ("chrF-refA", "mqm", 7)
    files = {name: tmp_path / name for name in ("en-de.mqm.sys.score", "chrF-refA.sys.score")}
    for name, path in files.items():
        shutil.copy(FIELD / name, path)
    people, metric = files.values()
    found = correlate(people, "--metrics", str(metric)).query("level == 'system'").iloc[0]
    r = stats.pearsonr([-2.0, -2.25, -3.5], [0.55, 0.47, 0.31])[0]
    assert (found["n"], found["pearson"]) == (3, pytest.approx(r))
