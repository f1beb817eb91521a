"""Embed what is not embedded yet: frames of videos, tokens of texts, in large batches.

Work is cut into groups, and a group is stored whole.  How batches are put together depends on the
group alone, never on what an interrupted run left behind, because the last bits of an embedding
depend on its neighbours in the batch: started again, a run ends with the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analysis.metrics.batch import Span, VideoFile
from analysis.metrics.encoding.decoding import Decoded, decode_ahead
from analysis.metrics.encoding.embeddings import Embedding, Space, key_of
from analysis.metrics.encoding.sampling import Sampling
from analysis.metrics.registry import MetricUnavailable

GROUP_VIDEOS = 16
GROUP_TEXTS = 2048
_IMAGES_AT_ONCE = 64
_TEXTS_AT_ONCE = 128
_DECODERS = 2
_FRAMES_AHEAD = 32
_KEYS_KNOWN = 1 << 18
_TEXTS_KNOWN = 1 << 16

Item = TypeVar("Item")
Progress = Callable[[int, int], None]


class TextEncoder(Protocol):
    """Turns texts into vectors of their tokens."""

    def encode_texts(self, texts: Sequence[str]) -> list[Embedding]: ...


class ImageEncoder(Protocol):
    """Turns images into vectors; they are prepared one by one, in any thread."""

    def prepare(self, image: Image.Image) -> Any: ...
    def encode_images(self, images: Sequence[Any]) -> NDArray[np.float32]: ...


class Encoders(TextEncoder, ImageEncoder, Protocol):
    """An image–text model."""


def groups(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """
    >>> list(groups("abc", 2))
    [['a', 'b'], ['c']]
    """
    remaining = iter(items)
    while group := list(islice(remaining, size)):
        yield group


class Texts:
    """The embeddings of texts by one model."""

    def __init__(
        self, space: Space, encoder: Callable[[], TextEncoder], beneath: Texts | None = None
    ) -> None:
        """``beneath`` holds texts that need not be embedded here again."""
        self.space = space
        self.beneath = beneath
        self.fault = ""
        self.embedded = 0
        self._encoder = encoder
        self._key = lru_cache(_KEYS_KNOWN)(lambda text: key_of("text", text))
        # Every kind of metric reads a batch's texts anew, and what is stored never changes.
        self._read = lru_cache(_TEXTS_KNOWN)(self._look_up)

    def __getitem__(self, text: str) -> Embedding:
        return self._read(text)

    def _look_up(self, text: str) -> Embedding:
        if self.beneath is not None and text in self.beneath:
            return self.beneath[text]
        try:
            return self.space[self._key(text)]
        except KeyError:
            raise MetricUnavailable(self.fault or "not all texts are embedded") from None

    def __contains__(self, text: str) -> bool:
        known = self.beneath is not None and text in self.beneath
        return known or self._key(text) in self.space

    def missing(self, texts: Iterable[str]) -> list[str]:
        texts = self.beneath.missing(texts) if self.beneath is not None else texts
        by_key = {self._key(text): text for text in texts}
        return [by_key[key] for key in self.space.missing(by_key)]

    def embed(self, texts: Iterable[str], progress: Progress | None = None) -> None:
        """Embed those texts that nobody has embedded yet; ``fault`` says if the model fails."""
        wanted = list(dict.fromkeys(texts))
        for done, group in enumerate(groups(wanted, GROUP_TEXTS)):
            try:
                self.embed_group(group)
            except MetricUnavailable as unavailable:
                self.fault = str(unavailable)
                return
            if progress:
                progress(min((done + 1) * GROUP_TEXTS, len(wanted)), len(wanted))

    def embed_group(self, texts: Sequence[str]) -> None:
        # Texts of like length together: little padding.
        missing = sorted(self.missing(texts), key=lambda text: (len(text), text))
        found: dict[str, Embedding] = {}
        for batch in groups(missing, _TEXTS_AT_ONCE):
            found.update(
                zip(map(self._key, batch), self._encoder().encode_texts(batch), strict=True)
            )
            self.embedded += len(batch)
        self.space.put(found)


def _within(frames: Embedding, span: Span) -> Embedding:
    """The frames between two times; where there are none, the one nearest their middle."""
    seconds = np.asarray(frames.marks) / 1000
    chosen = np.flatnonzero((seconds >= span.start) & (seconds < span.end))
    if not len(chosen):
        chosen = np.array([np.abs(seconds - (span.start + span.end) / 2).argmin()])
    return Embedding(frames.vectors[chosen], frames.marks[chosen])


class Frames:
    """The embeddings of videos' frames by one model, with one way of choosing frames."""

    def __init__(
        self, space: Space, encoder: Callable[[], ImageEncoder], sampling: Sampling
    ) -> None:
        self.space = space
        self.sampling = sampling
        self.fault = ""
        self.embedded = 0
        self._encoder = encoder
        self._key_of_content = lru_cache(_KEYS_KNOWN)(
            lambda sha256: key_of("video", sha256, str(sampling))
        )

    def __getitem__(self, video: VideoFile) -> Embedding:
        whole = self.space[self._key(video)]
        return whole if video.span is None else _within(whole, video.span)

    def __contains__(self, video: VideoFile) -> bool:
        return self._key(video) in self.space

    def _key(self, video: VideoFile) -> str:
        return self._key_of_content(video.sha256)

    def missing(self, videos: Iterable[VideoFile]) -> list[VideoFile]:
        """Those that nobody has embedded yet, each once."""
        by_key = {self._key(video): video for video in videos}
        return [by_key[key] for key in self.space.missing(by_key)]

    def embed(
        self, videos: Mapping[str, VideoFile], progress: Progress | None = None
    ) -> dict[str, str]:
        """Embed those videos that nobody has embedded yet; returns what is wrong with which."""
        faults: dict[str, str] = {}
        for done, group in enumerate(groups(videos, GROUP_VIDEOS)):
            try:
                faults |= self.embed_group({name: videos[name] for name in group})
            except MetricUnavailable as unavailable:
                self.fault = str(unavailable)
                break
            if progress:
                progress(min((done + 1) * GROUP_VIDEOS, len(videos)), len(videos))
        return faults

    def embed_group(self, videos: Mapping[str, VideoFile]) -> dict[str, str]:
        found, faults = self._embed(self.missing(videos.values()))
        self.space.put(found)
        return {
            name: faults[key]
            for name, video in videos.items()
            if (key := self._key(video)) in faults
        }

    def _embed(self, videos: Sequence[VideoFile]) -> tuple[dict[str, Embedding], dict[str, str]]:
        """Frames of all these videos fill the batches; each video gets its own vectors back."""
        if not videos:
            return {}, {}
        encoder, collected = self._encoder(), [_Collected() for _ in videos]
        for batch in groups(self._pictures(videos, encoder, collected), _IMAGES_AT_ONCE):
            vectors = encoder.encode_images([picture.frame for picture in batch])
            self.embedded += len(batch)
            for picture, vector in zip(batch, vectors, strict=True):
                collected[picture.video].vectors.append(vector)
                collected[picture.video].marks.append(round(picture.seconds * 1000))
        results = dict(zip(map(self._key, videos), collected, strict=True))
        return (
            {key: result.embedding() for key, result in results.items() if not result.fault},
            {key: result.fault for key, result in results.items() if result.fault},
        )

    def _pictures(
        self, videos: Sequence[VideoFile], encoder: ImageEncoder, collected: Sequence[_Collected]
    ) -> Iterator[Decoded[Any]]:
        paths = [video.path for video in videos]
        for decoded in decode_ahead(
            paths, self.sampling, encoder.prepare, decoders=_DECODERS, ahead=_FRAMES_AHEAD
        ):
            if decoded.frame is not None:
                yield decoded
            collected[decoded.video].fault = decoded.fault


@dataclass
class _Collected:
    """What has come of a video so far."""

    vectors: list[NDArray[np.float32]] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    fault: str = ""

    def embedding(self) -> Embedding:
        return Embedding(np.stack(self.vectors), np.array(self.marks, np.int32))
