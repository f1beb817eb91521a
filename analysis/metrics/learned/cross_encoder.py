"""Caption and reference in one sequence, read by one model: BERTHA as its paper has it.

Imports torch: whoever imports this does it late.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from analysis.metrics.batch import Batch, Values
from analysis.metrics.encoding.torch_models.sentence import SentenceEncoder

LONGEST: Final = 128
"""Tokens of caption and reference together; what is beyond is cut."""
AT_ONCE: Final = 64


class CrossEncoder(nn.Module):
    """``[CLS] caption [SEP] reference [SEP]``, and a linear layer on what [CLS] becomes.

    bertha-2022 prints a softmax over that one number, which would be constant: it is left out.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        loaded = SentenceEncoder(folder, "cpu").model[0]
        self.sentence: Any = loaded.auto_model
        self.tokenizer = loaded.tokenizer
        self.head = nn.Linear(self.sentence.config.hidden_size, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    @property
    def backbone(self) -> nn.Module:
        found: nn.Module = self.sentence
        return found

    def forward(
        self, numbers: Tensor | None, captions: Sequence[str], texts: Sequence[str]
    ) -> Tensor:
        """``numbers`` are of the other kind of model, and not looked at."""
        tokens = self.tokenizer(
            *(list(captions), list(texts)),
            padding=True,
            truncation="longest_first",
            max_length=LONGEST,
            return_tensors="pt",
        ).to(self.head.weight.device)
        found: Tensor = self.head(self.sentence(**tokens).last_hidden_state[:, 0])
        return found

    @torch.inference_mode()
    def score(self, batch: Batch) -> Values:
        """The mean over the references of a caption (bertha-2022, equation 4)."""
        self.eval()
        pairs = [
            (row, batch.captions[row], text)
            for video, rows in batch.rows_by_video.items()
            for row in rows.tolist()
            for text in batch.references[video]
        ]
        pairs.sort(key=lambda pair: len(pair[1]) + len(pair[2]))
        total, count = np.zeros(len(batch)), np.zeros(len(batch))
        for start in range(0, len(pairs), AT_ONCE):
            rows, captions, texts = zip(*pairs[start : start + AT_ONCE], strict=True)
            said = self(None, captions, texts)[:, 0].double().cpu().numpy()
            np.add.at(total, list(rows), said)
            np.add.at(count, list(rows), 1)
        return np.asarray(total / count)

    def save_head(self, path: Path) -> None:
        state = self.head.state_dict()
        save_file({name: part.contiguous().cpu() for name, part in state.items()}, path)


def load_cross_encoder(backbone: Path, weights: Path, device: str) -> CrossEncoder:
    model = CrossEncoder(backbone)
    model.head.load_state_dict(load_file(weights))
    return model.to(device).eval()
