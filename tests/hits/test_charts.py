from __future__ import annotations

import json

import pytest

from hits.charts import power_chart, power_table
from hits.planning import plan_campaign


@pytest.fixture(params=[1, 70, 20_000])
def plan(request):
    return plan_campaign(captions=request.param, systems=1, differences=(0.1, 0.3))


def test_the_chart_holds_every_point_of_the_plan(plan):
    spec = power_chart(plan)
    points = spec["layer"][0]["data"]["values"]
    assert len(points) == len(plan.power_curve)
    assert {point["difference"] for point in points} == {"0.1", "0.3"}
    assert all(0 <= point["power"] <= 1 for point in points)
    assert json.loads(json.dumps(spec)) == spec


def test_the_chart_marks_the_plan(plan):
    positions = [
        layer["encoding"].get("x", {}).get("datum") for layer in power_chart(plan)["layer"]
    ]
    assert plan.hits in positions


def test_the_table_says_the_same_as_the_chart(plan):
    differences, rows = power_table(plan)
    drawn = {(point.hits, point.difference): point.power for point in plan.power_curve}
    assert differences == (0.1, 0.3)
    for row in rows:
        expected = [100 * drawn[row.hits, difference] for difference in differences]
        assert list(row.percent) == expected


def test_the_table_is_short_and_holds_the_plan_once(plan):
    _, rows = power_table(plan)
    assert [row.hits for row in rows if row.is_plan] == [plan.hits]
    assert 1 <= len(rows) <= 12
    assert [row.hits for row in rows] == sorted({row.hits for row in rows})
