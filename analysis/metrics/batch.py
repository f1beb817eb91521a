"""What is scored: captions, the video each belongs to, and the references of the videos."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Rows = NDArray[np.intp]
References = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Batch:
    """Captions to score.

    Parameters
    ----------
    captions : the texts, one per row
    videos : the video of each row
    references : the references of each video that has any
    corpus : one document per video, from which document frequencies are counted; the references,
        unless another corpus is given
    """

    captions: Sequence[str]
    videos: Sequence[str]
    references: References
    corpus: References

    def __post_init__(self) -> None:
        if len(self.captions) != len(self.videos):
            raise ValueError("captions and videos must have the same length")

    def __len__(self) -> int:
        return len(self.captions)

    def take(self, rows: Rows) -> Batch:
        """The batch of these rows only."""
        return Batch(
            [self.captions[row] for row in rows],
            [self.videos[row] for row in rows],
            self.references,
            self.corpus,
        )

    def rows_with_references(self) -> Rows:
        return np.array(
            [row for row, video in enumerate(self.videos) if self.references.get(video)],
            dtype=np.intp,
        )

    def corpus_digest(self) -> str:
        """Tells one corpus from another in a signature."""
        digest = hashlib.sha256()
        for video in sorted(self.corpus):
            for text in self.corpus[video]:
                digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
            digest.update(b"\1")
        return digest.hexdigest()[:8]
