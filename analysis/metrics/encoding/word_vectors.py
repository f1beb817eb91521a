"""Vectors of words out of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.registry import MetricUnavailable


class WordVectors:
    """Vectors of words out of a text file: a word and its numbers in each line.

    Only words that are asked for are kept: a whole file takes gigabytes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, NDArray[np.float32] | None] = {}

    @cached_property
    def signature(self) -> str:
        """Name, size, and the digest of the first lines: reading all of it takes a minute."""
        with self.path.open("rb") as file:
            digest = hashlib.sha256(file.read(1 << 20)).hexdigest()[:12]
        return f"{self.path.name}@{self.path.stat().st_size}-{digest}"

    def read(self, words: Iterable[str]) -> None:
        """Find the vectors of these words in one pass over the file."""
        wanted = set(words) - self._known.keys()
        if not wanted:
            return
        self._known |= dict.fromkeys(wanted)
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                word, _, numbers = line.partition(" ")
                if word in wanted:
                    self._known[word] = _unit(numbers, self.path)

    def cosine(self, one: str, other: str) -> float | None:
        """None where a word has no vector."""
        first, second = self._known.get(one), self._known.get(other)
        return None if first is None or second is None else float(first @ second)

    def distance(self, one: str, other: str) -> float:
        """1 − cosine; a word without a vector costs nothing, as in COAHA's authors' code."""
        cosine = self.cosine(one, other)
        return 0.0 if cosine is None else 1.0 - cosine


def _unit(numbers: str, path: Path) -> NDArray[np.float32]:
    try:
        vector = np.array(numbers.split(), dtype=np.float32)
    except ValueError as error:
        raise MetricUnavailable(f"{path} is not a file of word vectors: {error}") from error
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)
