"""Pictures of metrics against people say what the tables say, and can be had as files."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.evaluation import tables
from analysis.evaluation.files import evaluation_files
from analysis.evaluation.joining import join
from analysis.evaluation.pictures import (
    KINDS,
    _among_best,
    kind_of,
    pictures,
    williams_caption,
)
from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.scores import score_table
from analysis.evaluation.settings import Settings
from analysis.presenting.document import light_colours
from analysis.stats.reliability import SplitHalf

VIDEOS, SYSTEMS = 30, 6
NOISE = {"bleu4": 3.0, "cider": 1.0, "emscore": 0.9, "mine": 4.0, "sts": 1.2}


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(0)
    videos = [f"v{at // SYSTEMS}" for at in range(VIDEOS * SYSTEMS)]
    systems = [f"system-{at % SYSTEMS}" for at in range(VIDEOS * SYSTEMS)]
    truth = rng.normal(size=len(videos)) + np.tile(np.arange(SYSTEMS) / 3, VIDEOS)
    metrics = {name: truth + much * rng.normal(size=len(truth)) for name, much in NOISE.items()}
    joined = join(score_table(videos, systems, {"z": truth}), score_table(videos, systems, metrics))
    ceiling = SplitHalf(0.5, 0.4, 0.6, 0.7, 0.84, len(videos), 200)
    return evaluate_metrics(joined, Settings(draws=40, placebo=0), reliability={"z": ceiling})


def layers(spec, kind):
    return [one for one in spec["layer"] if one["mark"]["type"] == kind]


def test_metrics_are_drawn_from_the_best_with_their_family_and_their_group(evaluation):
    part = evaluation.parts[0]
    spec = pictures(part, evaluation)["correlations-captions"].spec
    marks, rows = spec["data"]["values"], tables.level_rows(part, part.caption)
    assert [mark["name"] for mark in marks] == [row["metric"] for row in rows]
    beats = part.caption.comparisons.clusters.beats
    best = part.metrics.index(marks[0]["name"])
    for mark in marks:
        assert mark["low"] < mark["value"] < mark["high"]
        assert mark["kind"] == kind_of(mark["name"])
        assert mark["leads"] == (not beats[best, part.metrics.index(mark["name"])])
    assert {mark["kind"] for mark in marks} <= set(KINDS)


def test_the_ceiling_is_a_line_over_captions_and_none_over_systems(evaluation):
    drawn = pictures(evaluation.parts[0], evaluation)
    over = {
        name: [
            one["data"]["values"][0]["most"]
            for one in layers(drawn[f"correlations-{name}"].spec, "rule")
            if "data" in one
        ]
        for name in ("captions", "systems")
    }
    assert over == {"captions": [0.84], "systems": []}


def test_cells_are_filled_where_the_test_is_significant(evaluation):
    part = evaluation.parts[0]
    cells = pictures(part, evaluation)["williams-captions"].spec["data"]["values"]
    p = {
        (row["better"], row["worse"]): row["p_holm"]
        for row in tables.comparison_rows(part, part.caption)
    }
    assert len(cells) == len(p) == len(NOISE) * (len(NOISE) - 1)
    for cell in cells:
        assert (cell["strength"] > 0) == (p[cell["row"], cell["column"]] < 0.05)


def test_of_many_metrics_the_best_are_drawn_and_the_caption_says_so():
    names = [f"m{at:02}" for at in range(20)]
    rows = [
        {"better": one, "worse": other, "p_holm": 0.5, "n": 30}
        for one in names
        for other in names
        if one != other
    ]
    drawn = _among_best(rows)
    assert {row["better"] for row in drawn} == {row["worse"] for row in drawn} == {*names[:15]}
    said = williams_caption(rows, "systems", 0.05)
    assert said.startswith("p of the 15 best of 20 metrics, by Williams")
    assert said.endswith("No cell is filled: no p value is below 0.05.")
    rows[0]["p_holm"] = 0.01
    assert "A filled cell, p < 0.05" in williams_caption(rows, "systems", 0.05)


def test_every_system_stands_by_name_in_every_panel(evaluation):
    points = pictures(evaluation.parts[0], evaluation)["systems"].spec["data"]["values"]
    panels = {point["panel"] for point in points}
    assert len(panels) == len(NOISE)
    for panel in panels:
        named = {point["system"] for point in points if point["panel"] == panel}
        assert named == {f"system-{number}" for number in range(SYSTEMS)}


def test_each_is_a_file_of_both_kinds_beside_its_numbers(evaluation):
    makers = evaluation_files(evaluation)
    for one in pictures(evaluation.parts[0], evaluation).values():
        svg, png = makers[f"{one.name}.svg"](), makers[f"{one.name}.png"]()
        assert svg.startswith(b"<svg")
        assert png.startswith(b"\x89PNG")
        assert b"var(--" not in png
        assert makers[f"{one.table}.csv"]()
    assert light_colours()["paper"] == "#ffffff"
