from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from analysis.results.pipeline import analyse
from analysis.results.settings import Settings
from analysis.stats.flags import Evidence
from analysis.stats.signature import data_hash
from benchmarks.crowd import simulate

QUICK = Settings(draws=2)


def test_it_names_every_setting():
    parts = analyse(simulate(), QUICK).signature.as_dict()
    renamed = {"keep_all_annotators": "annotators", "thorough": "trust"}
    only_where_chosen = {"left_out", "protocol"}  # so that older signatures stay as they are
    for field in dataclasses.fields(Settings):
        if field.name not in only_where_chosen:
            assert renamed.get(field.name, field.name) in parts


@pytest.mark.parametrize(
    "change",
    [
        {"test": "wilcoxon"},
        {"alpha": 0.01},
        {"quality_alpha": 0.01},
        {"minimum_pairs": 5},
        {"keep_all_annotators": True},
        {"basis": "captions"},
        {"question": "score"},
        {"resample": "annotator"},
        {"draws": 3},
        {"confidence": 0.9},
        {"seed": 8},
        {"planned_captions": 9},
    ],
    ids=str,
)
def test_every_setting_changes_it(change):
    ratings = simulate(annotators=4)
    before = analyse(ratings, QUICK).signature
    after = analyse(ratings, dataclasses.replace(QUICK, **change)).signature
    assert str(before) != str(after)
    assert before.key != after.key


def test_a_part_that_is_left_out_of_the_results_changes_it(monkeypatch):
    monkeypatch.setattr("analysis.results.settings.QUICK_RATINGS", 1)
    ratings = simulate(annotators=2)
    thorough = dataclasses.replace(QUICK, thorough=True)
    parts = [analyse(ratings, choices).signature.as_dict() for choices in (QUICK, thorough)]
    assert [part["trust"] for part in parts] == ["left-out", "assessed"]


def test_evidence_behind_the_flags_changes_it():
    ratings = simulate(annotators=2)
    known = analyse(ratings, QUICK, Evidence(rejected=["w0001"])).signature
    assert str(known) != str(analyse(ratings, QUICK).signature)


def test_one_other_score_is_other_data():
    ratings = simulate(annotators=2)
    score = ratings.score.copy()
    score[17] ^= 1
    assert data_hash(dataclasses.replace(ratings, score=score)) != data_hash(ratings)


def test_one_other_label_is_other_data():
    ratings = simulate(annotators=2)
    renamed = dataclasses.replace(ratings, annotators=("w0000", "w0002"))
    assert data_hash(renamed) != data_hash(ratings)


def test_it_tells_when_the_last_rating_was_given():
    ratings = simulate(annotators=2)
    moments = np.full(len(ratings), np.datetime64("2026-02-03T04:05:06", "us"))
    moments[3] = np.datetime64("NaT")
    dated = dataclasses.replace(ratings, submitted_at=moments)
    assert analyse(dated, QUICK).signature.as_dict()["cutoff"] == "2026-02-03T04:05:06Z"
    assert analyse(ratings, QUICK).signature.as_dict()["cutoff"] == "none"


def test_it_prints_as_one_line():
    line = str(analyse(simulate(annotators=2), QUICK).signature)
    assert line.startswith("rows:200|data:")
    assert "annotators:passed|test:t|alpha:0.05|" in line
    assert "\n" not in line
