"""An evaluation is stored as numbers; what is shown and written is made of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from analysis.evaluation import files, registry
from analysis.evaluation.files import chosen_names, evaluation_files
from analysis.evaluation.page import human_page
from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.registry import EvaluationFinding, evaluation_findings
from analysis.evaluation.robustness.checks import DRIFT, check_robustness
from analysis.evaluation.settings import Settings
from analysis.evaluation.storing import STORED, Evaluated, read_evaluated, write_evaluated
from analysis.presenting.document import Shown

TOY = EvaluationFinding(
    name="toy",
    title="A toy statistic",
    show=lambda part, evaluation: Shown(f"There are {len(part.metrics)} toy metrics."),
    rows=lambda evaluation: [{"human": part.human, "toy": 1.0} for part in evaluation.parts],
    columns=("human", "toy"),
)


@pytest.fixture(scope="module")
def evaluated(joined) -> Evaluated:
    evaluation = evaluate_metrics(joined, Settings(draws=20, placebo=10))
    return Evaluated(evaluation, (check_robustness(joined, "z", [DRIFT], seed=1),), 3)


@pytest.fixture(scope="module")
def restored(evaluated, tmp_path_factory) -> Evaluated:
    path = tmp_path_factory.mktemp("stored") / STORED
    write_evaluated(path, evaluated)
    return read_evaluated(path)


def test_every_file_made_of_what_was_stored_is_the_same(evaluated, restored):
    before, after = (
        evaluation_files(each.evaluation, robustness=each.robustness)
        for each in (evaluated, restored)
    )
    assert list(before) == list(after)
    assert [name for name in before if before[name]() != after[name]()] == []


def test_the_page_made_of_what_was_stored_is_the_same(evaluated, restored):
    assert repr(human_page(evaluated, "z")["levels"]) == repr(human_page(restored, "z")["levels"])
    assert human_page(restored, "z")["lede"] == human_page(evaluated, "z")["lede"]
    assert restored.references == 3


def test_a_file_with_other_numbers_is_refused(tmp_path):
    tree = np.frombuffer(b'{"evaluation": {}}', np.uint8)
    np.savez(tmp_path / STORED, tree=tree)
    with pytest.raises(ValueError, match="different numbers"):
        read_evaluated(tmp_path / STORED)


def test_a_toy_statistic_stands_on_the_page_in_the_report_and_in_its_json(evaluated, monkeypatch):
    known = (*evaluation_findings(), TOY)
    for module in (registry, files):
        monkeypatch.setattr(module, "evaluation_findings", lambda: known)
    made = evaluation_files(evaluated.evaluation)
    assert "There are 3 toy metrics." in made["report.html"]().decode()
    assert json.loads(made["report.json"]())["toy"] == [{"human": "z", "toy": 1.0}]
    assert made["toy.csv"]() == b"human,toy\nz,1.0\n"
    shown = [shown for finding, shown in human_page(evaluated, "z")["findings"] if finding is TOY]
    assert shown[0].sentence == "There are 3 toy metrics."


def test_a_command_writes_one_format_and_what_can_be_applied_elsewhere(evaluated):
    names = chosen_names(evaluation_files(evaluated.evaluation), format="json", latex=False)
    assert {"correlations.json", "fusion-z.json", "williams-z-captions.svg", "report.html"} <= set(
        names
    )
    assert not any(name.endswith((".csv", ".tex", ".parquet")) for name in names)
