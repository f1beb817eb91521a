"""Several sets in one evaluation, checked against pandas and scipy done by hand."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

from analysis.stats.dependent import williams_test

YEARS = ("2016", "2017", "2018")
METRICS = ("alike", "noise")


@pytest.fixture
def years(tmp_path):
    """Three years whose people and metrics have scales of their own."""
    rng = np.random.default_rng(5)
    for number, year in enumerate(YEARS):
        rows = [(f"v{video}", f"S{system}") for video in range(30) for system in range(5)]
        truth = rng.normal(size=len(rows)) + [int(system[1]) / 2 for _, system in rows]
        frame = pd.DataFrame(rows, columns=["video", "system"])
        folder = tmp_path / year
        folder.mkdir()
        people = frame.assign(z=truth * (number + 1), raw=50 + truth)
        people.to_csv(folder / "human.csv", index=False)
        metrics = {
            "alike": truth + rng.normal(size=len(rows)) + 10 * number,
            "noise": truth + 4 * rng.normal(size=len(rows)),
        }
        frame.assign(**metrics).to_csv(folder / "scores.csv", index=False)
    return tmp_path


def correlate(folder, *further, sets=YEARS):
    named = [part for year in sets for part in ("--set", f"{year}={folder / year}")]
    out, said = folder / "out", io.StringIO()
    call_command(
        "correlate", *named, "--out", str(out), "--draws", "200", *further,
        stdout=said, stderr=io.StringIO(),
    )  # fmt: skip
    return out, said.getvalue()


def merged(folder, year):
    people = pd.read_csv(folder / year / "human.csv")
    return people.merge(pd.read_csv(folder / year / "scores.csv"), on=["video", "system"])


def test_every_set_is_correlated_and_averaged(years):
    out, _ = correlate(years, "--scores", "z")
    found = pd.read_csv(out / "sets.csv", dtype={"set": str})
    columns = "metric,human,level,set,n,pearson,spearman,kendall_b,kendall_c,low,high"
    assert ",".join(found.columns) == columns
    cells = found.set_index(["metric", "level", "set"])
    for year in YEARS:
        rows = merged(years, year)
        means = rows.groupby("system")[["z", *METRICS]].mean()
        for metric in METRICS:
            caption, system = (cells.loc[metric, level, year] for level in ("caption", "system"))
            assert caption["pearson"] == pytest.approx(stats.pearsonr(rows["z"], rows[metric])[0])
            tau = stats.kendalltau(rows["z"], rows[metric], variant="c").statistic
            assert caption["kendall_c"] == pytest.approx(tau)
            assert system["pearson"] == pytest.approx(stats.pearsonr(means["z"], means[metric])[0])
            assert (caption["n"], system["n"]) == (150, 5)
            assert caption["low"] < caption["pearson"] < caption["high"]
    for coefficient in ("pearson", "kendall_b"):
        averaged = cells.loc["alike", "caption", "mean"][coefficient]
        single = [cells.loc["alike", "caption", year][coefficient] for year in YEARS]
        assert averaged == pytest.approx(np.mean(single))


def test_a_set_left_out_of_the_mean_still_has_its_row(years):
    out, _ = correlate(years, "--scores", "z", "--leave-out-of-mean", "2016")
    cells = pd.read_csv(out / "sets.csv", dtype={"set": str}).set_index(["metric", "level", "set"])
    single = [cells.loc["alike", "caption", year]["pearson"] for year in YEARS[1:]]
    mean = cells.loc["alike", "caption", "mean"]
    assert mean["pearson"] == pytest.approx(np.mean(single))
    assert mean["n"] == 2
    assert not np.isnan(cells.loc["alike", "caption", "2016"]["pearson"])


def test_the_interval_of_the_mean_is_narrower_than_those_of_the_sets(years):
    out, _ = correlate(years, "--scores", "z")
    found = pd.read_csv(out / "sets.csv").query("level == 'caption' and metric == 'alike'")
    width = (found["high"] - found["low"]).to_numpy()
    assert width[-1] < width[:-1].min()


def test_williams_pools_scores_standardised_within_their_set(years):
    out, _ = correlate(years, "--scores", "z")
    pooled = pd.concat(
        merged(years, year)[["z", *METRICS]].transform(lambda x: (x - x.mean()) / x.std())
        for year in YEARS
    )
    r = pooled.corr()
    test = williams_test(
        *(np.array(r.loc[pair]) for pair in [("z", "alike"), ("z", "noise"), ("alike", "noise")]),
        len(pooled),
    )
    row = pd.read_csv(out / "williams.csv").query("level == 'caption'").iloc[0]
    assert (row["better"], row["worse"], row["n"]) == ("alike", "noise", 450)
    assert row["p"] == pytest.approx(float(test.p), rel=1e-9)


def test_systems_are_ranked_by_people_and_by_metrics(years):
    out, _ = correlate(years, "--scores", "z")
    rows = pd.read_csv(out / "systems.csv", dtype={"set": str})
    one = rows.query("set == '2017' and metric == 'noise'").set_index("system")
    means = merged(years, "2017").groupby("system")[["z", "noise"]].mean()
    np.testing.assert_array_equal(one["human_rank"], means["z"].rank(ascending=False)[one.index])
    own = means["noise"].rank(ascending=False)[one.index]
    np.testing.assert_array_equal(one["metric_rank"], own)
    assert ((one["disagrees"] == "yes") == (one["human_rank"] != one["metric_rank"])).all()
    values = merged(years, "2017")["noise"]
    scaled = (means["noise"] - values.min()) / (values.max() - values.min())
    np.testing.assert_allclose(one["metric_scaled"], scaled[one.index])


def test_pictures_and_tables_for_a_paper_are_written(years):
    out, said = correlate(years, "--scores", "z", "--latex")
    names = {path.name for path in out.iterdir()}
    assert {"report.html", "sets-z-caption.svg", "sets.tex", "williams.tex"} <= names
    assert "2016 & 2017 & 2018 & mean" in (out / "sets.tex").read_text()
    assert "alike" in said


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--leave-out-of-mean", "1999"), "no set '1999'"),
        (("--leave-out-of-mean", ",".join(YEARS)), "nothing is left"),
        (("--scores", "fluency"), "set 2016: There is no column 'fluency'"),
        (("--set", "2016=nowhere"), "two sets called '2016'"),
        (("--set", "2020=nowhere"), "set 2020"),
        (("--human", "human.csv"), "either --human, or --set"),
    ],
)
def test_a_fault_names_its_set_and_nothing_is_written(years, arguments, fault):
    with pytest.raises(CommandError) as caught:
        correlate(years, *arguments)
    assert fault in str(caught.value)
    assert caught.value.returncode == 2
    assert not (years / "out").exists()


def test_the_shift_is_found_for_each_set_by_itself(tmp_path):
    """One year counts from 1, the other from 0; the words of captions tell."""
    rng = np.random.default_rng(1)
    words = [f"w{number}" for number in range(40)]
    for year, first in (("2016", 1), ("2017", 0)):
        folder = tmp_path / year
        (folder / "systems").mkdir(parents=True)
        (folder / "references").mkdir()
        lines = [" ".join(rng.choice(words, 8, replace=False)) for _ in range(60)]
        (folder / "references" / "t.en-en.HUMAN").write_text("\n".join(lines) + "\n")
        scores = []
        for system in ("A", "B", "C"):
            kept = rng.integers(0, 9, len(lines))
            captions = [
                " ".join([*line.split()[:count], *rng.choice(["x", "y"], 8 - count)])
                for line, count in zip(lines, np.minimum(kept, 8), strict=True)
            ]
            (folder / "systems" / f"t.en-en.{system}").write_text("\n".join(captions) + "\n")
            scores += [
                f"{system}\t{at + first}\t{count * 10}\t{count / 4}\t1"
                for at, count in enumerate(np.minimum(kept, 8).tolist())
            ]
        header = "SYS\tSID\tRAW.SCR\tZ.SCR\tN"
        (folder / "ad-seg-scores-en-en.csv").write_text("\n".join([header, *scores]) + "\n")
    out, _ = correlate(
        tmp_path, "--scores", "z", "--compute", "rougel", "--shift", "auto", sets=("2016", "2017")
    )
    assert "2016:-1 2017:+0" in (out / "signature.txt").read_text()
    found = pd.read_csv(out / "sets.csv", dtype={"set": str}).query("level == 'caption'")
    assert (found["pearson"] > 0.9).all()


def test_the_mix_is_fitted_on_all_sets_and_tried_on_each(years):
    out, _ = correlate(years, "--scores", "raw")
    tried = pd.read_csv(out / "fusion.csv", dtype={"set": str})
    assert set(tried["split"]) == {"80/20", "leave one set out"}
    assert set(tried["scale"]) == {"own units", "within set"}
    held = tried.query("split == '80/20' and scale == 'own units' and metric == 'fusion'")
    assert held["set"].tolist() == list(YEARS)
    assert held["n"].tolist() == [30] * 3  # 20 % of 30 videos, five systems each


def test_coefficients_are_in_the_metrics_own_units(years):
    """Leaving a set out is plain least squares on the others: numpy says what it must be."""
    out, _ = correlate(years, "--scores", "raw")
    tried = pd.read_csv(out / "fusion.csv", dtype={"set": str})
    rows = pd.concat(merged(years, year) for year in YEARS[1:])
    design = np.column_stack([rows[list(METRICS)], np.ones(len(rows))])
    weights = np.linalg.lstsq(design, rows["raw"], rcond=None)[0]
    first = merged(years, "2016")
    predicted = first[list(METRICS)].to_numpy() @ weights[:2] + weights[2]
    whole = tried.query("split == 'leave one set out' and metric == 'fusion'")
    found = whole.query("scale == 'own units' and set == '2016'")
    assert found["pearson"].item() == pytest.approx(stats.pearsonr(predicted, first["raw"])[0])
    told = pd.read_csv(out / "coefficients.csv").set_index("metric")
    assert list(told.index) == [*METRICS, "intercept"]
    assert ((told["low"] <= told["coefficient"]) & (told["coefficient"] <= told["high"])).all()


def test_a_mix_carries_over_to_a_set_in_which_metrics_spread_otherwise(years):
    """Five references instead of one: a weight per unit is wrong there, one per spread is not."""
    path = years / "2018" / "scores.csv"
    rows = pd.read_csv(path)
    rows.assign(noise=rows["noise"] * 50).to_csv(path, index=False)
    out, _ = correlate(years, "--scores", "z")
    tried = pd.read_csv(out / "fusion.csv", dtype={"set": str})
    tried = tried.query("split == 'leave one set out' and set == '2018'")
    r = tried.set_index(["scale", "metric"])["pearson"]
    assert r["own units", "fusion"] < r["own units", "alike"] - 0.1
    assert r["within set", "fusion"] > r["within set", "alike"] - 0.02
    assert "noise (" in (out / "report.html").read_text()


def test_the_mix_is_a_metric_that_can_be_applied(years):
    out, _ = correlate(years, "--scores", "raw")
    again = years / "again"
    call_command(
        "correlate", "--human", str(years / "2016" / "human.csv"), "--metrics",
        str(years / "2016" / "scores.csv"), "--learned", str(out / "fusion-raw.json"), "--scores",
        "raw", "--out", str(again), "--draws", "5", "--placebo", "0",
        stdout=io.StringIO(), stderr=io.StringIO(),
    )  # fmt: skip
    assert "fusion" in set(pd.read_csv(again / "correlations.csv")["metric"])
