"""What the field reports beside r: accuracies, correlation within videos, means over people."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import call_command
from scipy import stats

from analysis.evaluation.levels import Rows, caption_level, system_level
from analysis.evaluation.settings import Settings
from analysis.evaluation.system_tables import known_range
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


def test_every_metric_is_calibrated_on_the_same_halves_of_the_videos():
    rng = np.random.default_rng(8)
    human, metric = rng.integers(1, 6, 120).astype(float), rng.normal(size=120)
    video, system = np.repeat(np.arange(24), 5), np.tile(np.arange(5), 24)
    names = tuple(map(str, range(24)))
    rows = Rows(human, np.column_stack([metric, metric]), video, system, names, names[:5])
    one, same = caption_level(rows, Settings(draws=5)).held_out
    assert one == same


def test_ranks_by_accuracy_follow_the_level_of_the_tests():
    """One metric orders twelve systems nearly as people do: at a level that cannot be reached it
    is not told apart from noise."""
    rng = np.random.default_rng(2)
    human = np.repeat(np.arange(12.0), 4)
    metrics = np.column_stack([human + rng.normal(size=48), rng.normal(size=48)])
    video, system = np.tile(np.arange(4), 12), np.repeat(np.arange(12), 4)
    names = tuple(map(str, range(12)))
    rows = Rows(human, metrics, video, system, names[:4], names)
    ranks = [
        system_level(rows, Settings(draws=50, alpha=alpha)).accuracy_rank.tolist()
        for alpha in (0.05, 1e-6)
    ]
    assert ranks == [[1, 2], [1, 1]]


@pytest.mark.parametrize(
    ("human", "values", "ends"),
    [
        ("consistency", [1.25, 3.5, 4.75], (1, 5)),  # four annotators
        ("consistency", [1.2, 3.6, 4.8], (1, 5)),  # five
        ("raw", [12.5, 50.0, 77.1], (0, 100)),
        ("raw", [1.5, 3.0, 4.5], (1, 5)),  # raw scores of a 1–5 question
        ("z", [-0.5, 0.25, 1.0], (-0.5, 1.0)),
    ],
)
def test_the_ends_of_peoples_scale_are_those_of_the_scale_where_it_is_known(human, values, ends):
    assert known_range(human, np.array(values)) == ends


def test_the_report_shows_held_out_accuracy_and_the_test_within_videos(held):
    out, _ = held
    html = (out / "report.html").read_text()
    assert "acc_eq, ties held out" in html
    assert "p, behind the best" in html
    tests = pd.read_csv(out / "williams.csv").query("level == 'per_video' and human == 'a0'")
    best = tests.loc[tests["r_better"].idxmax()]
    assert (
        f"Within videos {best['better']} has the highest mean τ-b, {best['r_better']:.3f}" in html
    )
    verdict = (
        "significantly more than every other" if best["permutation_p_holm"] < 0.05 else "; not"
    )
    assert verdict in html


def test_where_no_permutation_can_be_significant_it_is_said(held):
    """Five systems have 32 exchanges: p is 1/32 at the least, and Holm doubles it."""
    out, _ = held
    html = (out / "report.html").read_text()
    assert "there are 32 ways to exchange two metrics" in html
    assert "none of the 2 comparisons over systems can be significant" in html
    assert "comparisons over videos can be significant" not in html
