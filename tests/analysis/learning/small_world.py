"""A small world in which people's scores can be learned."""

from __future__ import annotations

import csv
import random
from pathlib import Path

WORDS = {
    "who": ["man", "woman", "dog", "cat", "child", "horse", "bird", "girl"],
    "does": ["runs", "sleeps", "jumps", "eats", "sings", "swims", "reads", "falls"],
    "where": ["outside", "indoors", "upstairs", "downtown", "ashore", "abroad", "nearby", "home"],
}
SYSTEMS = {"good": 0.1, "fair": 0.3, "weak": 0.5, "poor": 0.7}


def make_set(folder: Path, seed: int, *, videos: int = 60, systems=SYSTEMS, score=None) -> Path:
    """People's scores, captions and references as files; a wrong word costs thirty points."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    captions, references, human = [], [], []
    for video in range(videos):
        truth = [rng.choice(words) for words in WORDS.values()]
        name = f"{folder.name}-{video}"
        # A video is known by its references: each has a word of its own.
        references.append((name, "A", f"a {' '.join(truth)} {name}"))
        for system, error in systems.items():
            said = [
                rng.choice(words) if rng.random() < error else right
                for words, right in zip(WORDS.values(), truth, strict=True)
            ]
            wrong = sum(one != other for one, other in zip(said, truth, strict=True))
            captions.append((name, system, f"a {' '.join(said)} {system} {name}"))
            human.append(
                (
                    name,
                    system,
                    score(wrong, rng) if score else 100 - 30 * wrong + rng.uniform(-5, 5),
                )
            )
    for file, header, rows in (
        ("captions.csv", ("video", "system", "caption"), captions),
        ("references.csv", ("video", "source", "caption"), references),
        ("human.csv", ("video", "system", "score"), human),
    ):
        with (folder / file).open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return folder


def as_option(folder: Path) -> str:
    files = ",".join(str(folder / f"{name}.csv") for name in ("human", "captions", "references"))
    return f"{folder.name}={files}"
