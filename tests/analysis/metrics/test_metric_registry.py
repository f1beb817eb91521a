"""The registry: every metric says what it is, and is found by its name."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from analysis.metrics.batch import Batch
from analysis.metrics.registry import Family, families, families_of, metric_names
from analysis.metrics.scoring import score
from analysis.metrics.settings import Settings
from analysis.metrics.workbench import Workbench


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


def test_listing_the_metrics_needs_no_torch():
    """Web processes import the registry and must stay small."""
    code = (
        "import sys; from analysis.metrics.registry import families; families();"
        "sys.exit('torch' in sys.modules or 'open_clip' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_command_lists_every_metric():
    out = StringIO()
    call_command("metrics", stdout=out)
    assert all(name in out.getvalue() for name in metric_names())


REFERENCES = {"v": ["a dog runs", "the dog"], "w": ["a cat"]}


def signature_of(name: str, references=REFERENCES, **settings) -> str:
    batch = Batch(["a dog", "a cat"], ["v", "w"], references, references)
    return score(batch, [name], Settings(**settings), Workbench()).signatures[name]


def test_a_signature_says_how_the_score_was_made():
    assert signature_of("bleu4") == "bleu4|refs:1-2|tokenize:ptb|version:1"
    assert signature_of("bleu4", tokenize="none") == "bleu4|refs:1-2|tokenize:none|version:1"


def test_a_signature_names_only_what_the_metric_depends_on():
    assert signature_of("chrf", alpha=0.5) == signature_of("chrf")


def test_a_signature_tells_corpora_apart():
    other = {"v": ["a dog runs", "the dog"], "w": ["a kitten"]}
    assert signature_of("cider") != signature_of("cider", references=other)
    assert signature_of("bleu4") == signature_of("bleu4", references=other)


def test_a_video_without_references_costs_its_own_values_only():
    batch = Batch(["a dog", "a cow"], ["v", "x"], REFERENCES, REFERENCES)
    scores = score(batch, ["bleu1", "rougel"], Settings(), Workbench())
    assert scores.values["bleu1"][0] > 0
    assert np.isnan(scores.values["bleu1"][1])
    [fault] = scores.faults
    assert str(fault) == "video x: it has no reference (bleu1, rougel)"


def test_without_any_reference_nothing_is_scored_and_every_video_is_named():
    batch = Batch(["a dog", "a cow"], ["v", "x"], {}, {})
    scores = score(batch, ["cider"], Settings(), Workbench())
    assert np.isnan(scores.values["cider"]).all()
    assert [fault.video for fault in scores.faults] == ["v", "x"]


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("tokenize", "moses", "tokenize must be one of ptb, none"),
        ("idf", "some", "idf must be one of"),
        ("alpha", 1.5, "alpha must lie between 0 and 1"),
        ("neighbours", 0, "at least 1"),
        ("emscore_references", "some", "emscore_references must be one of"),
    ],
)
def test_a_setting_out_of_range_is_refused(setting, value, message):
    with pytest.raises(ValueError, match=message):
        Settings(**{setting: value})
