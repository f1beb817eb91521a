"""What a machine cannot compute is said in a sentence, without loading or starting anything."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace

import pytest

from analysis.metrics.config import MetricConfig
from analysis.metrics.encoding.models import ModelChoice
from analysis.services.metric_workers import unavailable


@pytest.fixture
def config(tmp_path) -> MetricConfig:
    """Everything is there: a model's files, a program that stands for Java."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "lib").mkdir()
    for name in (
        *("open_clip_config.json", "weights.safetensors", "config.json", "spice-1.0.jar"),
        *("lib/stanford-corenlp-3.6.0-models.jar", "data.noun", "vectors.txt"),
    ):
        (folder / name).write_bytes(b"{}")
    return MetricConfig(
        store=tmp_path / "store",
        model=ModelChoice(str(folder)),
        java=sys.executable,
        paths=(
            *(("sentence", folder), ("pacs", folder), ("wordnet", folder)),
            *((name, folder / "vectors.txt") for name in ("word_vectors", "umbc_vectors")),
            ("spice", folder),
        ),
    )


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """All packages, without those that a test takes away."""
    absent: set[str] = set()
    spec = importlib.util.find_spec("pycocoevalcap")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else spec)
    return absent


def test_a_machine_with_everything_can_compute_everything(config):
    assert unavailable(config) == {}


def test_without_weights_metrics_of_the_image_text_model_say_so(config):
    missing = unavailable(replace(config, model=ModelChoice("/nowhere")))
    assert "needs weights" in missing["emscore"]
    assert missing["emscore"] == missing["clip_mean"] == missing["factvc_text"]
    assert {"bleu4", "sts", "meteor"}.isdisjoint(missing)


def test_without_its_packages_a_model_is_of_no_use(config, installed):
    installed.add("open_clip")
    missing = unavailable(config)
    assert missing["emscore"].startswith("open_clip cannot be imported")
    assert "sts" not in missing


def test_without_java_spice_alone_says_so(config):
    missing = unavailable(replace(config, java="no-such-java"))
    assert set(missing) == {"spice"}
    assert missing["spice"].startswith("no Java is installed")


@pytest.mark.parametrize(
    ("package", "reason", "lacking"),
    [
        ("pycocoevalcap", "METEOR needs the word lists and paraphrases", {"meteor"}),
        (
            "snowballstemmer",
            "snowballstemmer cannot be imported",
            {"meteor", "coaha", "coaha_objects", "coaha_actions"},
        ),
    ],
)
def test_without_its_packages_meteor_says_so(config, installed, package, reason, lacking):
    installed.add(package)
    missing = unavailable(config)
    assert set(missing) == lacking
    assert missing["meteor"].startswith(reason)
    assert "requirements.txt" in missing["meteor"]


def test_without_its_folder_spice_says_how_to_get_it(config):
    missing = unavailable(replace(config, paths=config.paths[:-1]))
    assert missing["spice"].startswith("SPICE is not installed")
