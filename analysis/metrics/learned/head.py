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
MEAN, ATTENTION = "mean", "attention"
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
    references : how several of them become one vector: their mean, or attention by the caption
    rank : how much of the loss is of the order of captions of one video, beside their scores
    by_count : whether a caption counts by the number of its ratings, where that is known
    members : networks that are averaged
    dropout, input_dropout : shares of hidden units and of inputs left out at each step
    """

    blocks: tuple[str, ...] = ("product", "difference")
    references: str = MEAN
    rank: float = 0.0
    by_count: bool = True
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
        self.hidden = nn.Linear(inputs, width, device="meta").to_empty(device="cpu")
        self.output = nn.Parameter(torch.empty(recipe.members, recipe.hidden))
        self.bias = nn.Parameter(torch.zeros(recipe.members))
        self.begin()
        self.register_buffer("mean", torch.zeros(numbers))
        self.register_buffer("sd", torch.ones(numbers))
        self.mean: Tensor
        self.sd: Tensor

    def begin(self, generator: torch.Generator | None = None) -> None:
        """Weights to start from, as torch's own layers have them."""
        bound = self.hidden.in_features**-0.5
        for part in (self.hidden.weight, self.hidden.bias):
            nn.init.uniform_(part, -bound, bound, generator=generator)
        nn.init.normal_(self.output, std=self.recipe.hidden**-0.5, generator=generator)

    def fit_scale(self, numbers: Values) -> None:
        """Numbers are told in standard deviations of those of the training captions."""
        sd = numbers.std(axis=0)
        self.mean, self.sd = (
            torch.as_tensor(values, dtype=torch.float32, device=self.mean.device)
            for values in (numbers.mean(axis=0), np.where(sd > 0, sd, 1.0))
        )

    def inputs(self, numbers: Tensor, caption: Tensor, reference: Tensor) -> Tensor:
        """Numbers of unit vectors are small, the more so the longer the vectors: all are scaled."""
        plain = ((numbers - self.mean) / self.sd).clamp(-FARTHEST, FARTHEST)
        size = caption.shape[1] ** 0.5
        blocks = [BLOCKS[name](caption, reference) * size for name in self.recipe.blocks]
        return torch.cat([plain, *blocks], dim=1)

    def inputs_of(self, found: Features) -> Tensor:
        """On the device of the head, wherever that is."""
        attends = self.recipe.references == ATTENTION
        told = found.attended if attends else found.reference
        device = self.mean.device
        columns = (found.numbers, found.caption, told)
        return self.inputs(
            *(torch.as_tensor(column, dtype=torch.float32, device=device) for column in columns)
        )

    def forward(self, inputs: Tensor, generator: torch.Generator | None = None) -> Tensor:
        recipe = self.recipe
        kept = self._dropped(inputs, recipe.input_dropout, generator)
        hidden = nn.functional.gelu(self.hidden(kept))
        hidden = self._dropped(hidden, recipe.dropout, generator)
        members = hidden.view(-1, recipe.members, recipe.hidden)
        return (members * self.output).sum(dim=2) + self.bias

    def _dropped(self, values: Tensor, share: float, generator: torch.Generator | None) -> Tensor:
        """Dropout with random numbers of its own, so that heads can be trained side by side."""
        if not self.training or not share:
            return values
        kept = torch.empty_like(values).bernoulli_(1 - share, generator=generator)
        return values * kept.div_(1 - share)

    @torch.inference_mode()
    def predict(self, found: Features) -> Values:
        self.eval()
        values: Values = self(self.inputs_of(found)).mean(dim=1).double().cpu().numpy()
        return values


@dataclass(frozen=True, eq=False)
class Heads:
    """Several heads; their mean is what counts."""

    heads: tuple[Head, ...]

    def predict(self, found: Features) -> Values:
        return np.asarray(np.mean([head.predict(found) for head in self.heads], axis=0))


def load_heads(path: Path, options: Mapping[str, Any]) -> Heads:
    """Trained heads; features of another version would mean something else to them."""
    if options["features"] != VERSION:
        raise MetricUnavailable(
            f"{path.parent} was trained with features of version {options['features']}, and these "
            f"are of version {VERSION}: train it again"
        )
    weights, found = load_file(path), []
    for at, recipe in enumerate(options["recipes"]):
        head = Head(options["numbers"], options["size"], Recipe.read(recipe))
        head.load_state_dict(
            {
                name.removeprefix(f"{at}."): value
                for name, value in weights.items()
                if name.startswith(f"{at}.")
            }
        )
        found.append(head.eval())
    return Heads(tuple(found))


def save_heads(heads: Heads, path: Path) -> None:
    state = {
        f"{at}.{name}": value.contiguous().cpu()
        for at, head in enumerate(heads.heads)
        for name, value in head.state_dict().items()
    }
    save_file(state, path)


def options_of(heads: Heads, backbone: str) -> dict[str, Any]:
    """What loading them again takes."""
    numbers = len(heads.heads[0].mean)
    seeing = [head for head in heads.heads if head.recipe.blocks]
    sizes = {(one.hidden.in_features - numbers) // len(one.recipe.blocks) for one in seeing}
    return {
        "backbone": backbone,
        "features": VERSION,
        "numbers": numbers,
        "size": max(sizes, default=0),
        "recipes": [head.recipe.as_options() for head in heads.heads],
    }
