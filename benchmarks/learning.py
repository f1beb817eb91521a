"""Learning a metric: pairs a second against a bare torch loop, memory, and how long tables take.

    python -m benchmarks.learning [--pairs 640]

The bare loop trains the same model on the same texts with nothing around it: no checkpoints, no
drawing of references, no weights of captions. The table is the leave-one-set-out table of the head
over four made-up sets of the published size, from features that are there already. The last line is
one split of BERTHA's table: a head, and the sentence model fine-tuned on three such sets.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from analysis.learning.bertha import learn_bertha
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
TARGET_BERTHA = 30


def made_up(name: str, count: int, rng: np.random.Generator) -> RatedSet:
    """Captions of about eleven words, whose scores go with their features."""
    said = [
        " ".join(rng.choice(WORDS, rng.integers(8, 15))) + f" {name}{at}" for at in range(count)
    ]
    told = {f"{at // 2}": [f"{said[at]} again"] for at in range(0, count, 2)}
    batch = Batch(said, [f"{at // 2}" for at in range(count)], told, told)
    numbers = rng.normal(size=(count, len(NUMBERS)))
    vectors = rng.normal(size=(3, count, SIZE)).astype(np.float32)
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


def memory_by_pass(folder: Path, head: Head, rated: RatedSet, passes: int) -> list[float]:
    """Megabytes in use after each pass over the same captions."""
    tuning = Tuning(epochs=passes, keep_every=10**9, judged=1)
    found: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        model = Siamese(folder, head, tuning.layers)
        training = FineTuning(model, [rated], [], tuning, 1, Checkpoints(Path(place) / "m", "k"))
        training._judge = lambda: found.append(memory())
        training.run()
    return found[1:]


def memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def table_seconds(sets: list[RatedSet]) -> float:
    start = time.perf_counter()
    kind = HeadKind(ScoringContext(), Lesson("head", 1, Path("unused")))
    leave_one_out(sets, "head", kind.learner())
    return time.perf_counter() - start


def bertha_minutes(folder: Path, sets: list[RatedSet]) -> tuple[float, int]:
    """What one split of the leave-one-out table takes, and the steps it came to."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        trained = learn_bertha(
            sets,
            backbone=folder,
            tuning=Tuning(minutes=TARGET_BERTHA),
            seed=1,
            out=Path(place) / "bertha",
        )
    return (time.perf_counter() - start) / 60, trained.curve.steps[-1]


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
        print(f"bare {bare[-1]:6.1f}  ours {ours[-1]:6.1f} pairs/s")
    share = max(ours) / max(bare)
    print(f"{share:.0%} of the bare loop (to reach: {TARGET_SHARE:.0%})")
    used = memory_by_pass(folder, head, rated, 3)
    print(f"memory after each pass: {', '.join(f'{one:,.0f}' for one in used)} MB (to reach: flat)")
    sets = [made_up(name, 1540, rng) for name in ("one", "two", "three", "four")]
    seconds = table_seconds(sets)
    print(f"leave-one-set-out table of the head: {seconds:.0f} s (to reach: {TARGET_TABLE:.0f} s)")
    minutes, steps = bertha_minutes(folder, sets[:3])
    print(f"bertha on three sets: {minutes:.1f} min, {steps} steps (to reach: {TARGET_BERTHA} min)")


if __name__ == "__main__":
    main()
