"""An image–text model together with the embeddings it has made."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from analysis.metrics.embedding import Frames, Texts, TwoTowers
from analysis.metrics.embeddings import Space
from analysis.metrics.models import Door
from analysis.metrics.sampling import Sampling
from analysis.metrics.vocabulary import clip_merges, readable, spelled, token_texts


class Encoder:
    """The model is loaded when something has to be embedded, and not before.

    Parameters
    ----------
    door : the model
    root : the folder of the store
    sampling : which frames of a video are looked at
    device : ``cpu``, ``cuda``, ``cuda:1``; on a GPU in half precision
    dtype : ``float32``, or ``float16`` for a store half as large
    """

    def __init__(
        self,
        door: Door,
        root: Path,
        sampling: Sampling,
        *,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        self._door = door
        self._device = device
        precision = "half" if device.startswith("cuda") else "full"
        model = f"{door.fingerprint}-{precision}-{dtype}"
        self.signature = f"{door.name}@{model}"
        self.sampling = sampling
        frames = f"frames-{str(sampling).replace(':', '')}-{model}"
        self.texts = Texts(Space(root / f"texts-{model}", dtype), lambda: self._towers)
        self.frames = Frames(Space(root / frames, dtype), lambda: self._towers, sampling)

    @cached_property
    def _towers(self) -> TwoTowers:
        return self._door.load(self._device)

    def token_text(self, token: int) -> str:
        """What a token stands for; its number where the vocabulary is not at hand."""
        texts = self._vocabulary
        return readable(texts[token]) if 0 <= token < len(texts) else str(token)

    def text_of(self, tokens: Sequence[int]) -> str:
        """What tokens spell together, without those that the vocabulary does not hold."""
        texts = self._vocabulary
        return spelled(texts[token] for token in tokens if 0 <= token < len(texts))

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        merges = self._door.merges or clip_merges()
        return token_texts(merges) if merges else ()

    @property
    def spaces(self) -> set[str]:
        """The folders of the store that this model uses."""
        return {self.texts.space.folder.name, self.frames.space.folder.name}
