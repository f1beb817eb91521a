"""A mix of metrics, saved and applied."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.evaluation.files import fusions
from analysis.evaluation.inputs import Inputs
from analysis.evaluation.joining import join
from analysis.evaluation.pipeline import evaluate_metrics
from analysis.evaluation.scores import score_table
from analysis.evaluation.sentences import alike_sentence, fusion_sentence
from analysis.evaluation.settings import Settings
from analysis.metrics.artifacts import learn
from analysis.metrics.registry import mixing


@pytest.fixture
def saved(joined, tmp_path):
    evaluation = evaluate_metrics(joined, Settings(draws=20, placebo=0))
    [(name, content)] = fusions(evaluation).items()
    (tmp_path / name).write_bytes(content)
    return learn(tmp_path / name)


def applied(artifact, values):
    inputs = Inputs(
        None, score_table(["v"] * len(values["far"]), range(len(values["far"])), values)
    )
    return inputs.mixed([artifact.name]).metrics.frame[artifact.name].to_numpy()


def test_what_is_saved_is_what_is_read(saved, joined):
    values = {name: joined.metrics[name].to_numpy() for name in joined.metrics}
    assert mixing("fusion") == ("close", "far", "against")
    assert np.corrcoef(applied(saved, values), joined.human["z"])[0, 1] > 0.85


def test_a_copy_and_a_sum_are_named_and_not_weighed(scores):
    human, metrics = scores
    frame = metrics.frame
    metrics = metrics.with_columns(
        {"copy": frame["close"] * 3, "sum": frame["far"] + frame["against"], "flat": 0 * frame.far}
    )
    part = evaluate_metrics(join(human, metrics), Settings(draws=20, placebo=0)).parts[0]
    assert {part.metrics[at] for at in part.fusion.metrics} == {"close", "far", "against"}
    assert "copy and sum are left out because they follow from other" in fusion_sentence(part, 0.05)
    assert "so no test can distinguish them: close and copy." in alike_sentence(part)
    assert max(map(abs, part.fusion.fusion.weight)) < 1


def test_it_is_undefined_where_a_metric_is(saved):
    values = {name: np.array([1.0, np.nan]) for name in mixing("fusion")}
    assert np.isnan(applied(saved, values)).tolist() == [False, True]


def test_it_refuses_to_be_applied_without_a_metric(saved):
    with pytest.raises(ValueError, match="needs the metric 'close'"):
        applied(saved, {"far": np.ones(3)})
