"""EvalSets of mt-metrics-eval, in the shape that project writes them."""

from __future__ import annotations

import io

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
