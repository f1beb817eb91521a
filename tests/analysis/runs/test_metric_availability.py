"""What a machine cannot compute is said in a sentence, without loading or starting anything."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import pytest

from analysis.metrics.availability import unavailable
from analysis.metrics.equipment import Equipment
from analysis.metrics.models import ModelChoice


@pytest.fixture
def equipment(tmp_path) -> Equipment:
    """Everything is there: a model's files, a jar, a program that stands for Java."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("open_clip_config.json", "weights.safetensors", "config.json", "meteor.jar"):
        (folder / name).write_bytes(b"{}")
    return Equipment(
        store=tmp_path / "store",
        model=ModelChoice(str(folder)),
        sentence_model=folder,
        java=sys.executable,
        meteor_jar=folder / "meteor.jar",
        spice_home=folder,
    )


@pytest.fixture(autouse=True)
def every_package(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())


def test_a_machine_with_everything_can_compute_everything(equipment):
    assert unavailable(equipment) == {}


def test_without_weights_metrics_of_the_image_text_model_say_so(equipment):
    missing = unavailable(replace(equipment, model=ModelChoice("/nowhere")))
    assert "needs weights" in missing["emscore"]
    assert missing["emscore"] == missing["clip_mean"] == missing["factvc_text"]
    assert {"bleu4", "sts", "meteor"}.isdisjoint(missing)


def test_without_its_packages_a_model_is_of_no_use(equipment, monkeypatch):
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "open_clip" else object()
    )
    missing = unavailable(equipment)
    assert missing["emscore"].startswith("open_clip cannot be imported")
    assert "sts" not in missing


def test_without_java_its_metrics_say_so(equipment):
    missing = unavailable(replace(equipment, java="no-such-java"))
    assert set(missing) == {"meteor", "spice"}
    assert missing["meteor"].startswith("no Java is installed")


def test_programs_that_are_not_there_say_how_to_get_them(equipment, tmp_path):
    missing = unavailable(replace(equipment, meteor_jar=tmp_path / "none.jar", spice_home=None))
    assert missing["meteor"].startswith("METEOR needs Java and meteor-1.5.jar")
    assert missing["spice"].startswith("SPICE is not installed")
