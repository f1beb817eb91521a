"""Rated captions in files, and a model of two layers to learn with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.learning.small_world import WORDS, make_set


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """A BERT of two layers with random weights: embeddings that differ by words, no more."""
    from analysis.metrics.encoding.torch_models.libraries import import_torchvision

    import_torchvision()
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("model") / "tiny"
    folder.mkdir()
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "a",
        *(w for ws in WORDS.values() for w in ws),
    ]
    (folder / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=len(words), intermediate_size=32, max_position_embeddings=32, **sizes
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def sets(tmp_path_factory) -> list[Path]:
    root = tmp_path_factory.mktemp("sets")
    return [make_set(root / name, seed) for seed, name in enumerate(("one", "two", "three"))]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch) -> None:
    """Enough to learn a small world; the defaults are for thousands of captions."""
    from analysis.learning import head_training, training

    few = {
        name: replace(recipe, steps=200)
        for name, recipe in head_training.RECIPES.items()
        if name in ("numbers", "embeddings", "embeddings, attention")
    }
    monkeypatch.setattr(head_training, "RECIPES", few)
    monkeypatch.setattr(training, "TRIAL_STEPS", 50)


@pytest.fixture
def equipment(tiny_model, meteor_store) -> list[str]:
    return ["--sentence-model", str(tiny_model), "--store", str(meteor_store)]
