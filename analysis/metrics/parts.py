"""Captions that come in parts, each about some seconds of its video (emscore-2022, ActivityNet).

A part is scored against the frames between its times and the references that belong to it; a
caption's score is the mean over its parts. Frames are embedded once for the whole video.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Span, Values, VideoFile
from analysis.metrics.files import Captions, Timed
from analysis.metrics.registry import Need, families_of
from analysis.metrics.scoring import Scores
from analysis.metrics.settings import Settings

References = Mapping[str, Mapping[str, Timed]]
MIDDLE = "middle"


def batch_of(
    captions: Captions,
    references: References,
    corpus: References,
    files: Mapping[str, VideoFile],
) -> Batch:
    """What metrics score: each part of a video as if it were a video of its own."""
    names = [_name(video, span) for video, span in _shown(captions)]
    shown = dict(zip(names, _shown(captions), strict=True))
    told = {name: belonging(references.get(video, {}), span)
            for name, (video, span) in shown.items()}  # fmt: skip
    seen = {name: replace(files[video], span=span)
            for name, (video, span) in shown.items() if video in files}  # fmt: skip
    counted = {video: belonging(named, None) for video, named in corpus.items()}
    there = {name: texts for name, texts in told.items() if texts}
    whole = {video: texts for video, texts in counted.items() if texts}
    return Batch(captions.texts, names, there, whole, seen)


def belonging(references: Mapping[str, Timed], span: Span | None) -> list[str]:
    """The references of a part: those that mostly lie in it, or all where none does.

    >>> told = {"a": ("early", Span(0, 4)), "b": ("late", Span(4, 9))}
    >>> belonging(told, Span(0, 5)), belonging(told, Span(20, 30))
    (['early'], ['early', 'late'])
    """
    own = [text for text, when in references.values() if span and when and span.holds(when)]
    return own or [text for text, _ in references.values()]


def _shown(captions: Captions) -> list[tuple[str, Span | None]]:
    spans: Sequence[Span | None] = captions.spans or [None] * len(captions.videos)
    return list(zip(captions.videos, spans, strict=True))


def _name(video: str, span: Span | None) -> str:
    return video if span is None else f"{video} ({span.start:g}–{span.end:g} s)"


@dataclass(frozen=True)
class Whole:
    """The captions that parts make up, in the order of the file."""

    parts: Captions

    @property
    def captions(self) -> Captions:
        if not self.parts.are_parts:
            return self.parts
        texts: dict[tuple[str, str], list[str]] = {}
        for key, text in zip(self._keys, self.parts.texts, strict=True):
            texts.setdefault(key, []).append(text)
        videos, systems = ([key[side] for key in texts] for side in (0, 1))
        return Captions(videos, systems, [" ".join(own) for own in texts.values()])

    def scores(self, found: Scores) -> Scores:
        """The mean over the parts of each caption; none where a part has none."""
        if not self.parts.are_parts:
            return found
        owner = self._owner
        sizes = np.bincount(owner)
        means: dict[str, Values] = {
            name: np.bincount(owner, values) / sizes for name, values in found.values.items()
        }
        note = f"each caption's score is the mean over its parts: {len(owner):,} parts of "
        return replace(
            found,
            values=means,
            signatures={name: f"{made}|parts:mean" for name, made in found.signatures.items()},
            notes=[*found.notes, f"{note}{len(sizes):,} captions"],
        )

    def refuse(self, metrics: Sequence[str], settings: Settings) -> None:
        """The frame in the middle is that of the whole video, whatever the part."""
        if any(self.parts.spans):
            refuse_middle(metrics, settings)

    @property
    def _keys(self) -> list[tuple[str, str]]:
        return list(zip(self.parts.videos, self.parts.systems, strict=True))

    @property
    def _owner(self) -> NDArray[np.intp]:
        number: dict[tuple[str, str], int] = {}
        places = [number.setdefault(key, len(number)) for key in self._keys]
        return np.array(places, dtype=np.intp)


def refuse_middle(metrics: Sequence[str], settings: Settings) -> None:
    """Refuse metrics that look at the frame in the middle of the file, whatever the part."""
    for family, names in families_of(metrics).items():
        if Need.VIDEO in family.needs and family.frames(settings) == MIDDLE:
            raise ValueError(
                f"{names[0]} looks at the frame in the middle of the whole video, which says "
                "nothing of a part: leave it out, or choose other --frames"
            )
