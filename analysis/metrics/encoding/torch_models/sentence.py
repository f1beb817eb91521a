"""A sentence-transformers model, loaded: texts in, vectors of their tokens and of the whole out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from analysis.metrics.encoding.embeddings import Embedding
from analysis.metrics.encoding.torch_models.libraries import SentenceTransformer
from analysis.metrics.registry import MetricUnavailable

SENTENCE = -1  # the mark of the sentence's own vector, which no token has


class SentenceEncoder:
    def __init__(self, folder: Path, device: str) -> None:
        try:
            self.model = SentenceTransformer(str(folder), device=device, local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise MetricUnavailable(
                f"the sentence model {folder} does not load: {error}"
            ) from error

    def of_layer(self, layer: int) -> _Layer:
        return _Layer(self.model, layer)


@dataclass(frozen=True)
class _Layer:
    """The model read out at one hidden layer; the sentence is what the whole model says."""

    model: Any
    layer: int

    def encode_texts(self, texts: Sequence[str]) -> list[Embedding]:
        features = {
            name: value.to(self.model.device) if isinstance(value, torch.Tensor) else value
            for name, value in self.model.preprocess(list(texts)).items()
        }
        with torch.inference_mode():
            inputs = {name: features[name] for name in ("input_ids", "attention_mask")}
            output = self.model[0].auto_model(**inputs, output_hidden_states=True)
            features["token_embeddings"] = output.last_hidden_state
            for module in list(self.model)[1:]:
                features = module(features)
            hidden = self._hidden(output.hidden_states)
            tokens = nn.functional.normalize(hidden, dim=-1).cpu().numpy()
            whole = nn.functional.normalize(features["sentence_embedding"], dim=-1).cpu().numpy()
        sizes = features["attention_mask"].sum(dim=1).tolist()
        numbers = features["input_ids"].cpu().numpy()
        return [
            Embedding(
                np.concatenate([tokens[row, :size], whole[row : row + 1]]),
                np.append(numbers[row, :size], SENTENCE).astype(np.int32),
            )
            for row, size in enumerate(sizes)
        ]

    def _hidden(self, layers: Sequence[torch.Tensor]) -> torch.Tensor:
        try:
            return layers[self.layer]
        except IndexError as error:
            raise MetricUnavailable(
                f"bertscore_layer must lie between 0 and {len(layers) - 1}, not {self.layer}"
            ) from error
