"""Several sets in one evaluation, checked against pandas and scipy done by hand."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

from analysis.evaluation.levels import Rows
from analysis.evaluation.set_fusion import _held, _sets, _splits
from analysis.presenting.sentences import p_is
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
        (("--set", "2016=nowhere"), "two sets are called '2016'"),
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


def test_the_highest_r_of_a_column_is_bold_not_the_one_farthest_from_0(years):
    people = pd.read_csv(years / "2016" / "human.csv")
    scores = pd.read_csv(years / "2016" / "scores.csv")
    scores.assign(noise=-people["z"]).to_csv(years / "2016" / "scores.csv", index=False)
    out, _ = correlate(years, "--scores", "z", "--latex")
    first = (out / "sets.tex").read_text().split("tabular")[1]
    assert "-1.000" in first.replace("$-$", "-").replace("−", "-")
    lines = [line for line in first.splitlines() if line.startswith("noise")]
    assert "textbf" not in lines[0]


def test_one_video_has_no_interval(years):
    for year in YEARS:
        for name in ("human.csv", "scores.csv"):
            rows = pd.read_csv(years / year / name)
            rows[rows["video"] == "v1"].to_csv(years / year / name, index=False)
    out, _ = correlate(years, "--scores", "z")
    found = pd.read_csv(out / "sets.csv").query("level == 'caption'")
    assert found["pearson"].notna().all()
    assert found[["low", "high"]].isna().all(axis=None)


def test_intervals_without_width_and_systems_held_fixed_are_explained(years):
    """Two metrics that order three systems as people do in every draw of videos."""
    for year in YEARS:
        people = pd.read_csv(years / year / "human.csv")
        people = people[people["system"].isin(["S0", "S2", "S4"])]
        place = people["system"].str[1].astype(float)
        people.assign(z=place, raw=place).to_csv(years / year / "human.csv", index=False)
        people[["video", "system"]].assign(alike=place, noise=-place).to_csv(
            years / year / "scores.csv", index=False
        )
    out, _ = correlate(years, "--scores", "z")
    notes = json.loads((out / "report.json").read_text())["notes"]
    for year in YEARS:
        [said] = [note for note in notes if note.startswith(f"{year}: Over 3 systems")]
        assert "alike, noise has no width" in said
    html = (out / "report.html").read_text()
    assert "does not mean certainty" in html
    assert "keep the systems fixed" in html
    assert "200 times" in html


@pytest.mark.parametrize(
    ("option", "named"),
    [
        (["--metrics", "scores.csv"], "--metrics"),
        (["--captions", "captions.csv"], "--captions"),
        (["--foils", "foils.csv"], "--foils"),
        (["--split", "videos"], "--split"),
        (["--ridge", "0.5"], "--ridge"),
        (["--compare", "alike,nobody"], "nobody"),
    ],
)
def test_what_says_nothing_of_several_sets_is_refused(years, option, named):
    with pytest.raises(CommandError, match=named):
        correlate(years, *option)
    assert not (years / "out").exists()


def test_leaving_out_of_a_mean_is_refused_where_there_is_none(years):
    folder = years / "2016"
    with pytest.raises(CommandError, match="--leave-out-of-mean is for several sets"):
        call_command(
            "correlate", "--human", str(folder / "human.csv"), "--metrics",
            str(folder / "scores.csv"), "--leave-out-of-mean", "2016", "--out",
            str(years / "out"), stdout=io.StringIO(), stderr=io.StringIO(),
        )  # fmt: skip


def test_two_metrics_are_compared_over_all_sets_when_asked(years):
    out, said = correlate(years, "--scores", "z", "--compare", "noise,alike")
    rows = pd.read_csv(out / "williams.csv").query("level == 'caption' and better == 'alike'")
    told = f"alike (r = {rows.iloc[0]['r_better']:.3f}) correlates significantly more than noise"
    assert told in said


def test_the_verdict_on_a_pair_goes_by_the_adjusted_p_in_every_sentence_and_file(years):
    """A borderline pair: it differs by itself, and not among as many as were compared."""
    rng = np.random.default_rng(1)
    for year in YEARS:
        people = pd.read_csv(years / year / "human.csv")["z"]
        scores = pd.read_csv(years / year / "scores.csv")
        noises = {"near": 0.95, "far": 1.12, "third": 2, "fourth": 2, "fifth": 2, "sixth": 2}
        made = {
            name: people + noise * people.std() * rng.normal(size=len(people))
            for name, noise in noises.items()
        }
        scores[["video", "system"]].assign(**made).to_csv(years / year / "scores.csv", index=False)
    out, said = correlate(years, "--scores", "z", "--compare", "near,far", "--latex")
    rows = pd.read_csv(out / "williams.csv").query("level == 'caption'")
    pair = rows.query("better == 'near' and worse == 'far'").iloc[0]
    assert pair["p"] < 0.05 <= pair["p_holm"]
    assert "near (r" in said
    assert "correlates not significantly more than far" in said
    assert f"p {p_is(pair['p_holm'])} adjusted by Holm, {p_is(pair['p'])} by itself" in said
    assert "near has the highest mean r" in said
    assert "it is not significantly ahead of far" in said
    captions = (out / "williams.tex").read_text().split(r"\end{tabular}")[0]
    [line] = [line for line in captions.splitlines() if line.startswith("near &")]
    assert line.split("&")[2].strip() == f"{pair['p_holm']:.3f}".removeprefix("0")


def test_a_mix_learned_on_these_sets_is_one_more_metric_on_them(years):
    out, _ = correlate(years, "--scores", "z")
    mix = years / "mix.json"
    mix.write_bytes((out / "fusion-z.json").read_bytes())
    weights = pd.read_csv(out / "coefficients.csv").set_index("metric")["coefficient"]
    out, _ = correlate(years, "--scores", "z", "--learned", str(mix))
    found = pd.read_csv(out / "sets.csv", dtype={"set": str}).query("level == 'caption'")
    [name] = set(found["metric"]) - set(METRICS)
    rows = merged(years, "2017")
    mixed = sum(weights[metric] * rows[metric] for metric in METRICS)
    r = found.query(f"metric == '{name}' and set == '2017'").iloc[0]["pearson"]
    assert r == pytest.approx(stats.pearsonr(rows["z"], mixed)[0])


def test_a_mix_is_held_only_against_captions_it_was_not_fitted_on(years):
    """Its description knows captions and videos again, as that of any trained metric does."""
    for year in YEARS:
        people = pd.read_csv(years / year / "human.csv")
        told = [f"{row.system} of {row.video} in {year}" for row in people.itertuples()]
        people[["video", "system"]].assign(caption=told).to_csv(
            years / year / "captions.csv", index=False
        )
        videos = people["video"].unique()
        references = [(video, "h", f"what {video} of {year} shows") for video in videos]
        pd.DataFrame(references, columns=["video", "source", "caption"]).to_csv(
            years / year / "references.csv", index=False
        )
    out, _ = correlate(years, "--scores", "z")
    mix = years / "mix.json"
    mix.write_bytes((out / "fusion-z.json").read_bytes())
    lists = json.loads(mix.read_text())["options"]["learned_from"]
    assert len(lists["captions"]) == 3 * 24 * 5  # 80 % of 30 videos, five systems each
    assert len(lists["references"]) == 3 * 24
    unseen = pd.read_csv(out / "fusion.csv", dtype={"set": str}).query(
        "split == '80/20' and scale == 'own units' and metric == 'fusion'"
    )
    out, _ = correlate(years, "--scores", "z", "--learned", str(mix))
    found = pd.read_csv(out / "sets.csv", dtype={"set": str})
    found = found.query("level == 'caption' and metric == 'fusion' and set != 'mean'")
    assert found["n"].tolist() == [30, 30, 30]
    assert found["pearson"].tolist() == pytest.approx(unseen["pearson"].tolist())
    notes = json.loads((out / "report.json").read_text())["notes"]
    assert any("120 captions have a text or a video that fusion was trained on" in note
               for note in notes)  # fmt: skip
    (years / "2016" / "captions.csv").unlink()
    with pytest.raises(CommandError, match="without texts it is not known"):
        correlate(years, "--scores", "z", "--learned", str(mix))


def test_it_is_remarked_on_when_nobody_knows_what_a_mix_was_fitted_on(years):
    out, _ = correlate(years, "--scores", "z")
    mix = years / "mix.json"
    mix.write_bytes((out / "fusion-z.json").read_bytes())
    out, _ = correlate(years, "--scores", "z", "--learned", str(mix))
    notes = json.loads((out / "report.json").read_text())["notes"]
    assert any("which captions fusion was fitted on is not known" in note for note in notes)


def test_a_metric_that_was_computed_otherwise_in_one_set_is_remarked_on(years):
    for year in YEARS:
        made = {"alike": f"alike|refs:{year}|model:{'b' if year == '2018' else 'a'}|version:1"}
        (years / year / "scores.csv.json").write_text(json.dumps({"signatures": made}))
    out, _ = correlate(years, "--scores", "z")
    notes = json.loads((out / "report.json").read_text())["notes"]
    assert notes == [
        "alike was not computed alike in every set (2016 with model:a; 2017 with model:a; "
        "2018 with model:b): their mean mixes both"
    ]


def test_names_carry_the_settings_that_differ_alike_in_every_set(years):
    for year in YEARS:
        path = years / year / "scores.csv"
        scores = pd.read_csv(path).rename(columns={"alike": "m@a", "noise": "m@b"})
        scores.to_csv(path, index=False)
        made = {"m@a": f"m|refs:{year}|idf:none", "m@b": f"m|refs:{year}|idf:paper"}
        path.with_name("scores.csv.json").write_text(json.dumps({"signatures": made}))
    out, _ = correlate(years, "--scores", "z", "--latex")
    assert set(pd.read_csv(out / "sets.csv")["metric"]) == {"m@a", "m@b"}
    for name in ("sets.tex", "williams.tex", "sets-z-caption.svg"):
        assert "m@a (idf:none)" in (out / name).read_text()
    html = (out / "report.html").read_text()
    assert ">m@a (idf:none)<" in html
    assert ">m@a<" not in html


def test_the_mean_over_people_stands_beside_each_of_them(years):
    """Columns are single people's here, as those of VATEX-EVAL."""
    out, _ = correlate(years, "--mean-of-scores", "--decimals", "1")
    found = pd.read_csv(out / "sets.csv", dtype={"set": str}).query("level == 'caption'")
    cells = found.set_index(["metric", "human", "set"])["kendall_b"]
    rows = merged(years, "2017")
    for human in ("z", "raw"):
        tau = stats.kendalltau(rows[human], rows["noise"].round(1)).statistic
        assert cells["noise", human, "2017"] == pytest.approx(tau)
    for name in (*YEARS, "mean"):
        both = [cells["noise", human, name] for human in ("z", "raw")]
        assert cells["noise", "mean", name] == pytest.approx(np.mean(both))
    assert set(found[found["human"] == "mean"]["n"]) == {2}
    assert "decimals:1" in (out / "signature.txt").read_text()
    with pytest.raises(CommandError, match="--decimals takes 0 to 15"):
        correlate(years, "--decimals", "-1")


GROUPED = ("SA/2016", "SA/2017", "MA/2016", "MA/2017")


@pytest.fixture
def grouped(years):
    """Two groups with the same years; people of the second saw the same captions."""
    rng = np.random.default_rng(9)
    for name in GROUPED:
        group, year = name.split("/")
        folder = years / group / year
        folder.mkdir(parents=True)
        people = pd.read_csv(years / year / "human.csv")
        noise = rng.normal(size=len(people)) if group == "SA" else 0
        people.assign(z=people["z"] + noise).to_csv(folder / "human.csv", index=False)
        (folder / "scores.csv").write_bytes((years / year / "scores.csv").read_bytes())
    return years


def test_groups_of_sets_have_a_mean_and_a_test_each(grouped):
    out, said = correlate(
        grouped, "--scores", "z", "--latex", "--leave-out-of-mean", "2016", sets=GROUPED
    )
    cells = pd.read_csv(out / "sets.csv").set_index(["metric", "level", "set"])
    for group in ("SA", "MA"):
        own = cells.loc["alike", "caption", f"{group}/2017"]["pearson"]
        assert cells.loc["alike", "caption", f"{group}/mean"]["pearson"] == own
        assert f"Systems, z, {group}: " in said
        alone, _ = correlate(
            grouped, "--scores", "z", sets=[name for name in GROUPED if name.startswith(group)]
        )
        same = pd.read_csv(alone / "williams.csv").query("level == 'caption'")
        out, _ = correlate(grouped, "--scores", "z", sets=GROUPED)
        found = pd.read_csv(out / "williams.csv").query(
            f"level == 'caption' and group == '{group}'"
        )
        assert found["p"].tolist() == pytest.approx(same["p"].tolist())
    assert {"sets-SA-z-caption.svg", "sets-MA-z-caption.svg"} <= {one.name for one in out.iterdir()}


def test_videos_of_two_groups_are_held_out_together(grouped):
    """The captions are the same: a fit must not know the video it is tried on by other people."""
    read = {name: read_rows(grouped / name) for name in GROUPED}
    held = np.split(_held(read, np.random.default_rng(1)), 4)
    assert held[0].tolist() == held[2].tolist()
    assert held[1].tolist() == held[3].tolist()
    assert 0 < np.count_nonzero(held[0]) < len(held[0])
    group = _sets(read)
    [training] = [
        training
        for split, name, _, training in _splits(GROUPED, group, np.concatenate(held))
        if (split, name) == ("leave one set out", "SA/2016")
    ]
    assert set(group[training]) == {1, 3}


def read_rows(folder):
    people = pd.read_csv(folder / "human.csv")
    videos, video = np.unique(people["video"], return_inverse=True)
    systems, system = np.unique(people["system"], return_inverse=True)
    scores = pd.read_csv(folder / "scores.csv")[list(METRICS)].to_numpy()
    return Rows(people["z"].to_numpy(), scores, video, system, tuple(videos), tuple(systems))


def test_checks_of_every_set_stand_in_one_table(tmp_path):
    """As Table 6 of bertha-2022: words shuffled, metrics by years."""
    rng = np.random.default_rng(4)
    words = ["man", "dog", "horse", "street", "runs", "rides", "red", "small", "park", "ball"]
    for year in YEARS[:2]:
        folder = tmp_path / year
        folder.mkdir()
        told = {f"v{number}": rng.choice(words, 6) for number in range(12)}
        rows = []
        for video, text in told.items():
            for system in "ABC":
                kept = int(rng.integers(0, 7))
                own = [*text[:kept], *rng.choice(words, 6 - kept)]
                rows.append((video, system, " ".join(own), kept / 6))
        frame = pd.DataFrame(rows, columns=["video", "system", "caption", "z"])
        frame[["video", "system", "caption"]].to_csv(folder / "captions.csv", index=False)
        frame[["video", "system", "z"]].to_csv(folder / "human.csv", index=False)
        references = [(video, "h", " ".join(text)) for video, text in told.items()]
        pd.DataFrame(references, columns=["video", "source", "caption"]).to_csv(
            folder / "references.csv", index=False
        )
    out, said = correlate(
        tmp_path, "--compute", "bleu4,rougel", "--robustness", "shuffle", sets=YEARS[:2]
    )
    found = pd.read_csv(out / "robustness.csv", dtype={"set": str})
    assert set(found["set"]) == set(YEARS[:2])
    shuffled = found.query("condition == 'words shuffled' and metric == 'rougel'")
    table = said[said.index("Robustness: word order, words shuffled (z)") :].splitlines()
    assert table[1].split() == list(YEARS[:2])
    [line] = [line.split() for line in table[2:4] if line.split()[0] == "rougel"]
    assert [float(cell) for cell in line[1:]] == shuffled["pearson"].round(3).tolist()
    assert not (correlate(tmp_path, "--compute", "rougel", sets=YEARS[:2])[0]
                / "robustness.csv").exists()  # fmt: skip
