"""Two sides of the data that have nothing in common: no video, no caption text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.learning.rated import RatedSet, by_name
from analysis.metrics.learned.training_list import TrainingList, overlap

FOLDS: Final = 3
"""Of the videos of a single set; enough to tell recipes apart, and each costs a training."""


@dataclass(frozen=True, eq=False)
class Split:
    """What is learned from, and what it is held against.

    Parameters
    ----------
    dropped : captions left out of training because their text or their video is held out
    """

    held: str
    training: tuple[RatedSet, ...]
    test: tuple[RatedSet, ...]
    dropped: int

    def __post_init__(self) -> None:
        """The proof: whoever made the sides, they are compared here."""
        shared = overlap([one.batch for one in self.training], [one.batch for one in self.test])
        if shared:
            raise ValueError(
                f"{shared} captions to learn from have a text or video that is held out"
            )
        if not sum(map(len, self.training)) or not sum(map(len, self.test)):
            raise ValueError(f"{self.held}: a side of the split is empty; more sets are needed")


def apart(held: str, training: Sequence[RatedSet], test: Sequence[RatedSet]) -> Split:
    """Drop from training whatever is on the other side as well."""
    unseen = TrainingList.of(rated.batch for rated in test)
    kept = [rated.take(np.flatnonzero(~unseen.seen(rated.batch))) for rated in training]
    dropped = sum(map(len, training)) - sum(map(len, kept))
    return Split(held, tuple(rated for rated in kept if len(rated)), tuple(test), dropped)


def leave_one_set_out(sets: Sequence[RatedSet]) -> list[Split]:
    """A split for each name. Sets of a lower weight are learned from, never tested on: a score of
    one annotator says too little of a caption."""
    named = by_name(sets)
    if len(named) < 2:
        raise ValueError("leaving a set out takes sets of two names at least: name another --set")
    splits = []
    for name, own in named.items():
        test = [rated for rated in own if rated.weight == 1]
        if test:
            others = [rated for rated in sets if rated.name != name]
            splits.append(apart(name, others, test))
    return splits


def by_video(sets: Sequence[RatedSet], rng: np.random.Generator, share: float = 0.1) -> Split:
    """A share of the videos of every set held out at random."""
    picked = [_picked(rated, rng, share) for rated in sets]
    test = [rated.take(np.flatnonzero(rows)) for rated, rows in zip(sets, picked, strict=True)]
    train = [rated.take(np.flatnonzero(~rows)) for rated, rows in zip(sets, picked, strict=True)]
    return apart("videos", train, [rated for rated in test if rated.weight == 1 and len(rated)])


def folds(sets: Sequence[RatedSet], rng: np.random.Generator) -> list[Split]:
    """Sets left out one after the other; of a single set, a third of its videos each time."""
    if len(by_name([rated for rated in sets if rated.weight == 1])) > 1:
        return leave_one_set_out(sets)
    fold = [_fold_of_video(rated, rng) for rated in sets]
    return [
        apart(
            f"fold {number + 1}",
            [one.take(np.flatnonzero(of != number)) for one, of in zip(sets, fold, strict=True)],
            [
                one.take(np.flatnonzero(of == number))
                for one, of in zip(sets, fold, strict=True)
                if one.weight == 1
            ],
        )
        for number in range(FOLDS)
    ]


def _picked(
    rated: RatedSet, rng: np.random.Generator, share: float
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    videos = sorted(set(rated.batch.videos))
    chosen = set(rng.permutation(videos)[: max(round(share * len(videos)), 1)].tolist())
    return np.array([video in chosen for video in rated.batch.videos], dtype=bool)


def _fold_of_video(
    rated: RatedSet, rng: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    videos = sorted(set(rated.batch.videos))
    places = dict(zip(rng.permutation(videos).tolist(), range(len(videos)), strict=True))
    return np.array([places[video] % FOLDS for video in rated.batch.videos], dtype=np.int64)
