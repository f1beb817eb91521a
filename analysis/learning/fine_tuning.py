"""Fine-tuning a sentence model together with a head. Imports torch: imported late.

The head learns first, on the embeddings of the model as it came; then both are trained on. What is
kept is the state that did best on videos held out, the untouched model included.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from accelerate import Accelerator
from numpy.typing import NDArray
from torch import Tensor, nn

from analysis.learning.checkpoints import (
    Checkpoints,
    own_random,
    random_states,
    restore_random,
)
from analysis.learning.rated import RatedSet
from analysis.learning.training import Told, improves
from analysis.metrics.batch import Values
from analysis.metrics.encoding.torch_models.sentence import SentenceEncoder
from analysis.metrics.learned.cross_encoder import CrossEncoder
from analysis.metrics.learned.features import Features, references_of
from analysis.metrics.learned.head import Head
from analysis.stats.correlation import pearson

AT_ONCE: Final = 64
"""Texts embedded at once when nothing is learned."""


@dataclass(frozen=True)
class Tuning:
    """How a model is fine-tuned (Devlin et al. 2019, appendix A.3, for the rates).

    Of the two rates the first is of the model, the second of what is on top of it.

    Parameters
    ----------
    layers : the last so many layers of the model learn; the others stay as they came, which saves
        more than half of the time
    warm_up : share of the steps in which the rate rises
    minutes : stop after so many, if training is not over by then
    keep_every : steps between checkpoints
    judged : how often a pass is stopped to look at the videos held out
    """

    epochs: int = 1
    layers: int = 2
    batch: int = 32
    rate: float = 3e-5
    head_rate: float = 3e-4
    decay: float = 0.01
    warm_up: float = 0.1
    minutes: float = float("inf")
    keep_every: int = 50
    judged: int = 3


class Siamese(nn.Module):
    """One model for caption and reference, and a head on both embeddings and on the numbers."""

    def __init__(self, folder: Path, head: Head, layers: int | None = None) -> None:
        """``layers`` : as `Tuning` has them; all of them without it."""
        super().__init__()
        self.sentence = SentenceEncoder(folder, "cpu").model
        self.head = deepcopy(head)
        if layers is not None:
            freeze_below(self.backbone, layers)

    @property
    def backbone(self) -> nn.Module:
        found: nn.Module = self.sentence[0].auto_model
        return found

    def embed(self, texts: Sequence[str]) -> Tensor:
        tokens = self.sentence.preprocess(list(texts))
        device = self.head.mean.device
        moved = {
            name: value.to(device) if isinstance(value, Tensor) else value
            for name, value in tokens.items()
        }
        vectors = self.sentence(moved)["sentence_embedding"]
        return nn.functional.normalize(vectors, dim=-1)

    def forward(self, numbers: Tensor, captions: Sequence[str], texts: Sequence[str]) -> Tensor:
        vectors = self.embed([*captions, *texts])
        caption, reference = vectors[: len(captions)], vectors[len(captions) :]
        found: Tensor = self.head(self.head.inputs(numbers, caption, reference))
        return found

    @torch.inference_mode()
    def predict(self, rated: RatedSet) -> Values:
        """As the metric will score: every reference counts, not one of them."""
        self.eval()
        texts = sorted(set(rated.batch.texts()), key=len)
        known: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(texts), AT_ONCE):
            some = texts[start : start + AT_ONCE]
            known.update(zip(some, self.embed(some).cpu().numpy(), strict=True))
        caption = np.stack([known[text] for text in rated.batch.captions])
        mean, attended, _ = references_of(rated.batch, caption, known.__getitem__)
        return self.head.predict(Features(rated.found.numbers, caption, mean, attended))


class Pairs(CrossEncoder):
    """Caption and reference in one sequence, as it is trained."""

    def __init__(self, folder: Path, layers: int) -> None:
        super().__init__(folder)
        freeze_below(self.backbone, layers)

    def predict(self, rated: RatedSet) -> Values:
        return self.score(rated.batch)


@dataclass(frozen=True, eq=False)
class Example:
    """A rated caption with all its references."""

    numbers: NDArray[np.float64]
    caption: str
    references: Sequence[str]
    score: float
    weight: float


@dataclass(frozen=True)
class Curve:
    """r on the videos held out, after so many steps; the first is of the untouched model."""

    steps: tuple[int, ...] = ()
    r: tuple[float, ...] = ()

    def with_point(self, step: int, r: float) -> Curve:
        return Curve((*self.steps, step), (*self.r, r))

    @property
    def best(self) -> int:
        """The step of the best state; the first of those that do equally well."""
        found = 0
        for at in range(1, len(self.r)):
            found = at if improves(self.r[at], self.r[:at]) else found
        return self.steps[found]


class FineTuning:
    """A training that can be stopped anywhere and goes on from its last checkpoint.

    Whatever decides the result is in the checkpoint, the states of the random generators included:
    interrupted or not, the same data and seed end with the same weights.
    """

    def __init__(
        self,
        model: Siamese | Pairs,
        training: Sequence[RatedSet],
        validation: Sequence[RatedSet],
        tuning: Tuning,
        seed: int,
        checkpoints: Checkpoints,
        last: int | None = None,
    ) -> None:
        """``last`` : stop after so many steps of the schedule, and keep what there is then."""
        self.tuning = tuning
        self.validation = validation
        self.checkpoints = checkpoints
        self.seed = seed
        self.main = _examples([rated for rated in training if rated.weight == 1])
        self.extra = _examples([rated for rated in training if rated.weight < 1])
        self.accelerator = Accelerator()
        self.shares: int = self.accelerator.num_processes
        self.steps: int = -(-self._passed() // (tuning.batch * self.shares)) * tuning.epochs
        self.last = self.steps if last is None else min(last, self.steps)
        optimiser = torch.optim.AdamW(
            [
                {"params": _learning(model.sentence), "lr": tuning.rate},
                {"params": model.head.parameters(), "lr": tuning.head_rate},
            ],
            weight_decay=tuning.decay,
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, self._rate)
        self.model, self.optimiser = self.accelerator.prepare(model, optimiser)
        self.schedule = schedule  # one step for all processes, however many there are
        self.step = 0
        self.curve = Curve()
        self.best = _state(self._bare)

    @property
    def _bare(self) -> Siamese | Pairs:
        found: Siamese | Pairs = self.accelerator.unwrap_model(self.model)
        return found

    def run(self, told: Told = lambda *_: None) -> Siamese | Pairs:
        """Train to the end, or to the last minute, and return the best state there was."""
        end = time.monotonic() + 60 * self.tuning.minutes
        with own_random(self.seed):
            if not self._resume():
                self._judge()
            while self.step < self.last and time.monotonic() < end:
                loss = self._learn(self._batch(self.step))
                self.step += 1
                if self.step % self._judged_every == 0 or self.step == self.last:
                    self._judge()
                if self.step % self.tuning.keep_every == 0:
                    self._keep()
                told(self.step, self.last, loss)
            if self.step not in self.curve.steps:
                self._judge()
            if self.validation:
                self._keep()  # another part follows, which must not repeat this one
        self._bare.load_state_dict(self.best)
        return self._bare

    @property
    def _pass_steps(self) -> int:
        return self.steps // self.tuning.epochs

    @property
    def _judged_every(self) -> int:
        return max(-(-self._pass_steps // self.tuning.judged), 1)

    def _passed(self) -> int:
        """Examples of a pass: of the extra ones as many as of the others, drawn anew each time."""
        return len(self.main) + min(len(self.extra), len(self.main))

    def _rate(self, step: int) -> float:
        warm = max(round(self.tuning.warm_up * self.steps), 1)
        return min((step + 1) / warm, max(self.steps - step, 0) / max(self.steps - warm, 1))

    def _batch(self, step: int) -> list[tuple[Example, str]]:
        """The examples of a step, each with one of its references; a function of seed and step."""
        epoch, at = divmod(step, self._pass_steps)
        rng = np.random.default_rng([self.seed, epoch])
        drawn = rng.permutation(len(self.extra))[: len(self.main)]
        pool = [*self.main, *(self.extra[row] for row in drawn.tolist())]
        size = self.tuning.batch * self.shares
        order = rng.permutation(len(pool))[at * size : (at + 1) * size]
        rank = self.accelerator.process_index
        picks = np.random.default_rng([self.seed, epoch, at, rank])
        # Each process has a part of the step; one that would have nothing takes the first again.
        found = [pool[row] for row in (order[rank :: self.shares].tolist() or [int(order[0])])]
        return [(one, one.references[picks.integers(len(one.references))]) for one in found]

    def _learn(self, batch: Sequence[tuple[Example, str]]) -> float:
        self.model.train()
        device = self.accelerator.device
        numbers = torch.as_tensor(np.stack([one.numbers for one, _ in batch]), dtype=torch.float32)
        scores = torch.tensor([[one.score] for one, _ in batch], device=device)
        weights = torch.tensor([[one.weight] for one, _ in batch], device=device)
        captions, references = [one.caption for one, _ in batch], [text for _, text in batch]
        members = self.model(numbers.to(device), captions, references)
        loss = (weights * (members - scores) ** 2).mean()
        self.optimiser.zero_grad()
        self.accelerator.backward(loss)
        self.optimiser.step()
        self.schedule.step()
        return float(loss.detach())

    def _judge(self) -> None:
        found = [pearson(self._bare.predict(one), one.scores) for one in self.validation]
        r = float(np.mean(found)) if found else float("nan")
        if not found or improves(r, self.curve.r):
            self.best = _state(self._bare)
        self.curve = self.curve.with_point(self.step, r)

    def _keep(self) -> None:
        """By one process for all."""
        if not self.accelerator.is_main_process:
            return
        self.checkpoints.save(
            {
                "step": self.step,
                "curve": [list(self.curve.steps), list(self.curve.r)],
                "model": _state(self._bare),
                "best": self.best,
                "optimiser": self.optimiser.state_dict(),
                "schedule": self.schedule.state_dict(),
                "random": random_states(),
            }
        )

    def _resume(self) -> bool:
        kept = self.checkpoints.load()
        if kept is None:
            return False
        self.step, self.best = kept["step"], kept["best"]
        self.curve = Curve(*map(tuple, kept["curve"]))
        self._bare.load_state_dict(kept["model"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.schedule.load_state_dict(kept["schedule"])
        restore_random(kept["random"])
        return True


def freeze_below(backbone: nn.Module, layers: int) -> None:
    """Leave only the last layers to learn. A transformer keeps its layers in one list, and it is
    the longest there is."""
    lists = [list(part) for part in backbone.modules() if isinstance(part, nn.ModuleList)]
    if not lists:
        return
    backbone.requires_grad_(False)
    for layer in max(lists, key=len)[-layers:]:
        layer.requires_grad_(True)


def _learning(model: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def _state(model: nn.Module) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in model.state_dict().items()}


def _examples(sets: Sequence[RatedSet]) -> list[Example]:
    return [example for rated in sets for example in _of_set(rated)]


def _of_set(rated: RatedSet) -> Iterator[Example]:
    weights = rated.weights(by_count=True)
    for row, (text, video) in enumerate(zip(rated.batch.captions, rated.batch.videos, strict=True)):
        yield Example(
            rated.found.numbers[row],
            text,
            rated.batch.references[video],
            float(rated.standardised[row]),
            float(weights[row]),
        )
