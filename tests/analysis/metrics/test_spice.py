"""SPICE: its program is in no registry, so a stand-in answers in its place."""

from __future__ import annotations

import json
import stat

import numpy as np
import pytest

from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.families.spice import spice
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings

STAND_IN = """#!/usr/bin/env python3
import json, sys
questions = json.load(open(sys.argv[4]))
def answer(q):
    return {"All": {"f": None if q["test"] == "-" else len(q["refs"])}}
answers = [{"image_id": q["image_id"], "scores": answer(q)} for q in reversed(questions)]
json.dump(answers, open(sys.argv[sys.argv.index("-out") + 1], "w"))
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "spice-1.0.jar").touch()
    (tmp_path / "lib" / "stanford-corenlp-3.6.0-models.jar").touch()
    return tmp_path


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "java"
    path.write_text(STAND_IN)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_answers_are_given_back_in_the_order_of_the_captions(home, program):
    values = spice(["a", "b", "-"], [["x"], ["x", "y"], ["z"]], home, program)
    np.testing.assert_array_equal(values, [1, 2, np.nan])


def test_where_it_is_not_installed_it_says_how_and_the_rest_goes_on(tmp_path):
    references = {"v": ["a dog"]}
    batch = Batch(["a dog"], ["v"], references, references)
    context = MetricConfig(store=tmp_path).context()
    scores = score(batch, ["spice", "rougel"], Settings(), context)
    assert scores.values["rougel"][0] == 1
    [fault] = scores.faults
    assert "SPICE is not installed" in fault.message
    assert "spice-1.0.jar" in fault.message


def test_a_program_that_fails_is_reported(home, tmp_path):
    with pytest.raises(MetricUnavailable, match="failed"):
        spice(["a"], [["b"]], home, str(tmp_path / "no-java"))


def test_it_is_asked_with_all_references(home, tmp_path):
    spy, seen = tmp_path / "spy", tmp_path / "seen"
    spy.write_text(f"{STAND_IN}json.dump(questions, open({str(seen)!r}, 'w'))\n")
    spy.chmod(0o755)
    spice(["a dog"], [["b", "c"]], home, str(spy))
    assert json.loads(seen.read_text()) == [{"image_id": 0, "test": "a dog", "refs": ["b", "c"]}]
