"""Learning a metric: pairs a second against a bare torch loop, memory, and the table of the head.

    python -m benchmarks.learning [--pairs 640]

The bare loop trains the same model on the same texts with nothing around it: no checkpoints, no
drawing of references, no weights of captions. The table is the leave-one-set-out table of the head
over four made-up sets of the published size, from features that are there already.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from analysis.learning.checkpoints import Checkpoints
from analysis.learning.fine_tuning import FineTuning, Siamese, Tuning
from analysis.learning.kinds import HeadKind, Lesson
from analysis.learning.left_out import leave_one_out
from analysis.learning.rated import RatedSet
from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.encoding.sentence_model import find_sentence_model
from analysis.metrics.learned.features import NUMBERS, Features
from analysis.metrics.learned.head import Head, Recipe

WORDS = (
    *("a", "man", "woman", "dog", "is", "are", "riding", "eating", "walking", "on", "the", "in"),
    *("beach", "street", "red", "horse", "ball"),
)
SIZE = 384
TARGET_SHARE = 0.9
TARGET_TABLE = 120.0


def made_up(name: str, count: int, rng: np.random.Generator) -> RatedSet:
    """Captions of about eleven words, whose scores go with their features."""
    said = [
        " ".join(rng.choice(WORDS, rng.integers(8, 15))) + f" {name}{at}" for at in range(count)
    ]
    told = {f"{at // 2}": [f"{said[at]} again"] for at in range(0, count, 2)}
    batch = Batch(said, [f"{at // 2}" for at in range(count)], told, told)
    numbers = rng.normal(size=(count, len(NUMBERS)))
    vectors = rng.normal(size=(2, count, SIZE)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    scores = numbers[:, 7] + rng.normal(size=count)
    systems = [f"s{at % 8}" for at in range(count)]
    return RatedSet(name, batch, systems, scores, features=Features(numbers, *vectors))


def bare_loop(model: Siamese, rated: RatedSet, batch: int) -> float:
    """Pairs a second of the usual way to write it."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-5)
    numbers = torch.as_tensor(rated.found.numbers, dtype=torch.float32)
    scores = torch.as_tensor(rated.scores, dtype=torch.float32)[:, None]
    references = [rated.batch.references[video][0] for video in rated.batch.videos]
    model.train()
    start = time.perf_counter()
    for at in range(0, len(rated), batch):
        rows = slice(at, at + batch)
        predicted = model(numbers[rows], rated.batch.captions[rows], references[rows])
        loss = ((predicted - scores[rows]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return len(rated) / (time.perf_counter() - start)


def our_loop(model: Siamese, rated: RatedSet, batch: int) -> float:
    tuning = Tuning(batch=batch, keep_every=10**9)
    with tempfile.TemporaryDirectory() as folder:
        training = FineTuning(model, [rated], [], tuning, 1, Checkpoints(Path(folder) / "m", "k"))
        # The other loop judges nothing.
        training._judge = lambda: None
        start = time.perf_counter()
        training.run()
        return len(rated) / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=640)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    rated = made_up("speed", options.pairs, rng)
    head, folder = Head(len(NUMBERS), SIZE, Recipe()), find_sentence_model()
    bare, ours = [], []
    for _ in range(2):  # in turns, because the machine has other things to do
        bare.append(bare_loop(Siamese(folder, head), rated, 32))
        ours.append(our_loop(Siamese(folder, head), rated, 32))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"bare {bare[-1]:6.1f}  ours {ours[-1]:6.1f} pairs/s  memory {memory:,.0f} MB")
    share = max(ours) / max(bare)
    print(f"{share:.0%} of the bare loop (to reach: {TARGET_SHARE:.0%})")
    sets = [made_up(name, 1540, rng) for name in ("one", "two", "three", "four")]
    start = time.perf_counter()
    kind = HeadKind(ScoringContext(), Lesson("head", 1, Path("unused")))
    leave_one_out(sets, "head", kind.learner())
    seconds = time.perf_counter() - start
    print(f"leave-one-set-out table of the head: {seconds:.0f} s (to reach: {TARGET_TABLE:.0f} s)")


if __name__ == "__main__":
    main()
