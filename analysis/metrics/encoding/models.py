"""Image–text models: which one, where its weights are, and how it is loaded.

Nothing here imports torch before a model is really needed: its fingerprint comes from its files, so
that embeddings made earlier are found in the store without loading anything.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analysis.metrics.encoding.embedding import Encoders
from analysis.metrics.registry import MetricUnavailable, metric_libraries

DEMO_MODEL = Path(__file__).resolve().parents[2] / "demo_model"
# Raised when the way frames or texts are prepared or read out changes: old embeddings are stale.
_RECIPE = "1"
_CONFIG = "open_clip_config.json"
MERGES = "merges.txt.gz"  # a vocabulary of the folder's own, in the format of open_clip's
_CHECKPOINTS = ("*.safetensors", "*.bin", "*.pt", "*.pth")

DEMO = "demo"
NO_MODEL = (
    "an image–text model is needed and none is named: give --model and --weights, or let the "
    "operator name one in METRIC_MODELS; docs/metrics.md says how to get one"
)
DEMO_CAUTION = (
    "the demo model scored videos other than the demo’s rendered scenes: it has never seen a "
    "photograph, so its numbers mean nothing"
)


class DemoModelRefused(ValueError):
    """The demo model was to judge something else than the demo's rendered scenes."""

    def __init__(self, remedy: str) -> None:
        super().__init__(
            "The demo model knows the demo’s rendered scenes and nothing else: on other videos and "
            f"captions its scores mean nothing. Name a model with real weights, or {remedy}."
        )


@dataclass(frozen=True)
class ModelChoice:
    """A model as an operator names it.

    Parameters
    ----------
    model : an open_clip architecture (``ViT-B-32``, ``RN50``), ``cloob:`` and an architecture,
        ``hf-hub:`` and a repository, a folder that holds open_clip_config.json and weights, or
        ``demo``, the small one for the demo's rendered scenes; empty where none is named
    weights : a file, or one of open_clip's tags (``openai``); needed with an architecture only
    """

    model: str = ""
    weights: str = ""

    @classmethod
    def named(cls, entry: str) -> ModelChoice:
        """A model as METRIC_MODELS names it, with its weights where they stand after a =.

        >>> ModelChoice.named("ViT-B-32=openai"), ModelChoice.named("demo")
        (ModelChoice(model='ViT-B-32', weights='openai'), ModelChoice(model='demo', weights=''))
        """
        model, _, weights = entry.partition("=")
        return cls(model, weights)

    @property
    def is_demo(self) -> bool:
        """Under its name, or as the folder it lies in."""
        return self.model == DEMO or (bool(self.model) and Path(self.model).resolve() == DEMO_MODEL)


@dataclass(frozen=True)
class ModelRef:
    """A model found but not loaded yet."""

    name: str
    files: tuple[Path, ...]
    load: Callable[[str], Encoders]
    merges: Path | None = None  # the vocabulary, if it is not CLIP's own

    @property
    def fingerprint(self) -> str:
        """Changes with the architecture, the weights and the way they are used."""
        digests = [_file_digest(path, path.stat().st_mtime_ns) for path in self.files]
        recipe = json.dumps([_RECIPE, self.name, digests])
        return hashlib.sha256(recipe.encode()).hexdigest()[:16]


@cache
def _file_digest(path: Path, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_model(choice: ModelChoice) -> ModelRef:
    """The model, or a sentence that says why there is none.

    A model without weights is refused: scores from random weights mean nothing.
    """
    if not choice.model:
        raise MetricUnavailable(NO_MODEL)
    kind, _, rest = choice.model.partition(":")
    if choice.is_demo:
        return _folder(DEMO, DEMO_MODEL)
    if kind == "cloob":
        return _with_file(choice.model, rest, choice.weights, cloob=True)
    if kind == "hf-hub":
        return _with_download(choice.model, None)
    if Path(choice.model).is_dir():
        return _folder(Path(choice.model).resolve().name, Path(choice.model))
    if Path(choice.weights).is_file():
        return _with_file(choice.model, choice.model, choice.weights)
    return _with_download(choice.model, choice.weights)


def _folder(name: str, folder: Path) -> ModelRef:
    config = folder / _CONFIG
    if not config.is_file():
        raise MetricUnavailable(f"the model folder {folder} holds no {_CONFIG}")
    weights = sorted(path for pattern in _CHECKPOINTS for path in folder.glob(pattern))
    if not weights:
        raise MetricUnavailable(f"the model folder {folder} holds no weights")

    def load(device: str) -> Encoders:
        with metric_libraries():
            from analysis.metrics.encoding.torch_models.image_text import load_folder
        return load_folder(folder, device)

    merges = folder / MERGES if (folder / MERGES).is_file() else None
    return ModelRef(name, (config, *weights, *([merges] if merges else [])), load, merges)


def _with_file(name: str, architecture: str, weights: str, *, cloob: bool = False) -> ModelRef:
    file = Path(weights)
    if not weights or not file.is_file():
        raise MetricUnavailable(f"the model {name} needs weights, and there is no file {weights!r}")

    def load(device: str) -> Encoders:
        with metric_libraries():
            from analysis.metrics.encoding.torch_models.image_text import load_file
        return load_file(architecture, file, device, cloob=cloob)

    return ModelRef(name, (file,), load)


def _with_download(name: str, tag: str | None) -> ModelRef:
    """Weights that open_clip knows by name; they are downloaded unless they were before."""
    if tag == "":
        raise MetricUnavailable(
            f"the model {name} needs weights: a file, or a name that open_clip knows"
        )
    with metric_libraries():
        from analysis.metrics.encoding.torch_models.image_text import download, load_downloaded
    return ModelRef(
        name if tag is None else f"{name}/{tag}",
        (download(name, tag),),
        lambda device: load_downloaded(name, tag, device),
    )
