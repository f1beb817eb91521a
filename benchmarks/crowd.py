"""A made-up crowd of any size, in HITs of the protocol's shape, for benchmarks and tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import DEGRADED, REFERENCE, REPEAT, SYSTEM, Ratings

PER_HIT = {SYSTEM: 70, REFERENCE: 10, DEGRADED: 10, REPEAT: 10}
HIT_SIZE = sum(PER_HIT.values())


def simulate(
    *,
    annotators: int = 12,
    hits_each: int = 1,
    systems: int = 4,
    videos: int = 40,
    clickers: float = 0.1,
    seed: int = 0,
) -> Ratings:
    """Ratings of systems of rising quality by annotators who differ in mean, spread and care.

    Parameters
    ----------
    clickers
        Share of annotators who answer at random.
    """
    rng = np.random.default_rng(seed)
    hits = annotators * hits_each
    caption = _dealt(systems * videos, hits, PER_HIT[SYSTEM], rng)
    control = _dealt(videos, hits, PER_HIT[REFERENCE], rng)
    system = np.concatenate([caption // videos, np.full_like(control, systems)], axis=1)
    item = np.concatenate([caption % videos, control], axis=1)
    rows = np.concatenate(
        [np.arange(80), np.arange(70, 80), np.arange(PER_HIT[REPEAT])]
    )  # degraded copies of the controls, then repeats of the first captions
    kind = np.repeat(list(PER_HIT), list(PER_HIT.values()))
    quality = _quality(system[:, rows], item[:, rows], kind, systems, videos, rng)
    owner = np.arange(hits) // hits_each
    codes = {
        "annotator": np.repeat(owner, HIT_SIZE),
        "hit": np.repeat(np.arange(hits), HIT_SIZE),
        "system": system[:, rows].ravel(),
        "item": item[:, rows].ravel(),
        "kind": np.tile(kind, hits),
        "score": _scores(quality, owner, annotators, clickers, rng).ravel(),
        "seconds": rng.gamma(4.0, 2.5, hits * HIT_SIZE).round(1),
        "position": rng.permuted(np.tile(np.arange(HIT_SIZE), (hits, 1)), axis=1).ravel(),
    }
    labels = {
        "annotator": [f"w{number:04}" for number in range(annotators)],
        "hit": [f"h{number:06}" for number in range(hits)],
        "system": [*(f"S{number:02}" for number in range(systems)), "Human-a"],
        "item": [f"v{number:05}" for number in range(videos)],
    }
    return Ratings.from_codes(codes, labels, orphans=False)


def _dealt(things: int, hits: int, each: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Deal shuffled decks of things, `each` to a HIT, never one twice in the same HIT."""
    usable = things // each * each
    if not usable:
        raise ValueError(f"a HIT needs {each} different captions, there are {things}")
    decks = -(-hits * each // usable)
    dealt = np.concatenate([rng.permutation(things)[:usable] for _ in range(decks)])
    return dealt[: hits * each].reshape(hits, each)


def _quality(
    system: NDArray[np.int64],
    item: NDArray[np.int64],
    kind: NDArray[np.int64],
    systems: int,
    videos: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """What a caption is worth, about 0 ± 1: its system, its video, and itself."""
    worth = np.linspace(-0.4, 0.4, systems + 1)[system]
    worth += rng.normal(0, 0.3, videos)[item]
    worth += rng.normal(0, 0.6, (systems + 1, videos))[system, item]
    return worth + np.where(kind == REFERENCE, 0.8, np.where(kind == DEGRADED, -0.6, 0.0))


def _scores(
    quality: NDArray[np.float64],
    owner: NDArray[np.int64],
    annotators: int,
    clickers: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    mean = rng.normal(55, 12, annotators)[owner, None]
    spread = rng.uniform(12, 25, annotators)[owner, None]
    felt = mean + spread * (quality + rng.normal(0, 0.5, quality.shape))
    careless = rng.random(annotators)[owner, None] < clickers
    random = rng.integers(0, 101, quality.shape)
    return np.where(careless, random, np.clip(np.round(felt), 0, 100)).astype(np.int64)
