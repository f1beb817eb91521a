"""Where each caption of a HIT stands: ten blocks, copies five blocks from their originals.

A *slot* is a place in a HIT before its blocks are shuffled: block by block, and kind by kind inside
a block. A *position* is a place after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hits.composition.shape import (
    BLOCKS,
    DEGRADED,
    HALFWAY,
    REFERENCE,
    REPEAT,
    SYSTEM,
    IntArray,
    Shape,
)

T = TypeVar("T", bound=np.generic)

GOLDEN_RATIO = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Layout:
    """Every position of every HIT, as columns in the order of HIT and position.

    Attributes
    ----------
    hit, position
        Both count from 0.
    kind
        An index into ``KINDS``.
    caption
        For a system caption or a repeat, which of the captions given; for a control caption or its
        degraded version, which of the control captions given.
    original
        Position, in the same HIT, of the original of a degraded caption or a repeat; otherwise -1.
    asked
        For each of the captions given, the one that is asked in its place: itself, unless
        identical captions are merged. Its ratings are credited to all it stands for.
    """

    hit: IntArray
    position: IntArray
    kind: npt.NDArray[np.int8]
    caption: IntArray
    original: IntArray
    asked: IntArray

    @property
    def hits(self) -> int:
        return int(self.hit[-1]) + 1


def lay_out(
    shape: Shape,
    fresh: IntArray,
    fresh_systems: IntArray,
    controls: IntArray,
    asked: IntArray,
    rng: np.random.Generator,
) -> Layout:
    """Give every caption of every HIT its position.

    Parameters
    ----------
    fresh, fresh_systems, controls
        The system captions of the HITs, their systems, and the control captions; one HIT a row.
    """
    hits = len(fresh)
    copies = np.concatenate([shape.slots(DEGRADED), shape.slots(REPEAT)])
    sources = np.concatenate(
        [_degraded_sources(shape, hits), _repeat_sources(shape, hits, rng)], axis=1
    )
    caption = np.empty((hits, shape.size), dtype=fresh.dtype)
    caption[:, shape.slots(SYSTEM)] = np.take_along_axis(
        fresh, _spread_systems(shape, fresh_systems, rng), axis=1
    )
    caption[:, shape.slots(REFERENCE)] = controls
    caption[:, copies] = np.take_along_axis(caption, sources, axis=1)

    position = _positions(shape, hits, rng)
    original = np.full((hits, shape.size), -1, dtype=np.int32)
    original[:, copies] = np.take_along_axis(position, sources, axis=1)

    hit = np.repeat(np.arange(hits), shape.size)
    place = hit * shape.size + position.ravel()  # of each slot, over all HITs
    return Layout(
        hit=hit,
        position=np.tile(np.arange(shape.size, dtype=np.int32), hits),
        kind=_put(np.tile(shape.slot_kinds, hits), place),
        caption=_put(caption.ravel(), place),
        original=_put(original.ravel(), place),
        asked=asked,
    )


def _put(values: npt.NDArray[T], place: IntArray) -> npt.NDArray[T]:
    """Return the values, each at its place."""
    put = np.empty_like(values)
    put[place] = values
    return put


def _spread_systems(shape: Shape, systems: IntArray, rng: np.random.Generator) -> IntArray:
    """Choose the system caption for each system slot of a HIT, systems spread over the blocks.

    System after system, the captions are dealt to the blocks in turn. Which block comes first
    moves on from HIT to HIT by the golden ratio: all of them equally often, and never in step with
    the rhythm in which systems come round.
    """
    block = shape.slots(SYSTEM) // shape.block_size
    counts = shape.counts[:, SYSTEM]
    in_block = np.arange(shape.fresh) - (np.cumsum(counts) - counts)[block]
    turn = np.argsort(np.lexsort((block, (in_block + 0.5) / counts[block])))
    steps = rng.random() + np.arange(len(systems)) * GOLDEN_RATIO
    first = (steps % 1 * shape.fresh).astype(np.int64)[:, np.newaxis]
    small = systems.astype(np.min_scalar_type(systems.max()))  # which numpy sorts by counting
    by_system = np.argsort(small, axis=1, kind="stable")
    return np.take_along_axis(by_system, (turn - first) % shape.fresh, axis=1)


def _degraded_sources(shape: Shape, hits: int) -> IntArray:
    """For each degraded slot, the slot of the control caption five blocks away."""
    controls = shape.slots(REFERENCE)
    partner = (controls // shape.block_size + HALFWAY) % BLOCKS
    return np.broadcast_to(controls[np.argsort(partner, kind="stable")], (hits, shape.pairs))


def _repeat_sources(shape: Shape, hits: int, rng: np.random.Generator) -> IntArray:
    """For each repeat slot, that of a random system caption five blocks away, no two the same."""
    block = shape.slots(REPEAT) // shape.block_size
    partner = (block + HALFWAY) % BLOCKS
    counts = shape.counts[:, SYSTEM]
    first = rng.integers(np.maximum(counts, 1), size=(hits, BLOCKS))
    in_block = np.arange(shape.repeats) - np.searchsorted(block, block)
    chosen = (first[:, partner] + in_block) % counts[partner]
    return partner * shape.block_size + chosen


def _positions(shape: Shape, hits: int, rng: np.random.Generator) -> IntArray:
    """Shuffle the slots of every block; return the position of each slot."""
    in_order = np.arange(shape.block_size, dtype=np.int32)
    shuffled = rng.permuted(np.tile(in_order, (hits * BLOCKS, 1)), axis=1)
    starts = np.arange(0, shape.size, shape.block_size, dtype=np.int32)
    positions = shuffled.reshape(hits, BLOCKS, -1) + starts[:, np.newaxis]
    return np.asarray(positions.reshape(hits, -1))
