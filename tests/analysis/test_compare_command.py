"""Two collections of one campaign side by side, from files and without a database."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from scipy import stats

from analysis.presenting.downloads import table_file
from analysis.presenting.exports import ratings_table
from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from benchmarks.crowd import simulate


@pytest.fixture
def collections(tmp_path):
    """The same systems and videos, rated by two crowds."""
    found = {}
    for name, seed in (("a.csv", 1), ("b.csv", 2)):
        ratings = simulate(annotators=12, systems=6, videos=30, clickers=0, seed=seed)
        (tmp_path / name).write_bytes(table_file(ratings_table(ratings), "csv"))
        found[name] = analyse(ratings, Settings(draws=1))
    return tmp_path, found


def compare(folder, *further):
    said = io.StringIO()
    call_command(
        "compare", str(folder / "a.csv"), str(folder / "b.csv"), "--draws", "100", *further,
        stdout=said, stderr=io.StringIO(),
    )  # fmt: skip
    return said.getvalue()


def test_scores_of_shared_systems_are_correlated(collections):
    folder, found = collections
    said = compare(folder, "--out", str(folder / "out"))
    rows = pd.read_csv(folder / "out" / "correlations.csv").set_index(["level", "score"])
    a, b = (found[name] for name in ("a.csv", "b.csv"))
    for score in ("raw", "z"):
        one, other = (getattr(found.systems, score) for found in (a, b))
        ranked = ~np.isnan(one)  # the control set has no score
        expected = stats.pearsonr(one[ranked], other[ranked])[0]
        assert rows.loc[("system", score), "pearson"] == pytest.approx(expected)
        assert rows.loc[("system", score), "n"] == np.count_nonzero(ranked)
    assert (rows["low"] < rows["high"]).all()
    assert rows.loc[("caption", "z"), "n"] > 30
    assert "systems, z scores" in said


def test_every_pair_of_systems_is_said_to_repeat_or_not(collections):
    folder, found = collections
    compare(folder, "--out", str(folder / "out"))
    pairs = pd.read_csv(folder / "out" / "pairs.csv")
    ranked = len(found["a.csv"].ranking.order)
    assert len(pairs) == ranked * (ranked - 1) // 2
    a, b = (found[name] for name in ("a.csv", "b.csv"))
    place = {name: code for code, name in enumerate(a.ratings.systems)}
    for row in pairs.itertuples():
        ways = [
            [one.ranking.p[place[row.first], place[row.second]] < 0.05,
             one.ranking.p[place[row.second], place[row.first]] < 0.05]
            for one in (a, b)
        ]  # fmt: skip
        in_both = ways[0] == ways[1] and any(ways[0])
        assert (row.found == "in both") == in_both
        assert (row.found == "in neither") == (not np.any(ways))


def test_a_collection_compared_with_itself_is_the_same(collections):
    folder, _ = collections
    (folder / "b.csv").write_bytes((folder / "a.csv").read_bytes())
    compare(folder, "--out", str(folder / "out"))
    rows = pd.read_csv(folder / "out" / "correlations.csv")
    np.testing.assert_allclose(rows["pearson"], 1)
    assert set(pd.read_csv(folder / "out" / "pairs.csv")["found"]) <= {"in both", "in neither"}


def test_without_a_shared_system_nothing_is_written(collections):
    folder, _ = collections
    text = (folder / "b.csv").read_text()
    frame = pd.read_csv(io.StringIO(text))
    frame.assign(system="other-" + frame["system"]).to_csv(folder / "b.csv", index=False)
    with pytest.raises(CommandError, match="no system") as caught:
        compare(folder, "--out", str(folder / "out"))
    assert caught.value.returncode == 2
    assert not (folder / "out").exists()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"a\.csv"):
        compare(tmp_path)


def test_quality_control_can_be_told_how_strict_to_be(collections):
    folder, _ = collections
    compare(folder)
    with pytest.raises(CommandError, match="no system has a score in both"):
        compare(folder, "--min-pairs", "500")
