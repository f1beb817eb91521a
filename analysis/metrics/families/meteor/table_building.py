"""METEOR's paraphrases as a tree of words and lists of pairs, made once from its text file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

WORD_BITS = 24  # a branch is a node's number and the word it adds, in one number
_BLOCK = 1 << 24  # bytes of text read at a time


class Arrays(NamedTuple):
    """A phrase is a node of the tree, numbered from 1; the root is 0.

    Parameters
    ----------
    words : the words of all phrases; the first nodes are those of single words, in this order
    branches : of each node the node it continues and the word it adds, in ascending order
    starts : where the paraphrases of each node begin, the root's first; one more ends the last
    paraphrases : nodes, in the order of the file
    """

    words: NDArray[np.bytes_]
    branches: Numbers
    starts: NDArray[np.int32]
    paraphrases: NDArray[np.int32]


def build_table(source: Path) -> Arrays:
    """Read the file: for each pair of phrases a line with a probability, then one for each."""
    import pyarrow as pa

    said, meant = zip(*_pairs(source), strict=True)
    phrases = pa.chunked_array([*said, *meant]).unify_dictionaries()
    words, branches, nodes = _tree(phrases.chunk(0).dictionary)
    found = [nodes[chunk.indices.to_numpy()] for chunk in phrases.chunks]
    of, to = np.concatenate(found[: len(said)]), np.concatenate(found[len(said) :])
    counts = np.bincount(of, minlength=len(branches) + 1)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return Arrays(words, branches, starts, to[np.argsort(of, kind="stable")].astype(np.int32))


def _pairs(source: Path) -> Iterator[tuple[Any, Any]]:
    """Phrases and their paraphrases, block by block, each as places in a dictionary."""
    import pyarrow.csv as csv

    reader = csv.open_csv(
        source,
        csv.ReadOptions(column_names=["line"], block_size=_BLOCK),
        csv.ParseOptions(delimiter="\x01", quote_char=False, ignore_empty_lines=False),
        csv.ConvertOptions(column_types={"line": "string"}, strings_can_be_null=False),
    )
    row = 0
    for block in reader:
        lines = block.column(0)
        phrases, paraphrases = (
            lines.take(np.arange((place - row) % 3, len(lines), 3)).dictionary_encode()
            for place in (1, 2)
        )
        yield phrases, paraphrases
        row += len(lines)


def _tree(phrases: Any) -> tuple[NDArray[np.bytes_], Numbers, Numbers]:
    """The words, the branches of the tree, and the node of each phrase."""
    import pyarrow.compute as pc

    split = pc.ascii_split_whitespace(phrases)
    encoded = split.flatten().dictionary_encode()
    words, numbers = encoded.dictionary, encoded.indices.to_numpy().astype(np.int64)
    offsets = split.offsets.to_numpy()
    first, length = offsets[:-1], np.diff(offsets)
    nodes = numbers[first] + 1
    levels = [np.arange(len(words), dtype=np.int64)]  # every word continues the root
    for depth in range(1, length.max()):
        longer = length > depth
        branch = nodes[longer] << WORD_BITS | numbers[first[longer] + depth]
        new, place = np.unique(branch, return_inverse=True)
        nodes[longer] = sum(map(len, levels)) + 1 + place
        levels.append(new)
    return np.array(words.cast("binary").to_pylist()), np.concatenate(levels), nodes
