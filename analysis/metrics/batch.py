"""What is scored: captions, the video each belongs to, and the references of the videos."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Rows = NDArray[np.intp]
References = Mapping[str, Sequence[str]]
MISSING = "missing"
_SHARE = 0.4  # of a reference, to belong to a part
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def sentences_of(text: str) -> list[str]:
    """
    >>> sentences_of("A dog barks. It runs ! Off it goes")
    ['A dog barks.', 'It runs !', 'Off it goes']
    """
    return [part for part in _SENTENCE_END.split(text.strip()) if part] or [text]


def _split(references: References) -> dict[str, list[str]]:
    return {
        video: [part for text in texts for part in sentences_of(text)]
        for video, texts in references.items()
    }


class Span(NamedTuple):
    """Seconds of a video."""

    start: float
    end: float

    def holds(self, other: Span) -> bool:
        """Whether more than 40 % of another's whole seconds lie in this one, as EMScore's authors
        count for ActivityNet.

        >>> Span(0, 10).holds(Span(8, 12)), Span(0, 10).holds(Span(7, 12))
        (True, True)
        >>> Span(0, 10).holds(Span(8, 13))
        False
        """
        own, wanted = self._seconds, other._seconds
        return len(own & wanted) > _SHARE * len(wanted)

    @property
    def _seconds(self) -> set[int]:
        return set(range(int(self.start), int(self.end))) or {int(self.start)}


@dataclass(frozen=True)
class VideoFile:
    """A video, or the part of it between two times, and the digest of its bytes under which its
    frames are kept."""

    path: Path
    sha256: str
    span: Span | None = None

    @classmethod
    def of(cls, path: Path) -> VideoFile:
        """A file that is not there has a digest all the same; decoding it will be the fault."""
        if not path.is_file():
            return cls(path, MISSING)
        with path.open("rb") as file:
            return cls(path, hashlib.file_digest(file, "sha256").hexdigest())


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
    files : the file of each video that has one
    """

    captions: Sequence[str]
    videos: Sequence[str]
    references: References
    corpus: References
    files: Mapping[str, VideoFile] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.captions) != len(self.videos):
            raise ValueError("captions and videos must have the same length")

    def __len__(self) -> int:
        return len(self.captions)

    def take(self, rows: Rows) -> Batch:
        """The batch of these rows only."""
        return replace(
            self,
            captions=[self.captions[row] for row in rows],
            videos=[self.videos[row] for row in rows],
        )

    def by_sentences(self) -> tuple[Batch, Rows]:
        """Every sentence of captions, references and corpus by itself, and the row that each
        caption's sentence comes from."""
        parts = [sentences_of(text) for text in self.captions]
        owner = np.repeat(np.arange(len(self)), [len(own) for own in parts])
        return replace(
            self,
            captions=list(chain.from_iterable(parts)),
            videos=[self.videos[row] for row in owner.tolist()],
            references=_split(self.references),
            corpus=_split(self.corpus),
        ), owner

    def corpus_texts(self) -> list[str]:
        """What rare words are counted in: the corpus, or for want of one the captions."""
        return list(chain.from_iterable(self.corpus.values())) or list(self.captions)

    @cached_property
    def rows_by_video(self) -> dict[str, Rows]:
        rows: dict[str, list[int]] = {}
        for row, video in enumerate(self.videos):
            rows.setdefault(video, []).append(row)
        return {video: np.array(places, dtype=np.intp) for video, places in rows.items()}

    def texts(self) -> list[str]:
        """The captions, and the references of their videos."""
        videos = dict.fromkeys(self.videos)
        return [*self.captions, *(text for v in videos for text in self.references.get(v, ()))]

    def rows_with_references(self) -> Rows:
        return np.array(
            [row for row, video in enumerate(self.videos) if self.references.get(video)],
            dtype=np.intp,
        )

    @cached_property
    def reference_counts(self) -> frozenset[int]:
        """How many references the videos have that have any."""
        videos = dict.fromkeys(self.videos)
        return frozenset(len(self.references.get(video, ())) for video in videos) - {0}

    @cached_property
    def corpus_digest(self) -> str:
        """Tells one corpus from another in a signature."""
        digest = hashlib.sha256()
        for video in sorted(self.corpus):
            for text in self.corpus[video]:
                digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
            digest.update(b"\1")
        return digest.hexdigest()[:8]
