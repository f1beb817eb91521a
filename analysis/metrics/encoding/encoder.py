"""An image–text model together with the embeddings it has made."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from html import unescape
from pathlib import Path

from analysis.metrics.encoding.embedding import Encoders, Frames, Texts
from analysis.metrics.encoding.embeddings import Space
from analysis.metrics.encoding.models import ModelRef, find_model
from analysis.metrics.encoding.sampling import Sampling
from analysis.metrics.encoding.vocabulary import clip_merges, readable, spelled, token_texts
from analysis.metrics.registry import Resource
from analysis.metrics.settings import Settings

_SHORTEST_CONTEXT = 16  # tokens; no model reads fewer, so that no text of fewer can be cut


class Encoder:
    """The model is loaded when something has to be embedded, and not before.

    Parameters
    ----------
    model : found, not loaded
    root : the folder of the store
    device : ``cpu``, ``cuda``, ``cuda:1``; on a GPU in half precision
    dtype : ``float32``, or ``float16`` for a store half as large
    """

    def __init__(
        self,
        model: ModelRef,
        root: Path,
        *,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        self._ref = model
        self._device = device
        precision = "half" if device.startswith("cuda") else "full"
        made = f"{model.fingerprint}-{precision}-{dtype}"
        self.signature = f"{model.name}@{made}"
        self._root, self._model, self._dtype = root, made, dtype
        self.texts = Texts(self._space("texts"), lambda: self._encoders)
        self._frames: dict[str, Frames] = {}

    def passing(self, root: Path) -> Encoder:
        """The same for texts that nobody needs again: those not stored yet go into ``root``."""
        other = copy(self)
        space = Space(root / self.texts.space.folder.name, self._dtype)
        other.texts = Texts(space, lambda: self._encoders, beneath=self.texts)
        return other

    def texts_for(self, settings: Settings) -> Texts:
        """Texts are embedded in one way, whatever the settings."""
        return self.texts

    def frames(self, chosen: str) -> Frames:
        """Embeddings of frames chosen in this way: ``uniform:16``, ``middle``, …"""
        sampling = Sampling.parse(chosen)
        if str(sampling) not in self._frames:
            space = self._space(f"frames-{str(sampling).replace(':', '')}")
            self._frames[str(sampling)] = Frames(space, lambda: self._encoders, sampling)
        return self._frames[str(sampling)]

    def _space(self, kind: str) -> Space:
        return Space(self._root / f"{kind}-{self._model}", self._dtype)

    @property
    def opened(self) -> list[Texts | Frames]:
        """All that was read or embedded so far."""
        return [self.texts, *self._frames.values()]

    @cached_property
    def _encoders(self) -> Encoders:
        return self._ref.load(self._device)

    def token_text(self, token: int) -> str:
        """What a token stands for; its number where the vocabulary is not at hand."""
        texts = self._vocabulary
        return readable(texts[token]) if 0 <= token < len(texts) else str(token)

    def text_of(self, tokens: Sequence[int]) -> str:
        """What tokens spell together, without those that the vocabulary does not hold."""
        texts = self._vocabulary
        return spelled(texts[token] for token in tokens if 0 <= token < len(texts))

    def cuts(self, text: str, settings: Settings | None = None) -> bool:
        """Whether the model read only the beginning of a text that is embedded."""
        tokens = self.texts[text].marks.tolist() if text in self.texts else []
        if len(tokens) < _SHORTEST_CONTEXT:
            return False
        if not self._vocabulary:
            return len(text.split()) > len(tokens) - 2
        return _letters(self.text_of(tokens)) < _letters(unescape(text))

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        merges = self._ref.merges or clip_merges()
        return token_texts(merges) if merges else ()

    @property
    def spaces(self) -> set[str]:
        """The folders of the store that this model has used so far."""
        return {part.space.folder.name for part in self.opened}


IMAGE_TEXT = Resource(
    name="image_text",
    title="image-text model",
    find=lambda config: find_model(config.model),
    open=lambda found, config: Encoder(
        found, config.store, device=config.device, dtype=config.dtype
    ),
    packages=("torch", "open_clip"),
    embeds=True,
    sees=True,
)


def _letters(text: str) -> int:
    """Tokenizers mend quotes and blanks, but leave letters and figures."""
    return sum(map(str.isalnum, text))
