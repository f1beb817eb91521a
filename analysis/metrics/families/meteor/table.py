"""METEOR's paraphrases: looked up in a table that is made once and mapped into memory."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.encoding.embeddings import write_whole
from analysis.metrics.families.meteor.files import Files, digest
from analysis.metrics.families.meteor.table_building import WORD_BITS, Arrays, Numbers, build_table


class Phrases(NamedTuple):
    """Phrases of the table in a text: where each begins, how many words it has, and its node."""

    places: Numbers
    lengths: Numbers
    nodes: Numbers


class Table:
    """The tree of phrases, and the paraphrases of each."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._numbers = {word.decode(): n for n, word in enumerate(arrays.words.tolist())}

    def phrases(self, words: Sequence[str]) -> Phrases:
        """All that the text has, in order; a word that the table does not know is in none."""
        numbers = np.array([self._numbers.get(word, -1) for word in words], dtype=np.int64)
        places = np.flatnonzero(numbers >= 0)
        nodes, length = numbers[places] + 1, 1
        found = []
        while len(places):
            found.append(np.stack([places, np.full_like(places, length), nodes]))
            places, nodes = self._longer(places, nodes, numbers, length)
            length += 1
        every = np.concatenate([np.empty((3, 0), dtype=np.int64), *found], axis=1)
        return Phrases(*every[:, np.lexsort(every[1::-1])])

    def _longer(
        self, places: Numbers, nodes: Numbers, numbers: Numbers, length: int
    ) -> tuple[Numbers, Numbers]:
        """Those phrases that go on with the word after them."""
        inside = places + length < len(numbers)
        places, nodes = places[inside], nodes[inside]
        following = numbers[places + length]
        branches = self._arrays.branches
        wanted = np.where(following < 0, -1, nodes << WORD_BITS | following)
        index = np.searchsorted(branches, wanted).clip(max=len(branches) - 1)
        known = branches[index] == wanted
        return places[known], index[known] + 1

    def paraphrases(self, nodes: Numbers) -> dict[int, dict[int, int]]:
        """Of each of these phrases those of its paraphrases that are among them, with their rank.

        The rank is the order of METEOR's own table.
        """
        nodes = np.unique(nodes)
        starts = self._arrays.starts[nodes]
        counts = self._arrays.starts[nodes + 1] - starts
        ends = np.cumsum(counts)
        places = np.arange(counts.sum()) + np.repeat(starts - (ends - counts), counts)
        of, to = np.repeat(nodes, counts), self._arrays.paraphrases[places]
        known = np.isin(to, nodes)
        related: dict[int, dict[int, int]] = {}
        for phrase, paraphrase in zip(of[known].tolist(), to[known].tolist(), strict=True):
            row = related.setdefault(phrase, {})
            row[paraphrase] = len(row)
        return related


def open_table(files: Files, folder: Path) -> Table:
    """The table, made of METEOR's file unless somebody has made it before."""
    home = folder / f"meteor-{digest(files)}"
    if not _is_whole(home):
        _make(files.paraphrases, home)
    return Table(Arrays(*(np.asarray(np.load(path, mmap_mode="r")) for path in _paths(home))))


def _paths(home: Path) -> list[Path]:
    return [home / f"{name}.npy" for name in Arrays._fields]


def _is_whole(home: Path) -> bool:
    return all(path.is_file() for path in _paths(home))


def _make(source: Path, home: Path) -> None:
    """One process makes it while the others wait; each file appears whole or not at all."""
    home.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not _is_whole(home):
            arrays: Sequence[NDArray[Any]] = build_table(source)
            for path, array in zip(_paths(home), arrays, strict=True):
                write_whole(path, partial(np.save, arr=array))
    finally:
        os.close(descriptor)
