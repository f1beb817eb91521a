"""What decides the numbers, in one line to print beside them.

Two analyses with the same signature give the same numbers; two that differ say in what.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.stats.ratings import OPTIONAL, REQUIRED, Ratings

VERSION: Final = "1"
"""Of the method: raised whenever the same ratings and settings would give another number."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and values, in a fixed order."""

    parts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """
        >>> str(Signature((("test", "t"), ("alpha", "0.05"))))
        'test:t|alpha:0.05'
        """
        return "|".join(f"{name}:{value}" for name, value in self.parts)

    def as_dict(self) -> dict[str, str]:
        return dict(self.parts)

    @property
    def key(self) -> str:
        """A short fixed-length name for caches and file names."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:16]


def sign(ratings: Ratings, choices: Mapping[str, object]) -> Signature:
    """Signature of an analysis of these ratings with these choices."""
    parts = {
        "rows": len(ratings),
        "data": data_hash(ratings)[:16],
        "cutoff": cutoff(ratings) or "none",
        **choices,
        "version": VERSION,
    }
    return Signature(tuple((name, str(value)) for name, value in parts.items()))


def data_hash(ratings: Ratings) -> str:
    """SHA-256 of every column and label. Rows stand in canonical order: the file's is forgotten."""
    digest = hashlib.sha256()
    for name in (*REQUIRED, *OPTIONAL):
        column = getattr(ratings, name)
        if column is not None:
            little = np.ascontiguousarray(column.astype(column.dtype.newbyteorder("<"), copy=False))
            digest.update(f"{name}:{little.dtype.str}:{len(little)};".encode())
            digest.update(little.view(np.uint8).data)
    for labels in (ratings.annotators, ratings.hits, ratings.systems, ratings.items):
        digest.update(repr(labels).encode())
    return digest.hexdigest()


def cutoff(ratings: Ratings) -> str | None:
    """When the last of the ratings was given, where the ratings say so."""
    if ratings.submitted_at is None or np.isnat(ratings.submitted_at).all():
        return None
    return str(np.nanmax(ratings.submitted_at).astype("datetime64[s]")) + "Z"
