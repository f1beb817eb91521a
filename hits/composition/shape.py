"""The shape of a HIT: how many captions of each kind, and in which of its ten blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer[Any]]

KINDS = ("system", "reference", "degraded", "repeat", "attention")
SYSTEM, REFERENCE, DEGRADED, REPEAT, ATTENTION = range(len(KINDS))

BLOCKS = 10
HALFWAY = BLOCKS // 2

# Where numbers that ten does not divide put their remainder: into every other block, so that no
# half of the HIT gets all of it, and into one of each two partner blocks before the other.
_SPREAD = (0, 6, 2, 8, 4, 5, 1, 7, 3, 9)


@dataclass(frozen=True)
class Shape:
    """A HIT of ``size`` captions in ten equal blocks (PROTOCOL §2).

    It has ``pairs`` control captions, as many degraded ones, and ``repeats`` repeats, all spread
    over the blocks. A copy is always five blocks from its original, whatever the numbers.

    >>> Shape().fresh, Shape().closest
    (70, 41)
    >>> Shape(size=50, pairs=5, repeats=5).fresh
    35
    """

    size: int = 100
    pairs: int = 10
    repeats: int = 10

    def __post_init__(self) -> None:
        if self.size < BLOCKS or self.size % BLOCKS:
            raise ValueError(
                f"size must be a multiple of {BLOCKS}, because a HIT has {BLOCKS} equal blocks"
            )
        if self.pairs < 0 or self.repeats < 0:
            raise ValueError("pairs and repeats must not be negative")
        if self.fresh < max(self.repeats, 1):
            raise ValueError(
                f"size {self.size} cannot hold {self.pairs} pairs, {self.repeats} repeats "
                "and a system caption for each repeat"
            )

    @property
    def fresh(self) -> int:
        """How many different system captions one HIT shows."""
        return self.size - 2 * self.pairs - self.repeats

    @property
    def block_size(self) -> int:
        return self.size // BLOCKS

    @property
    def closest(self) -> int:
        """The fewest positions between an original and its degraded version or repeat."""
        return (HALFWAY - 1) * self.block_size + 1

    @cached_property
    def counts(self) -> IntArray:
        """Captions of each kind (columns, in the order of ``KINDS``) in each block (rows)."""
        counts = np.zeros((BLOCKS, len(KINDS)), dtype=np.int64)
        counts[:, REFERENCE] = _spread(self.pairs, first=0)
        counts[:, DEGRADED] = np.roll(counts[:, REFERENCE], HALFWAY)
        counts[:, REPEAT] = _spread(self.repeats, first=self.pairs)
        counts[:, SYSTEM] = self.block_size - counts.sum(axis=1)
        return counts

    @cached_property
    def slot_kinds(self) -> npt.NDArray[np.int8]:
        """The kind of each slot: a HIT before its blocks are shuffled, kind by kind in a block."""
        kinds = np.arange(len(KINDS), dtype=np.int8)
        return np.repeat(np.tile(kinds, BLOCKS), self.counts.ravel())

    def slots(self, kind: int) -> IntArray:
        """Return the slots of a kind, in the order of blocks."""
        return np.flatnonzero(self.slot_kinds == kind)


@dataclass(frozen=True)
class VideoShape:
    """A HIT of about ``size`` captions, in pages that show all captions of a video.

    ``pairs`` of its pages hide a control: a caption of another video, or a damaged copy, which
    quality control compares with one of the page's own.

    >>> VideoShape(size=100, pairs=10).videos(videos=40, most=6)
    15
    """

    size: int = 100
    pairs: int = 10
    repeats: ClassVar[int] = 0  # all captions of a video are on one page

    def __post_init__(self) -> None:
        if self.pairs < 0 or self.size <= self.pairs:
            raise ValueError(f"size {self.size} cannot hold {self.pairs} pairs and a caption")

    def videos(self, *, videos: int, most: int) -> int:
        """How many of the ``videos`` one HIT shows, of which none has over ``most`` captions."""
        fitting = min(videos, (self.size - self.pairs) // most if most else 0)
        if fitting < 1:
            raise ValueError(
                f"a HIT of {self.size} captions cannot hold a video's {most} captions and "
                f"{self.pairs} controls"
            )
        if fitting < self.pairs or (self.pairs and videos < 2):
            raise ValueError(
                f"a HIT shows {fitting} of {videos} videos, and each can hide one control, "
                f"not {self.pairs}"
            )
        return fitting


def hit_shape(*, whole_video: bool, size: int, pairs: int, repeats: int) -> Shape | VideoShape:
    """The shape of a HIT whose pages show whole videos, or single captions."""
    if not whole_video:
        return Shape(size, pairs, repeats)
    if repeats:
        raise ValueError("all captions of a video are on one page, so Repeats per HIT must be 0")
    return VideoShape(size, pairs)


@dataclass(frozen=True)
class Cut:
    """What cutting a campaign into HITs comes to."""

    hits: int
    fresh: int  # captions of systems in a HIT
    size: int  # captions in a HIT


def cut_by_video(
    shape: VideoShape, *, videos: int, captions: int, most: int, redundancy: int
) -> Cut:
    """HITs of whole videos, each video in ``redundancy`` of them.

    >>> cut_by_video(VideoShape(), videos=40, captions=240, most=6, redundancy=1)
    Cut(hits=3, fresh=90, size=100)
    """
    per_hit = shape.videos(videos=videos, most=most)
    hits = math.ceil(videos / per_hit)
    if not shape.pairs:  # then HITs are cut evenly
        per_hit = math.ceil(videos / hits)
    fresh = math.ceil(per_hit * captions / videos)
    return Cut(redundancy * hits, fresh, fresh + shape.pairs)


def _spread(number: int, first: int) -> IntArray:
    """Share a number of captions between the blocks as evenly as possible."""
    turns = np.arange(first, first + number) % BLOCKS
    return np.bincount(np.array(_SPREAD)[turns], minlength=BLOCKS)


def fitting_shape(
    captions: int, controls: int, largest: int = 100, *, least_pairs: int = 0
) -> Shape | None:
    """Return the HIT that works best for a campaign of so many captions and control captions.

    It has ``least_pairs`` pairs wherever one can. Then it needs the fewest HITs to show every
    caption, for each HIT is paid, and shows as few captions as possible more often than others.
    Pairs and repeats stay close to the protocol's tenth of a HIT; fewer than seven captions make a
    HIT of ten with more repeats.

    >>> fitting_shape(captions=45, controls=40)
    Shape(size=70, pairs=9, repeats=7)
    >>> fitting_shape(captions=45, controls=40, least_pairs=10)
    Shape(size=70, pairs=10, repeats=5)
    >>> fitting_shape(captions=6, controls=3)
    Shape(size=10, pairs=1, repeats=2)
    """
    sizes = range(BLOCKS, largest + 1, BLOCKS)
    shapes = (shape for size in sizes for shape in _near_protocol(size, least_pairs))
    fits = [s for s in (*shapes, *_TINY) if s.fresh <= captions and s.pairs <= controls]
    return min(fits, key=lambda shape: _cost(shape, captions, least_pairs), default=None)


_TINY = tuple(
    Shape(BLOCKS, pairs, repeats) for pairs, repeats in ((1, 2), (1, 3), (1, 4), (2, 3), (3, 2))
)


def _near_protocol(size: int, least_pairs: int) -> Iterator[Shape]:
    share = size // BLOCKS
    most = min(16 * share // 10, share + 4)
    for pairs in {*range(max(-(-7 * share // 10), share - 4), most + 1), max(least_pairs, share)}:
        for repeats in range(max(-(-share // 2), share - 5), most + 1):
            if size - 2 * pairs - repeats >= repeats:
                yield Shape(size, pairs, repeats)


def _cost(shape: Shape, captions: int, least_pairs: int) -> tuple[bool, int, int, int, int]:
    """What makes a shape worse than another, most important first."""
    hits, share = -(-captions // shape.fresh), shape.block_size
    unlike = abs(shape.pairs - share) + abs(shape.repeats - share)
    too_few_pairs = shape.pairs < least_pairs
    return too_few_pairs, hits, hits * shape.fresh - captions, unlike, -shape.pairs
