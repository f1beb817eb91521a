"""BLEU, ROUGE-L, CIDEr and METEOR on 10,000 captions with 5 references each, beside their peers.

The peer of the first three is pycocoevalcap on the same tokens; METEOR's is its own Java program
reading files, start-up included on both sides.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from analysis.metrics.batch import Batch
from analysis.metrics.families.bleu import bleu
from analysis.metrics.families.cider import cider
from analysis.metrics.families.meteor.scorer import Meteor
from analysis.metrics.families.rouge import rouge_l
from analysis.metrics.words import Words, ptb_tokenize
from benchmarks.meteor_program import program_scores

VIDEOS, REFERENCES = 10_000, 5
TO_REACH = 5
ROUNDS = 3
SUBJECTS = ["a man", "a woman", "two men", "the dog", "a small child", "people", "a girl in red"]
VERBS = ["runs", "is running", "is playing guitar", "talks", "jumps over", "dances with", "sees"]
PLACES = ["outdoors", "in a park", "on the street", "on stage", "in a kitchen", "near the sea"]

Result = TypeVar("Result")


def make_captions(count: int, rng: np.random.Generator) -> list[str]:
    """Sentences of 8 to 14 words with some rare ones, so that document frequencies differ."""
    parts = [
        rng.choice(SUBJECTS, count),
        rng.choice(VERBS, count),
        rng.choice(SUBJECTS, count),
        rng.choice(PLACES, count),
        rng.zipf(1.6, count).astype(str),
    ]
    return [f"{a} {b} {c} {d}, number{e}." for a, b, c, d, e in zip(*parts, strict=True)]


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def ours(batch: Batch) -> dict[str, np.ndarray]:
    words = Words(batch, "none")
    references = words.references_by_video
    rouge = [rouge_l(c, references[v]) for c, v in zip(words.captions, batch.videos, strict=True)]
    return {"bleu4": bleu(words)[3], "rougel": np.array(rouge), "cider": cider(words)[0]}


def theirs(batch: Batch) -> dict[str, np.ndarray]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.rouge.rouge import Rouge

    told = {video: list(texts) for video, texts in batch.references.items()}
    said = {video: [text] for video, text in zip(batch.videos, batch.captions, strict=True)}
    return {
        "bleu4": np.array(Bleu(4).compute_score(told, said, verbose=0)[1][3]),
        "rougel": np.asarray(Rouge().compute_score(told, said)[1]),
        "cider": np.asarray(Cider().compute_score(told, said)[1]),
    }


def meteor_scores(store: Path, captions: list[str], references: list[list[str]]) -> None:
    Meteor.open(store).score(captions, references)


def our_program(store: Path, captions: list[str], references: list[list[str]]) -> None:
    """A process of its own, which starts Python and reads METEOR's lists."""
    work = get_context("spawn").Process(target=meteor_scores, args=(store, captions, references))
    work.start()
    work.join()
    if work.exitcode:
        raise RuntimeError("METEOR failed")


def spent(work: Callable[[], object]) -> np.ndarray:
    """Seconds on the clock and of the processors, those of programs that were started included."""

    def now() -> np.ndarray:
        times = os.times()
        return np.array([times.elapsed, sum(times[:4])])

    start = now()
    work()
    return now() - start


def meteor(batch: Batch) -> None:
    """Both programs in turns, start included; the least of each counts.

    A machine that is busy elsewhere only adds to it.
    """
    if shutil.which("java") is None:
        print("METEOR: no Java, not measured")
        return
    captions = list(batch.captions)
    references = [list(batch.references[video]) for video in batch.videos]
    with tempfile.TemporaryDirectory() as folder:
        made, _ = timed(partial(Meteor.open, Path(folder)))
        rounds = [
            (
                spent(partial(our_program, Path(folder), captions, references)),
                spent(partial(program_scores, captions, references)),
            )
            for _ in range(ROUNDS)
        ]
    own, peer = np.min(rounds, axis=0)
    print(
        f"METEOR: {own[0]:.1f} s; its own program {peer[0]:.1f} s (its table, once: {made:.1f} s)"
    )
    print(f"{peer[0] / own[0]:.2f} x, by processor time {peer[1] / own[1]:.2f} x (to reach: 1 x)")


def main() -> None:
    rng = np.random.default_rng(7)
    texts = make_captions(VIDEOS * (REFERENCES + 1), rng)
    seconds, tokens = timed(lambda: [ptb_tokenize(text) for text in texts])
    print(f"tokenising {len(texts):,} captions: {seconds:.2f} s")
    references = {
        f"v{n}": tokens[VIDEOS + n * REFERENCES : VIDEOS + (n + 1) * REFERENCES]
        for n in range(VIDEOS)
    }
    batch = Batch(tokens[:VIDEOS], list(references), references, references)
    own, found = timed(lambda: ours(batch))
    peer, expected = timed(lambda: theirs(batch))
    difference = max(np.abs(found[name] - expected[name]).max() for name in expected)
    print(
        f"BLEU, ROUGE-L, CIDEr: {own:.2f} s; pycocoevalcap {peer:.2f} s; differ by {difference:.0e}"
    )
    print(f"{peer / own:.1f} x (to reach: {TO_REACH} x)")
    meteor(batch)


if __name__ == "__main__":
    main()
