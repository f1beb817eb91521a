"""A small network on features: several of them, begun differently and averaged.

Imports torch: whoever imports this does it late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from analysis.metrics.batch import Values
from analysis.metrics.learned.features import VERSION, Features
from analysis.metrics.registry import MetricUnavailable

FARTHEST: Final = 4.0
"""Standard deviations beyond which a number says no more: others' captions may be far longer."""


BLOCKS: Final[Mapping[str, Callable[[Tensor, Tensor], Tensor]]] = {
    "product": lambda caption, reference: caption * reference,
    "difference": lambda caption, reference: (caption - reference).abs(),
    "caption": lambda caption, reference: caption,
    "reference": lambda caption, reference: reference,
}
"""What a head may see of the two embeddings."""


@dataclass(frozen=True)
class Recipe:
    """How a head is made and trained.

    Parameters
    ----------
    blocks : what it sees of the embeddings, beside the numbers
    members : networks that are averaged
    dropout, input_dropout : shares of hidden units and of inputs left out at each step
    """

    blocks: tuple[str, ...] = ("product", "difference")
    hidden: int = 64
    members: int = 5
    steps: int = 800
    rate: float = 2e-3
    decay: float = 1e-2
    dropout: float = 0.5
    input_dropout: float = 0.2

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> Recipe:
        return cls(**{**options, "blocks": tuple(options["blocks"])})

    def as_options(self) -> dict[str, Any]:
        return {**asdict(self), "blocks": list(self.blocks)}


class Head(nn.Module):
    """Two layers, ``members`` times side by side; the output is each member's prediction."""

    def __init__(self, numbers: int, size: int, recipe: Recipe) -> None:
        super().__init__()
        self.recipe = recipe
        inputs = numbers + size * len(recipe.blocks)
        width = recipe.hidden * recipe.members
        self.hidden = nn.Linear(inputs, width)
        self.output = nn.Parameter(torch.empty(recipe.members, recipe.hidden))
        self.bias = nn.Parameter(torch.zeros(recipe.members))
        nn.init.normal_(self.output, std=recipe.hidden**-0.5)
        self.register_buffer("mean", torch.zeros(numbers))
        self.register_buffer("sd", torch.ones(numbers))
        self.mean: Tensor
        self.sd: Tensor

    def fit_scale(self, numbers: Values) -> None:
        """Numbers are told in standard deviations of those of the training captions."""
        sd = numbers.std(axis=0)
        self.mean = torch.as_tensor(numbers.mean(axis=0), dtype=torch.float32)
        self.sd = torch.as_tensor(np.where(sd > 0, sd, 1.0), dtype=torch.float32)

    def inputs(self, numbers: Tensor, caption: Tensor, reference: Tensor) -> Tensor:
        """Numbers of unit vectors are small, the more so the longer the vectors: all are scaled."""
        plain = ((numbers - self.mean) / self.sd).clamp(-FARTHEST, FARTHEST)
        size = caption.shape[1] ** 0.5
        blocks = [BLOCKS[name](caption, reference) * size for name in self.recipe.blocks]
        return torch.cat([plain, *blocks], dim=1)

    def inputs_of(self, found: Features) -> Tensor:
        columns = (found.numbers, found.caption, found.reference)
        return self.inputs(*(torch.as_tensor(column, dtype=torch.float32) for column in columns))

    def forward(self, inputs: Tensor) -> Tensor:
        recipe = self.recipe
        kept = nn.functional.dropout(inputs, recipe.input_dropout, self.training)
        hidden = nn.functional.gelu(self.hidden(kept))
        hidden = nn.functional.dropout(hidden, recipe.dropout, self.training)
        members = hidden.view(-1, recipe.members, recipe.hidden)
        return (members * self.output).sum(dim=2) + self.bias

    @torch.inference_mode()
    def predict(self, found: Features) -> Values:
        self.eval()
        values: Values = self(self.inputs_of(found)).mean(dim=1).double().numpy()
        return values


def load_head(path: Path, options: Mapping[str, Any]) -> Head:
    """A trained head; features of another version would mean something else to it."""
    if options["features"] != VERSION:
        raise MetricUnavailable(
            f"{path.parent} was trained with features of version {options['features']}, and these "
            f"are of version {VERSION}: train it anew"
        )
    head = Head(options["numbers"], options["size"], Recipe.read(options["recipe"]))
    head.load_state_dict(load_file(path))
    return head.eval()


def save_head(head: Head, path: Path) -> None:
    save_file({name: value.contiguous() for name, value in head.state_dict().items()}, path)


def options_of(head: Head, backbone: str) -> dict[str, Any]:
    """What loading it again takes."""
    numbers = len(head.mean)
    blocks = max(len(head.recipe.blocks), 1)
    return {
        "backbone": backbone,
        "features": VERSION,
        "numbers": numbers,
        "size": (head.hidden.in_features - numbers) // blocks,
        "recipe": head.recipe.as_options(),
    }
