"""Training a head. Imports torch: whoever imports this does it late."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from analysis.learning.training import Told
from analysis.metrics.learned.features import Features
from analysis.metrics.learned.head import Head, Recipe

RECIPES: Final = {
    "numbers": Recipe(blocks=(), dropout=0.3, input_dropout=0.0),
    "embeddings": Recipe(),
    "embeddings and caption": Recipe(blocks=("product", "difference", "caption")),
    "embeddings, caption and reference": Recipe(
        blocks=("product", "difference", "caption", "reference")
    ),
}
"""What is tried on the sets to learn from; the best of it learns from all of them."""
BATCH: Final = 64
MOST_BATCHES: Final = 4


def train_head(
    found: Features,
    scores: NDArray[np.float64],
    weights: NDArray[np.float64],
    recipe: Recipe,
    seed: int,
    told: Told = lambda *_: None,
) -> Head:
    """Weighted mean squared error to people's scores; the same seed gives the same head."""
    with _reproducible(seed):
        head = Head(found.numbers.shape[1], found.caption.shape[1], recipe)
        head.fit_scale(found.numbers)
        _optimise(head, head.inputs_of(found), _column(scores), _column(weights), told)
    return head


@contextmanager
def _reproducible(seed: int) -> Iterator[None]:
    """Random numbers of its own, and one thread: the matrices are too small for more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def _column(values: NDArray[np.float64]) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)[:, None]


def _optimise(head: Head, inputs: Tensor, scores: Tensor, weights: Tensor, told: Told) -> None:
    """As many steps whatever the data; of much data each step sees more, up to four times."""
    recipe = head.recipe
    size = BATCH * min(max(len(inputs) // 5000, 1), MOST_BATCHES)
    optimiser = torch.optim.AdamW(head.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=recipe.steps)
    head.train()
    for step, rows in enumerate(islice(_batches(len(inputs), size), recipe.steps), start=1):
        loss = (weights[rows] * (head(inputs[rows]) - scores[rows]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        told(step, recipe.steps, float(loss.detach()))


def _batches(count: int, size: int) -> Iterator[Tensor]:
    """Row numbers in random order, over and over again."""
    while True:
        order = torch.randperm(count)
        for start in range(0, count, size):
            yield order[start : start + size]
