"""What the field reports beside r: accuracies, correlation within videos, means over people."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import call_command
from scipy import stats

from analysis.stats.pairwise_accuracy import accuracy_at, held_out_accuracy, pairwise_accuracy

VIDEOS, SYSTEMS = 24, 5


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """Three people, two metrics, as files; the folder that `correlate` wrote."""
    folder = tmp_path_factory.mktemp("field")
    rng = np.random.default_rng(4)
    rows = [(f"v{video}", f"S{system}") for video in range(VIDEOS) for system in range(SYSTEMS)]
    frame = pd.DataFrame(rows, columns=["video", "system"])
    truth = rng.normal(size=len(rows))
    people = {
        f"a{n}": np.clip(np.round(3 + truth + rng.normal(size=len(rows))), 1, 5) for n in range(3)
    }
    metrics = {"near": truth + rng.normal(size=len(rows)), "far": rng.normal(size=len(rows))}
    frame.assign(**people).to_csv(folder / "human.csv", index=False)
    frame.assign(**metrics).to_csv(folder / "scores.csv", index=False)
    call_command(
        "correlate", "--human", str(folder / "human.csv"), "--metrics",
        str(folder / "scores.csv"), "--out", str(folder / "out"), "--draws", "50", "--placebo", "0",
        "--mean-of-scores", stdout=io.StringIO(), stderr=io.StringIO(),
    )  # fmt: skip
    return folder / "out", frame.assign(**people, **metrics)


def test_the_mean_over_people_is_that_of_their_correlations(held):
    out, frame = held
    found = pd.read_csv(out / "correlations.csv")
    row = found.query("human == 'mean' and level == 'caption' and metric == 'near'").iloc[0]
    taus = [stats.kendalltau(frame[f"a{n}"], frame["near"]).statistic for n in range(3)]
    assert row["kendall_b"] == pytest.approx(np.mean(taus))
    assert row["n"] == 3


def test_accuracy_without_calibration_and_with_it_held_out_are_in_the_file(held):
    out, frame = held
    found = pd.read_csv(out / "correlations.csv").query("level == 'caption' and human == 'a0'")
    row = found.set_index("metric").loc["near"]
    shares = []
    for _, one in frame.groupby("video"):
        x, y = one["near"].to_numpy(), one["a0"].to_numpy()
        pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
        shares.append(np.mean([np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i, j in pairs]))
    assert row["pairwise_accuracy_plain"] == pytest.approx(np.mean(shares))
    assert row["pairwise_accuracy_held_out"] <= row["pairwise_accuracy"] + 1e-12


def test_metrics_are_ranked_by_the_pairs_of_systems_they_order_as_people_do(held):
    out, frame = held
    found = pd.read_csv(out / "correlations.csv").query("level == 'system' and human == 'a0'")
    means = frame.groupby("system")[["a0", "near", "far"]].mean()
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
    for name, row in found.set_index("metric").iterrows():
        x, y = means[name].to_numpy(), means["a0"].to_numpy()
        right = np.mean([np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i, j in pairs])
        assert row["pairwise_accuracy_plain"] == pytest.approx(right)
    assert found["accuracy_rank"].min() == 1
    tests = pd.read_csv(out / "williams.csv").query("level == 'system' and human == 'a0'")
    assert tests["accuracy_p"].between(0, 1).all()


def test_metrics_are_compared_within_videos_by_a_test_of_their_own(held):
    out, frame = held
    found = pd.read_csv(out / "williams.csv").query("level == 'per_video' and human == 'a1'")
    row = found.iloc[0]
    assert (row["better"], row["worse"]) == ("near", "far")
    taus = [stats.kendalltau(one["a1"], one["near"]).statistic for _, one in frame.groupby("video")]
    assert row["r_better"] == pytest.approx(np.nanmean(taus))
    assert 0 < row["permutation_p"] < 0.05


def test_a_threshold_is_applied_as_it_was_calibrated():
    rng = np.random.default_rng(1)
    human, metric = rng.integers(1, 6, 60).astype(float), rng.normal(size=60)
    group = np.repeat(np.arange(12), 5)
    found = pairwise_accuracy(human, metric, group)
    assert accuracy_at(human, metric, group, found.epsilon) == pytest.approx(found.accuracy)
    assert accuracy_at(human, metric, group, 0.0) == pytest.approx(found.plain)


def test_calibrated_on_its_own_pairs_noise_looks_better_than_it_is():
    """People mostly tie: a threshold found by chance does not hold for other videos."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(30), 4)
    flattered = []
    for _ in range(20):
        human, metric = rng.integers(1, 4, 120).astype(float), rng.normal(size=120)
        own = pairwise_accuracy(human, metric, group).accuracy
        flattered.append(own - held_out_accuracy(human, metric, group, rng=rng))
    assert np.mean(flattered) > 0
    assert np.isnan(held_out_accuracy(human[:8], metric[:8], group[:8], rng=rng))
