"""METEOR and its authors' program on real caption pairs: how many scores differ.

Reads the published captions in the folder that DA_PUBLISHED names, and needs Java.
"""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis.metrics.families.meteor.scorer import Meteor
from benchmarks.meteor_program import program_scores

OF_EACH_SET = 3000
TOLERANCE = 1e-9
Pair = tuple[str, str]


def published_pairs(folder: Path) -> list[Pair]:
    """Captions with one reference: all of YouCook2-Fact, and some of every TRECVID set."""
    rng = np.random.default_rng(1)
    pairs = set(_youcook2(folder / "youcook2-fact"))
    for home in sorted(folder.glob("trecvid-vtt/*/*")):
        every = sorted(set(_trecvid(home)))
        pairs.update(every[place] for place in rng.permutation(len(every))[:OF_EACH_SET])
    return sorted(pairs)


def _youcook2(home: Path) -> Iterator[Pair]:
    captions, references = (
        list(csv.DictReader((home / f"{name}.csv").read_text(encoding="utf-8").splitlines()))
        for name in ("captions", "references")
    )
    told = {row["video"]: row["caption"] for row in references}
    yield from ((row["caption"], told[row["video"]]) for row in captions if row["video"] in told)


def _trecvid(home: Path) -> Iterator[Pair]:
    for system in home.glob("systems/*"):
        for reference in home.glob("references/*"):
            lines = zip(_lines(system), _lines(reference), strict=False)
            yield from ((said, told) for said, told in lines if said.strip() and told.strip())


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").split("\n")


def differences(pairs: list[Pair], store: Path, java: str = "java") -> np.ndarray:
    """By how much the scores of each pair differ."""
    said, told = [pair[0] for pair in pairs], [[pair[1]] for pair in pairs]
    return np.abs(Meteor.open(store).score(said, told) - program_scores(said, told, java))


def main() -> None:
    published = Path(os.environ.get("DA_PUBLISHED", "nowhere"))
    if not published.is_dir():
        print("DA_PUBLISHED names no folder of published captions: nothing compared")
        return
    pairs = published_pairs(published)
    with tempfile.TemporaryDirectory() as store:
        apart = differences(pairs, Path(store))
    print(
        f"{(apart > TOLERANCE).sum()} of {len(pairs):,} pairs differ by more than {TOLERANCE:.0e}"
    )
    print(f"largest difference {apart.max():.1e}")


if __name__ == "__main__":
    main()
