"""The two towers of an open_clip model, loaded: images and texts in, unit vectors out."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors import SafetensorError
from torch import Tensor, nn

from analysis.metrics.encoding.embeddings import Embedding
from analysis.metrics.encoding.models import MERGES
from analysis.metrics.encoding.torch_models.libraries import open_clip
from analysis.metrics.registry import MetricUnavailable

# What the libraries raise for weights that are damaged or belong to another architecture.
_MISFITS = (
    *(RuntimeError, ValueError, KeyError, TypeError, AttributeError, AssertionError),
    *(EOFError, OSError, pickle.UnpicklingError, SafetensorError, zipfile.BadZipFile),
)


class CloobScales(NamedTuple):
    """β and τ⁻¹ of CLOOB, which scoring does without."""

    hopfield: float
    inverse_temperature: float


class ImageTextModel:
    """An open_clip model ready for use.

    Every token of a text is projected and normalised like the sentence, which is the last of them
    ([EOS]); padding is never computed.  Text towers that do not read out at [EOS] give the
    sentence alone.
    """

    def __init__(
        self, model: nn.Module, tokenizer: Any, device: str, cloob: CloobScales | None = None
    ) -> None:
        """``cloob`` : what a checkpoint of CLOOB was trained with, for whoever trains it on."""
        self.cloob = cloob
        self._model = model.to(device).eval()
        self._device = torch.device(device)
        self._tokenizer = tokenizer
        config = open_clip.transform.PreprocessCfg(**open_clip.get_model_preprocess_cfg(model))
        self._transform = open_clip.transform.image_transform_v2(config, is_train=False)
        self._text: Any = getattr(model, "text", model)

    @property
    def model(self) -> Any:
        """The model itself, for whoever trains it."""
        return self._model

    @property
    def tokenizer(self) -> Any:
        return self._tokenizer

    @property
    def gives_tokens(self) -> bool:
        pooling = getattr(self._text, "text_pool_type", getattr(self._text, "pool_type", ""))
        return (
            pooling in ("argmax", "eos")
            and getattr(self._text, "attn_mask", None) is not None
            and getattr(self._text, "cls_emb", None) is None
        )

    def prepare(self, image: Image.Image) -> Tensor:
        """The image as the model wants it; may run in any thread."""
        prepared: Tensor = self._transform(image)
        return prepared

    def encode_images(self, images: Sequence[Tensor]) -> NDArray[np.float32]:
        with self._computing():
            features = self._model.encode_image(  # type: ignore[operator]
                torch.stack(list(images)).to(self._device), normalize=True
            )
            return _as_array(features)

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text from [SOS] to [EOS], cut where the model's context ends."""
        padded = self._tokenizer(list(texts))
        if not self.gives_tokens:
            return [[-1] for _ in texts]
        ends = (
            padded.argmax(dim=-1) if self._eos is None else (padded == self._eos).int().argmax(-1)
        )
        return [row[: end + 1] for row, end in zip(padded.tolist(), ends.tolist(), strict=True)]

    @property
    def _eos(self) -> int | None:
        pooling = getattr(self._text, "text_pool_type", getattr(self._text, "pool_type", ""))
        return None if pooling == "argmax" else int(self._text.eos_id)

    def encode_texts(self, texts: Sequence[str]) -> list[Embedding]:
        """One vector per token; texts of similar length are best given together."""
        ids = self.token_ids(texts)
        with self._computing():
            if not self.gives_tokens:
                padded = self._tokenizer(list(texts)).to(self._device)
                rows = _as_array(self._model.encode_text(padded, normalize=True))  # type: ignore[operator]
                return [Embedding(row[None], np.array([-1], np.int32)) for row in rows]
            features = _as_array(self._token_features(ids))
        return [
            Embedding(vectors[: len(marks)], np.array(marks, np.int32))
            for vectors, marks in zip(features, ids, strict=True)
        ]

    def _token_features(self, ids: Sequence[Sequence[int]]) -> Tensor:
        """Run the text tower at the length of the longest text instead of its whole context.

        Attention is causal, so the padding behind [EOS] cannot reach any token that counts.
        """
        text, longest = self._text, max(map(len, ids))
        padded = torch.zeros(len(ids), longest, dtype=torch.long)
        for row, marks in enumerate(ids):
            padded[row, : len(marks)] = torch.tensor(marks)
        hidden = text.token_embedding(padded.to(self._device)).to(text.transformer.get_cast_dtype())
        hidden = hidden + text.positional_embedding[:longest].to(hidden.dtype)
        hidden = text.transformer(hidden, attn_mask=text.attn_mask[:longest, :longest])
        hidden = text.ln_final(hidden)
        if isinstance(text.text_projection, nn.Linear):
            hidden = text.text_projection(hidden)
        elif text.text_projection is not None:
            hidden = hidden @ text.text_projection
        return nn.functional.normalize(hidden, dim=-1)

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """Without gradients; in half precision where the device gains by it."""
        half = self._device.type == "cuda"
        with torch.inference_mode(), torch.autocast(self._device.type, torch.float16, enabled=half):
            yield


def _as_array(features: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = features.float().cpu().numpy()
    return array


def load_folder(folder: Path, device: str) -> ImageTextModel:
    """A folder with open_clip_config.json and weights, and perhaps a vocabulary of its own."""
    name = f"local-dir:{folder.resolve()}"
    with _weights_that_fit(name):
        model = open_clip.create_model(name, require_pretrained=True)
        merges = folder.resolve() / MERGES
        own = {"bpe_path": str(merges)} if merges.is_file() else {}
        return ImageTextModel(model, open_clip.get_tokenizer(name, **own), device)


def load_file(architecture: str, file: Path, device: str, *, cloob: bool = False) -> ImageTextModel:
    """Weights in a file of their own, for an architecture that open_clip knows."""
    if architecture not in open_clip.list_models():
        raise MetricUnavailable(f"open_clip knows no architecture {architecture!r}")
    with _weights_that_fit(f"{file} as {architecture}"):
        scales = None
        if cloob:
            state, scales = _cloob_state(file)
            model = _quick_gelu_model(architecture, state)
        elif _is_torchscript(file):
            model = _quick_gelu_model(architecture, _torchscript_state(file))
        else:
            model = open_clip.create_model(architecture, pretrained=str(file))
        return ImageTextModel(model, open_clip.get_tokenizer(architecture), device, scales)


def download(name: str, tag: str | None) -> Path:
    """The weights file behind a name of open_clip's, fetched if it is not here yet."""
    try:
        if tag is None:
            repository = name.removeprefix("hf-hub:")
            return Path(open_clip.pretrained.download_pretrained_from_hf(repository))
        known = open_clip.get_pretrained_cfg(name, tag)
        if not known:
            raise MetricUnavailable(
                f"{tag!r} is neither a file nor weights open_clip has for {name}"
            )
        return Path(open_clip.download_pretrained(known))
    except OSError as error:
        raise MetricUnavailable(
            f"the weights {tag or name} cannot be downloaded ({error}); give a file instead"
        ) from error


def load_downloaded(name: str, tag: str | None, device: str) -> ImageTextModel:
    with _weights_that_fit(f"{name} {tag or ''}"):
        quick = tag is not None and open_clip.get_pretrained_cfg(name, tag).get("quick_gelu", False)
        model = open_clip.create_model(
            name, pretrained=tag, force_quick_gelu=quick, require_pretrained=True
        )
        return ImageTextModel(model, open_clip.get_tokenizer(name), device)


@contextmanager
def _weights_that_fit(what: str) -> Iterator[None]:
    try:
        yield
    except MetricUnavailable:
        raise
    except _MISFITS as error:
        reason = str(error).strip().splitlines()
        raise MetricUnavailable(
            f"the weights do not fit: {what} ({': '.join(reason[:2]) or type(error).__name__})"
        ) from error


def _quick_gelu_model(architecture: str, state: dict[str, Tensor]) -> nn.Module:
    """OpenAI's and CLOOB's models: plain CLIP with the quick approximation of GELU."""
    config = {**open_clip.get_model_config(architecture), "quick_gelu": True}
    model: nn.Module = open_clip.CLIP(**config)
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()})
    return model


def _is_torchscript(file: Path) -> bool:
    """Whether this is an archive as OpenAI publishes its weights."""
    if not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def _torchscript_state(file: Path) -> dict[str, Tensor]:
    state = torch.jit.load(str(file), map_location="cpu").state_dict()  # type: ignore[no-untyped-call]
    constants = ("input_resolution", "context_length", "vocab_size", "attn_mask")
    return {name: tensor for name, tensor in state.items() if name not in constants}


def _cloob_state(file: Path) -> tuple[dict[str, Tensor], CloobScales | None]:
    """CLOOB's names for what open_clip calls otherwise: its text tower is ``transformer``.

    The two scales, which are logarithms there, belong to the training and are told apart; a
    checkpoint that lacks one has none.
    """
    checkpoint = torch.load(file, map_location="cpu", weights_only=True)
    named = checkpoint.get("state_dict", checkpoint)
    found = {name.removeprefix("module."): tensor for name, tensor in named.items()}
    logs = [found.pop("logit_scale_hopfield", None), found.get("logit_inv_tau")]
    if "logit_inv_tau" in found:
        found["logit_scale"] = found.pop("logit_inv_tau")
    state = {name.removeprefix("transformer."): tensor for name, tensor in found.items()}
    if any(log is None for log in logs):
        return state, None
    # Of single precision: 14.3 comes back as 14.299999.
    return state, CloobScales(*(round(float(log.exp()), 4) for log in logs))
