"""What a paper says of its data, from folders and files."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.evaluation.description import TABLES
from analysis.evaluation.description_charts import description_charts
from analysis.presenting.downloads import table_file
from analysis.presenting.exports import ratings_table
from analysis.results.describing import distribution_rows
from analysis.stats.agreement import annotator_values
from analysis.stats.stability import stability_curve
from benchmarks.crowd import simulate

CAPTIONS = """video,system,caption
v1,A,a man rides a horse
v2,A,a dog runs
v3,A,a dog runs
v1,B,a woman rides a brown horse
v2,B,the dog runs fast
v3,B,nobody is there
"""
REFERENCES = """video,source,caption
v1,h1,a man is riding a horse
v2,h1,a dog is running
v3,h1,an empty street
v1,h2,somebody rides
v2,h2,a dog is running
v3,h2,a street without people
"""


def describe(data, out, *further):
    said = io.StringIO()
    call_command("describe", str(data), *further, "--out", str(out), "--draws", "20", stdout=said)
    return said.getvalue()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "campaign"
    made.mkdir()
    (made / "captions.csv").write_text(CAPTIONS)
    (made / "references.csv").write_text(REFERENCES)
    ratings = simulate(annotators=12, systems=4, videos=20, clickers=0, seed=1)
    (made / "ratings.csv").write_bytes(table_file(ratings_table(ratings), "csv"))
    return made


def test_words_vocabulary_and_repeated_texts_are_counted(folder, tmp_path):
    describe(folder, tmp_path / "out")
    texts = pd.read_csv(tmp_path / "out" / "texts.csv").set_index(["role", "source"])
    own = texts.loc[("system", "A")]
    assert (own["captions"], own["vocabulary"], own["duplicates"]) == (3, 6, 1)
    assert own["words_mean"] == pytest.approx((5 + 3 + 3) / 3)
    assert texts.loc[("reference", "all"), "captions"] == 6


def test_sources_are_compared_on_the_videos_they_share(folder, tmp_path):
    describe(folder, tmp_path / "out")
    alike = pd.read_csv(tmp_path / "out" / "similarity.csv")
    row = alike.query("role == 'reference' and first == 'h1' and second == 'h2'").iloc[0]
    curve = pd.read_csv(tmp_path / "out" / "similarity_curves.csv").query("role == 'reference'")
    assert row["n"] == len(curve) == 3
    assert (np.diff(curve["similarity"]) <= 0).all()
    assert curve["similarity"].iloc[0] == pytest.approx(1)  # the same sentence twice
    assert row["mean"] == pytest.approx(curve["similarity"].mean())


def test_people_scores_and_levels_are_described(folder, tmp_path):
    said = describe(folder, tmp_path / "out")
    people = pd.read_csv(tmp_path / "out" / "people.csv")
    assert len(people) == 12
    assert (people["seconds_per_caption"] > 0).all()
    assert "no significant difference" in said
    spread = pd.read_csv(tmp_path / "out" / "distribution.csv")
    np.testing.assert_allclose(spread.groupby("system")["share"].sum(), 1)
    levels = pd.read_csv(tmp_path / "out" / "levels.csv")
    assert len(levels) == 25
    middle = levels.query("drift_set == 3 and level == 3").iloc[0]
    assert middle["expected"] == middle["captions"]


def test_a_file_of_ratings_is_enough(folder, tmp_path):
    describe(folder / "ratings.csv", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "people.csv" in names
    assert "texts.csv" not in names


def test_there_is_a_picture_of_each_table_as_svg_and_png(folder, tmp_path):
    describe(folder, tmp_path / "out")
    for name in ("texts", "similarity", "similarity_curves", "distribution", "people"):
        assert (tmp_path / "out" / f"{name}.svg").read_text().startswith("<svg")
        assert (tmp_path / "out" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_scores_are_drawn_as_bars_that_stand_on_the_axis():
    """Without ``bin`` Vega-Lite draws a stroke at the height of each share."""
    rows = distribution_rows({"A": np.array([0.1, 0.3])})
    drawn = description_charts({name: [] for name in TABLES} | {"distribution": rows})
    assert list(drawn) == ["distribution"]
    assert drawn["distribution"]["encoding"]["x"]["bin"] == "binned"


def test_several_sets_stand_side_by_side(folder, tmp_path):
    """bertha-2022 §3: captions, words and mean score of each year, and Fig 2."""
    said = describe(f"2016={folder}", tmp_path / "out", f"2017={folder / 'ratings.csv'}")
    assert "2016: A (system)" in said
    lines = pd.read_csv(tmp_path / "out" / "summary.csv").set_index("set")
    assert lines.loc[2016, "captions"] == 6
    assert lines.loc[2016, "words_mean"] == pytest.approx((5 + 3 + 3 + 6 + 4 + 3) / 6)
    assert lines.loc[2017, "captions"] == 0
    assert (lines["ratings"] > 0).all()
    spread = pd.read_csv(tmp_path / "out" / "distribution.csv")
    assert set(spread["set"]) == {2016, 2017}
    drawn = (tmp_path / "out" / "distribution.svg").read_text()
    assert "2016" in drawn
    assert "2017" in drawn


def test_two_sets_of_one_name_are_refused(folder, tmp_path):
    with pytest.raises(CommandError, match="NAME=DATA"):
        describe(folder, tmp_path / "out", str(folder))


def test_a_folder_without_data_is_told(tmp_path):
    with pytest.raises(CommandError, match="neither") as caught:
        describe(tmp_path, tmp_path / "out")
    assert caught.value.returncode == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_a_name_of_nothing_is_told(tmp_path):
    with pytest.raises(CommandError, match="There is no file, folder or campaign 'nothing'"):
        describe("nothing", tmp_path / "out")


def test_more_ratings_agree_better_and_as_theory_says():
    """With true scores of variance 1 and errors of variance 1, r of n against m is known."""
    rng = np.random.default_rng(2)
    captions, people = 400, 8
    truth = rng.normal(size=captions)
    values = truth[:, None] + rng.normal(size=(captions, people))
    unit, annotator = (axis.ravel() for axis in np.indices(values.shape))
    shared = annotator_values(annotator, unit, values.ravel())
    curve = stability_curve(shared, shared.unit % 10, rng=rng, draws=50)
    by_caption = {point.ratings: point for point in curve if point.level == "caption"}
    assert sorted(by_caption) == list(range(1, people))
    for n in (1, 4, 7):
        expected = 1 / np.sqrt((1 + 1 / n) * (1 + 1 / (people - n)))
        assert by_caption[n].with_rest == pytest.approx(expected, abs=0.05)
        assert by_caption[n].with_all > by_caption[n].with_rest
    assert any(point.level == "system" for point in curve)


def test_the_curve_of_the_references_is_drawn_however_many_systems_there_are(folder, tmp_path):
    """Fig 4 of direct-assessment-2018: five systems have ten pairs, which leave no room."""
    texts = [line.rsplit(",", 1)[1] for line in CAPTIONS.splitlines()[1:4]]
    rows = [f"v{at},S{number},{text}" for number in range(5) for at, text in enumerate(texts, 1)]
    (folder / "captions.csv").write_text("\n".join(["video,system,caption", *rows, ""]))
    describe(folder, tmp_path / "out")
    drawn = {path.name for path in (tmp_path / "out").glob("*.svg")}
    assert {"similarity_curves.svg", "similarity_curves_references.svg", "levels.svg"} <= drawn
    assert "h1 and h2" in (tmp_path / "out" / "similarity_curves_references.svg").read_text()


def test_systems_are_compared_with_every_set_of_references(folder, tmp_path):
    """Fig 5 has the people among the systems."""
    describe(folder, tmp_path / "out")
    alike = pd.read_csv(tmp_path / "out" / "similarity.csv")
    across = alike.query("role == 'system and reference' and first == 'A'").set_index("second")
    assert list(across.index) == ["h1", "h2"]
    assert across["mean"].between(0, 1).all()
    assert ">h1<" in (tmp_path / "out" / "similarity.svg").read_text()


def test_quality_control_can_be_told_how_strict_to_be(folder, tmp_path):
    describe(folder / "ratings.csv", tmp_path / "out", "--quality-alpha", "1e-300")
    people = pd.read_csv(tmp_path / "out" / "people.csv")
    assert not (people["passed"] == "passed").any()
