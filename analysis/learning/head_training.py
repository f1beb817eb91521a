"""Training a head. Imports torch: whoever imports this does it late."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from analysis.learning.training import Aim, Told
from analysis.metrics.learned.features import Features
from analysis.metrics.learned.head import ATTENTION, Head, Recipe

_CAPTION: Final = ("product", "difference", "caption")
_ALL: Final = (*_CAPTION, "reference")
RECIPES: Final = {
    "numbers": Recipe(blocks=(), dropout=0.3, input_dropout=0.0),
    "embeddings": Recipe(),
    "embeddings, attention": Recipe(references=ATTENTION),
    "embeddings, rank loss": Recipe(rank=0.5),
    "embeddings and caption": Recipe(blocks=_CAPTION),
    "embeddings and caption, attention": Recipe(blocks=_CAPTION, references=ATTENTION),
    "embeddings and caption, strict": Recipe(blocks=_CAPTION, decay=0.1, dropout=0.7),
    "embeddings, caption and reference": Recipe(blocks=_ALL),
    "embeddings, caption and reference, attention": Recipe(blocks=_ALL, references=ATTENTION),
    "embeddings, caption and reference, wide": Recipe(blocks=_ALL, hidden=128),
}
"""What is tried on the sets to learn from; the best of it learns from all of them."""
FEW: Final = 1000
PLAIN: Final = ("numbers", "embeddings", "embeddings, attention")
"""Recipes of few weights, for fewer captions than `FEW`: others would only take longer."""
BATCH: Final = 64
MOST_BATCHES: Final = 4


def recipes_for(captions: int) -> dict[str, Recipe]:
    """What is tried on so many captions."""
    return {name: one for name, one in RECIPES.items() if captions >= FEW or name in PLAIN}


def train_head(
    found: Features, aim: Aim, recipe: Recipe, seed: int, told: Told = lambda *_: None
) -> Head:
    """Weighted mean squared error to people's scores; the same seed gives the same head."""
    generator = torch.Generator().manual_seed(seed)
    head = Head(found.numbers.shape[1], found.caption.shape[1], recipe)
    head.begin(generator)
    head.fit_scale(found.numbers)
    _optimise(head, head.inputs_of(found), aim, generator, told)
    return head


@contextmanager
def one_thread() -> Iterator[None]:
    """The matrices are too small for more; heads are trained side by side instead."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def alone() -> None:
    """For the threads of a pool, each of which has a number of its own."""
    torch.set_num_threads(1)


def _column(values: NDArray[np.float64]) -> Tensor:
    return torch.as_tensor(values, dtype=torch.float32)[:, None]


def _optimise(head: Head, inputs: Tensor, aim: Aim, generator: torch.Generator, told: Told) -> None:
    """As many steps whatever the data; of much data each step sees more, up to four times."""
    recipe = head.recipe
    scores, weights = _column(aim.scores), _column(aim.weights)
    size = BATCH * min(max(len(inputs) // 5000, 1), MOST_BATCHES)
    optimiser = torch.optim.AdamW(head.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=recipe.steps)
    head.train()
    batches = _batches(aim.videos, size, generator)
    for step, rows in enumerate(islice(batches, recipe.steps), start=1):
        predicted = head(inputs[rows], generator)
        loss = (weights[rows] * (predicted - scores[rows]) ** 2).mean()
        if recipe.rank:
            loss = loss + recipe.rank * rank_loss(predicted, scores[rows], aim.videos[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        told(step, recipe.steps, float(loss.detach()))


def rank_loss(predicted: Tensor, scores: Tensor, videos: NDArray[np.int64]) -> Tensor:
    """Pairs of captions of one video in the order people have them, logistic, weighed by how far
    apart they are for people (RankNet, Burges et al. 2005)."""
    groups = torch.as_tensor(videos)
    first, second = torch.nonzero(torch.triu(groups[:, None] == groups, 1), as_tuple=True)
    apart = scores[first] - scores[second]
    wrong = nn.functional.softplus(-apart.sign() * (predicted[first] - predicted[second]))
    return (apart.abs() * wrong).sum() / max(len(first) * predicted.shape[1], 1)


def _batches(
    videos: NDArray[np.int64], size: int, generator: torch.Generator
) -> Iterator[NDArray[np.intp]]:
    """Row numbers, videos in random order over and over again, captions of a video together."""
    names, place = np.unique(videos, return_inverse=True)
    while True:
        shuffled = torch.randperm(len(names), generator=generator).numpy()
        order = np.argsort(shuffled[place], kind="stable")
        for start in range(0, len(order), size):
            yield order[start : start + size]
