"""Scores on a few levels: ordinal agreement, levels instead of bins, no flags meant for lines."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from analysis.presenting.charts import spread_rows, spread_spec
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
from analysis.stats.agreement import annotator_values, krippendorff_alpha, ordinal_alpha
from analysis.stats.ratings import Ratings
from hits.protocols import protocol_named

LEVELS = protocol_named("consistency").scale
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section E: four observers,
# twelve units; he prints .815 for ordinal and .849 for interval data.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]


def consistency_ratings(people=3, videos=20, seed=1):
    """Three systems of different quality, and a caption of another video on every second page."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for video in range(videos):
            for system, level in enumerate((4.6, 3.4, 2.3)):
                score = int(np.clip(np.rint(rng.normal(level, 0.8)), 1, 5))
                rows.append([f"p{person}", "1", f"s{system}", f"v{video}", "system", score])
            if video % 2:
                rows.append([f"p{person}", "1", f"s{video % 3}", f"v{video}", "degraded", 1])
    table = pd.DataFrame(rows, columns=["annotator", "hit", "system", "item", "kind", "score"])
    return table.assign(position=table.groupby("annotator").cumcount(), seconds=9.0)


@pytest.fixture(scope="module")
def analysis():
    return analyse(Ratings.from_table(consistency_ratings()), Settings(protocol="consistency"))


def shared():
    cells = [
        (person, unit, level)
        for person, levels in enumerate(OBSERVERS)
        for unit, level in enumerate(levels)
        if level
    ]
    return annotator_values(*(np.array(column) for column in zip(*cells, strict=True)))


def test_ordinal_alpha_is_krippendorffs_own():
    assert ordinal_alpha(shared()).alpha == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(shared()).alpha == pytest.approx(0.849, abs=5e-4)


def test_ordinal_alpha_follows_the_order_of_levels_alone():
    stretched = annotator_values(shared().annotator, shared().unit, shared().value ** 3)
    assert ordinal_alpha(stretched).alpha == pytest.approx(ordinal_alpha(shared()).alpha)


def test_systems_have_mean_and_median_level_best_first(analysis):
    table = consistency_ratings()
    raw = table[table.kind == "system"].groupby("system").score
    levels = summarise(analysis).numbers["levels"].systems
    assert [each.system for each in levels] == ["s0", "s1", "s2"]
    for each in levels:
        assert each.mean == pytest.approx(raw.mean()[each.system])
        assert each.median == raw.median()[each.system]


def test_nobody_is_flagged_for_equal_levels_in_a_row():
    table = consistency_ratings()
    table.loc[table.annotator == "p0", "score"] = 5
    ratings = Ratings.from_table(table)
    levels, line = (analyse(ratings, Settings(protocol=name)) for name in ("consistency", "direct"))
    assert "constant" in line.flags[0]
    assert "constant" not in levels.flags[0]


def test_strangers_on_the_page_decide_who_passes(analysis):
    assert set(analysis.quality.status) == {"passed"}
    table = consistency_ratings()
    careless = table.annotator == "p1"
    table.loc[careless, "score"] = np.random.default_rng(3).integers(1, 6, careless.sum())
    table.loc[careless & (table.kind == "degraded"), "score"] = 5
    found = analyse(Ratings.from_table(table), Settings(protocol="consistency"))
    assert found.quality.status == ("passed", "failed", "passed")


def test_the_histogram_has_a_bar_for_each_level(analysis):
    shown = {finding.name: shown for finding, shown in summarise(analysis).shown()}["scores"]
    assert {row["from"] for row in shown.rows} == {1, 2, 3, 4, 5}
    assert shown.headings["from"] == "Level"
    axis = shown.spec["encoding"]["x"]
    assert axis["scale"]["domain"] == [0.5, 5.5]
    assert axis["axis"]["values"] == [1, 2, 3, 4, 5]


def test_bars_of_a_line_stay_bins():
    spec = spread_spec(spread_rows({"A": (1, *[0] * 19)}))
    assert spec["encoding"]["x"]["scale"]["domain"] == [0, 100]
    assert (spec["data"]["values"][0]["left"], spec["data"]["values"][0]["right"]) == (0, 5)


def test_agreement_says_that_it_is_ordinal(analysis):
    shown = {finding.name: shown for finding, shown in summarise(analysis).shown()}["agreement"]
    assert "for levels (ordinal)" in shown.sentence
    assert "Krippendorff's α, levels (ordinal)" in {row["form"] for row in shown.rows}


def test_signatures_name_the_protocol_but_for_direct_assessment(analysis):
    assert analysis.signature.as_dict()["protocol"] == "consistency"
    direct = analyse(Ratings.from_table(consistency_ratings()))
    assert "protocol" not in direct.signature.as_dict()


def test_the_command_writes_medians_levels_and_the_protocol(tmp_path):
    consistency_ratings().to_csv(tmp_path / "ratings.csv", index=False)
    out = tmp_path / "out"
    call_command(
        "analyse",
        str(tmp_path / "ratings.csv"),
        "--protocol=consistency",
        f"--out={out}",
        stdout=io.StringIO(),
    )
    captions = pd.read_csv(out / "captions.csv")
    raw = consistency_ratings().query("kind == 'system'").groupby(["system", "item"]).score
    found = captions.set_index(["system", "item"])["median"].sort_index()
    assert found.tolist() == raw.median().sort_index().tolist()
    report = json.loads((out / "report.json").read_text())
    assert [each["system"] for each in report["levels"]] == ["s0", "s1", "s2"]
    assert "Levels by system" in (out / "report.html").read_text()


def test_scores_of_another_scale_are_refused(tmp_path):
    table = consistency_ratings()
    table.loc[4, "score"] = 7
    table.to_csv(tmp_path / "ratings.csv", index=False)
    with pytest.raises(CommandError, match="score 7 is not from 1 to 5"):
        call_command(
            "analyse",
            str(tmp_path / "ratings.csv"),
            "--protocol=consistency",
            f"--out={tmp_path / 'out'}",
        )
    assert not (tmp_path / "out").exists()


def test_a_level_below_the_scale_is_refused_too():
    table = consistency_ratings()
    table.loc[0, "score"] = 0
    with pytest.raises(ValueError, match="score 0 is not from 1 to 5"):
        analyse(Ratings.from_table(table), Settings(protocol="consistency"))
    assert len(LEVELS) == 5
