"""What the metric tests share: the programs they compare with, and the published captions."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

PUBLISHED = Path(os.environ["DA_PUBLISHED"])


@pytest.fixture(scope="session")
def published() -> Path:
    if not PUBLISHED.is_dir():
        pytest.skip(f"the published data is not at {PUBLISHED}: nothing compared with it")
    return PUBLISHED


@pytest.fixture(scope="session")
def pycocoevalcap() -> Path:
    """The folder of the community's own implementation."""
    spec = importlib.util.find_spec("pycocoevalcap")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("pycocoevalcap is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


@pytest.fixture(scope="session")
def java() -> str:
    found = shutil.which("java")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Java is missing")
        pytest.skip("Java is not installed")
    return found


@pytest.fixture(scope="session")
def stanford(java: str, pycocoevalcap: Path, tmp_path_factory) -> Callable[[list[str]], list[str]]:
    """Tokenise lines with the reference's own program, then drop what the reference drops."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS

    jar = pycocoevalcap / "tokenizer" / "stanford-corenlp-3.4.1.jar"
    folder = tmp_path_factory.mktemp("stanford")

    def tokenize(lines: list[str]) -> list[str]:
        # It looks past the end of a line: a line of its own in between keeps captions apart.
        text = folder / "lines.txt"
        text.write_text("".join(f"{line}\nx\n" for line in lines), encoding="utf-8")
        command = [java, "-Dfile.encoding=UTF-8", "-cp", str(jar)]
        command += ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
        run = subprocess.run([*command, str(text)], capture_output=True, check=True)
        tokenized = run.stdout.decode("utf-8").split("\n")[: 2 * len(lines) : 2]
        return [
            " ".join(word for word in line.rstrip().split(" ") if word not in PUNCTUATIONS)
            for line in tokenized
        ]

    return tokenize


TINY_VIT = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2},
}
TINY_RESNET = TINY_VIT | {
    "vision_cfg": {"image_size": 32, "layers": [1, 1, 1, 1], "width": 8, "patch_size": None}
}


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory) -> Callable[..., Path]:
    """A folder as open_clip publishes models, with random weights: to load, never to score."""
    import torch

    from analysis.metrics.encoding.torch_models.libraries import open_clip

    def build(config: dict, seed: int = 0) -> Path:
        folder = tmp_path_factory.mktemp("model")
        torch.manual_seed(seed)
        model = open_clip.CLIP(**config).eval()
        save_safetensors(model.state_dict(), folder / "open_clip_model.safetensors")
        about = {"model_cfg": config, "preprocess_cfg": {}}
        (folder / "open_clip_config.json").write_text(json.dumps(about))
        return folder

    return build


def save_safetensors(state: dict, path: Path) -> None:
    from safetensors.torch import save_file

    save_file({name: tensor.contiguous() for name, tensor in state.items()}, path)
