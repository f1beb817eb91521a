"""Exchanging the scores of some items at random: the draws behind randomisation tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_ITEMS: Final = 256
"""Items in one matrix product, and multiplications in it: few enough for one thread. More would be
shared out among threads that wait for each other, for seconds where the machine is busy."""
_PRODUCT: Final = 1 << 19
_SAME: Final = 1e-12
"""Statistics nearer than this, in their scale, are equal: sums in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Exchanges:
    """How many draws, and whether they are all there are instead of some at random."""

    items: int
    draws: int
    exact: bool

    @classmethod
    def of(cls, items: int, draws: int) -> Exchanges:
        """All 2^items ways where they are no more than the draws asked for."""
        if draws < 1:
            raise ValueError(f"draws must be at least 1, not {draws}")
        exact = items < draws.bit_length()
        return cls(items, 2**items if exact else draws, exact)

    def taken(self, rng: np.random.Generator) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """Draws × items, 1 where an item is exchanged and 0 elsewhere, some items at a time."""
        for begin in range(0, self.items, _ITEMS):
            some = slice(begin, min(begin + _ITEMS, self.items))
            yield some, self._bits(some, rng)

    def sums(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Sum over items (rows) for each draw (rows) and column, exchanged items with sign −."""
        total = np.zeros((self.draws, values.shape[1]))
        rows = max(1, _PRODUCT // max(_ITEMS * values.shape[1], 1))
        for some, bits in self.taken(rng):
            for begin in range(0, self.draws, rows):
                draws = slice(begin, begin + rows)
                total[draws] += bits[draws].astype(np.float64) @ values[some]
        return np.asarray(values.sum(axis=0) - 2 * total)

    def p(self, null: Floats, observed: Floats, scale: Floats | float = 1.0) -> Floats:
        """Share of draws (rows) that reach what was observed, itself counted among drawn ones."""
        reached = np.sum(~(null < observed - _SAME * scale), axis=0)
        return np.asarray(reached / self.draws if self.exact else (reached + 1) / (self.draws + 1))

    def _bits(self, some: slice, rng: np.random.Generator) -> NDArray[np.uint8]:
        if self.exact:
            bits = np.arange(self.draws)[:, None] >> np.arange(some.start, some.stop) & 1
            return bits.astype(np.uint8)
        width = some.stop - some.start
        drawn = np.frombuffer(rng.bytes(self.draws * -(-width // 8)), np.uint8)
        return np.unpackbits(drawn.reshape(self.draws, -1), axis=1, count=width)
