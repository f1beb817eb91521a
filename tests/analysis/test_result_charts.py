from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest
import vl_convert

from analysis.presenting.charts import CONTROLS, DAMAGED
from analysis.results.pipeline import analyse, summarise
from analysis.results.settings import Settings
from benchmarks.crowd import simulate

HOSTILE = "</script><img src=x onerror=alert(1)> \"'\\ ]|[ ${x}"
CHARTS = ["ranking", "significance", "annotators", "scores", "thresholds"]


@pytest.fixture(scope="module")
def analysis():
    return analyse(simulate(annotators=15, systems=5, clickers=0.3, seed=4), Settings(draws=50))


def charts(analysis):
    return {f.name: shown for f, shown in summarise(analysis, splits=5, draws=20).shown()}


@pytest.fixture(scope="module")
def made(analysis):
    return charts(analysis)


def drawn(chart):
    """The chart as SVG by vega itself; a page sets the width, here it is fixed."""
    spec = json.loads(json.dumps(chart.spec, allow_nan=False)) | {"width": 500}
    return vl_convert.vegalite_to_svg(spec, vl_version="6.4")


def marks(svg, kind):
    """How many marks of a kind vega drew, by the groups it puts them in."""
    groups = re.findall(rf'<g class="mark-{kind} role-mark[^>]*>(.*?)</g>', svg, re.DOTALL)
    return sum(group.count("<path") + group.count("<text") for group in groups)


def test_the_ranking_shows_every_system_and_parts_the_clusters(analysis, made):
    chart = made["ranking"]
    svg = drawn(chart)
    assert all(f">{row['system']}</text>" in svg for row in chart.rows)
    assert marks(svg, "symbol") == len(chart.rows) == 5
    assert [row["z"] for row in chart.rows] == sorted(analysis.systems.z[1:].tolist())[::-1]
    clusters = len({row["cluster"] for row in chart.rows})
    assert svg.count('stroke-dasharray="2,3"') == clusters - 1


def test_the_scatter_has_one_mark_per_annotator_told_apart_by_shape(made):
    chart = made["annotators"]
    svg = drawn(chart)
    assert marks(svg, "symbol") == len(chart.rows) == 15
    assert {row["status"] for row in chart.rows} == {"passed", "failed"}
    assert chart.spec["layer"][1]["encoding"]["shape"]["field"] == "status"
    assert "Mean score of original captions" in svg


def test_distributions_count_every_rating_in_use_once(analysis, made):
    chart = made["scores"]
    used = analysis.used[analysis.ratings.annotator]
    assert sum(row["count"] for row in chart.rows) == used.sum()
    by_group = {row["group"] for row in chart.rows}
    assert {CONTROLS, DAMAGED} < by_group
    for group in by_group:
        assert sum(row["share"] for row in chart.rows if row["group"] == group) == pytest.approx(1)
    svg = drawn(chart)
    assert f">{CONTROLS}</text>" in svg
    assert marks(svg, "rect") == len(chart.rows)


def test_a_score_of_100_belongs_to_the_last_bin(analysis):
    ratings = dataclasses.replace(analysis.ratings, score=np.full_like(analysis.ratings.score, 100))
    rows = charts(dataclasses.replace(analysis, ratings=ratings))["scores"].rows
    assert {row["from"] for row in rows if row["count"]} == {95}


def test_the_threshold_line_stands_in_its_band(made):
    chart = made["thresholds"]
    svg = drawn(chart)
    assert marks(svg, "symbol") == len(chart.rows) == 6
    assert marks(svg, "area") == marks(svg, "line") == 1
    assert "everybody" in svg


@pytest.mark.parametrize("name", CHARTS)
def test_hostile_names_stay_names(analysis, name):
    names = (*analysis.ratings.systems[:-1], HOSTILE)
    people = (*analysis.ratings.annotators[:-1], HOSTILE)
    ratings = dataclasses.replace(analysis.ratings, systems=names, annotators=people)
    svg = drawn(charts(dataclasses.replace(analysis, ratings=ratings))[name])
    assert "<img" not in svg


def test_a_crowd_in_which_nobody_passed_has_charts_of_what_there_is():
    analysis = analyse(simulate(annotators=2, clickers=1.0), Settings(draws=5))
    made = charts(analysis)
    assert not analysis.used.any()
    assert [name for name in CHARTS if made[name].spec] == ["annotators", "thresholds"]
    drawn(made["annotators"])


def test_every_row_has_the_columns_of_its_table(made):
    for name in CHARTS:
        assert made[name].rows
        assert all(set(made[name].headings) <= set(row) for row in made[name].rows)


def test_the_matrix_has_a_cell_for_each_ordered_pair(made):
    chart = made["significance"]
    svg = drawn(chart)
    assert marks(svg, "rect") == len(chart.rows) == 20
    assert all(
        f">{row['shown'].replace('<', '&lt;').replace('>', '&gt;')}</text>" in svg
        for row in chart.rows
    )
