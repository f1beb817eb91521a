"""Match the captions of a batch with their videos' frames and with their references.

Everything is read from the store of embeddings and done video by video, for all captions of a video
at once.  What is missing from the store is NaN in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from analysis.metrics.batch import Batch, Rows, Values
from analysis.metrics.encoding.embedding import Texts, groups
from analysis.metrics.encoding.embeddings import Vectors as StoredVectors
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.idf import EQUAL, Idf, inverse_document_frequencies
from analysis.metrics.matching import (
    Floats,
    Match,
    Stack,
    Vectors,
    match_references,
    match_videos,
    similarities,
    video_vector,
)
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.settings import Settings

POOLS = ("mean", "max", "min", "knn", "kmeans")
_VIDEOS_AT_ONCE = 64
_MATCHED_AT_ONCE = 8  # their tokens fit into the processor's cache
_ROUNDS = 100
# Two frames of a cluster of two are equally near its centre: the one nearer the video's mean wins.
_TIE = 1e-4


def pooled_cosines(batch: Batch, settings: Settings, encoder: Encoder) -> dict[str, Values]:
    """Cosines of each caption with its video's frames, pooled in every way there is."""
    pooled = {pool: np.full(len(batch), np.nan) for pool in POOLS}
    captions = sentences(encoder.texts, batch.captions)
    for rows, frames in _videos(batch, settings, encoder):
        by_video = [captions[own] @ seen.T for own, seen in zip(rows, frames, strict=True)]
        representatives = representative_frames(frames, settings.clusters)
        found = _pools(
            np.concatenate(by_video).astype(np.float64),
            np.repeat(representatives, _sizes(rows), axis=0),
            settings.neighbours,
        )
        for pool, values in found.items():
            pooled[pool][np.concatenate(rows)] = values
    return pooled


def _pools(cosines: Floats, representatives: Rows, neighbours: int) -> dict[str, Values]:
    """Each row a caption, each column a frame; the representatives differ from row to row."""
    count = cosines.shape[1]
    nearest = min(neighbours, count)
    return {
        "mean": cosines.mean(axis=1),
        "max": cosines.max(axis=1),
        "min": cosines.min(axis=1),
        "knn": np.partition(cosines, -nearest, axis=1)[:, -nearest:].mean(axis=1),
        "kmeans": np.take_along_axis(cosines, representatives, axis=1).mean(axis=1),
    }


def video_cosines(
    batch: Batch, settings: Settings, encoder: Encoder, texts: Sequence[str]
) -> Values:
    """Cosine of a text for each row with the row's video as a whole."""
    cosines = np.full(len(batch), np.nan)
    vectors = sentences(encoder.texts, texts)
    for rows, frames in _videos(batch, settings, encoder):
        for own, whole in zip(rows, video_vector(frames), strict=True):
            cosines[own] = vectors[own] @ whole
    return cosines


def reference_cosines(batch: Batch, texts: Texts, spoken: Callable[[str], str] = str) -> Floats:
    """Cosine of each caption (rows) with each of its references; NaN where there are fewer.

    ``spoken`` is what is embedded of a text, for metrics that put words before it.
    """
    cosines = _blank(batch)
    told = [batch.references.get(video, ()) for video in batch.rows_by_video]
    captions = sentences(texts, [spoken(text) for text in batch.captions])
    references = sentences(texts, [spoken(text) for own in told for text in own])
    end = 0
    for rows, own in zip(batch.rows_by_video.values(), told, strict=True):
        begin, end = end, end + len(own)
        cosines[rows, : len(own)] = captions[rows] @ references[begin:end].T
    return cosines


def match_with_videos(batch: Batch, settings: Settings, encoder: Encoder) -> Match:
    """Tokens of each caption against the frames of its video; one column."""
    weights = token_weights(batch, settings, encoder)
    found = Match(*(np.full((len(batch), 1), np.nan) for _ in range(3)))
    for rows, frames in _videos(batch, settings, encoder, _MATCHED_AT_ONCE):
        captions = _stack(encoder.texts, _captions(batch, rows), weights)
        by_video = list(map(similarities, captions.split(_sizes(rows)), frames))
        videos = np.repeat(video_vector(frames), _sizes(rows), axis=0)
        match = match_videos(captions, videos, np.concatenate(by_video))
        _fill(found, np.concatenate(rows), match)
    return found


def match_with_references(batch: Batch, settings: Settings, encoder: Encoder) -> Match:
    """Tokens of each caption against those of each of its references."""
    weights = token_weights(batch, settings, encoder)
    found = Match(_blank(batch), _blank(batch), _blank(batch))
    videos = [video for video in batch.rows_by_video if batch.references.get(video)]
    for group in groups(videos, _MATCHED_AT_ONCE):
        rows = [batch.rows_by_video[video] for video in group]
        told = [batch.references[video] for video in group]
        captions = _stack(encoder.texts, _captions(batch, rows), weights).split(_sizes(rows))
        references = _stack(encoder.texts, chain(*told), weights).split(_sizes(told))
        for own, match in zip(rows, map(match_references, captions, references), strict=True):
            _fill(found, own, match)
    return found


def token_weights(batch: Batch, settings: Settings, encoder: Encoder) -> Idf:
    """The weights of tokens, counted in the batch's corpus."""
    if settings.idf == "none":
        return EQUAL
    tokens = [encoder.texts[text].marks for text in batch.corpus_texts()]
    if any(len(marks) == 1 for marks in tokens[:1]):
        raise MetricUnavailable(f"the model {encoder.signature} gives no vectors of single tokens")
    return inverse_document_frequencies(tokens, settings.idf)


def sentences(texts: Texts, wanted: Sequence[str]) -> Vectors:
    """The vectors of whole texts, one per row."""
    if not wanted:
        return np.zeros((0, 1), np.float32)
    return np.concatenate([texts[text].vectors[-1:] for text in wanted], dtype=np.float32)


def _stack(texts: Texts, wanted: Iterable[str], weights: Idf) -> Stack:
    embeddings = [texts[text] for text in wanted]
    tokens = np.concatenate([embedding.marks for embedding in embeddings])
    return Stack.of([embedding.vectors for embedding in embeddings], [weights(tokens)])


def _captions(batch: Batch, rows: Sequence[Rows]) -> list[str]:
    return [batch.captions[row] for own in rows for row in own]


def _sizes(parts: Sequence[Sized]) -> list[int]:
    return [len(part) for part in parts]


def _videos(
    batch: Batch, settings: Settings, encoder: Encoder, at_once: int = _VIDEOS_AT_ONCE
) -> Iterator[tuple[list[Rows], Vectors]]:
    """The videos in the store, those with equally many frames together, some at a time.

    For each of them the rows of its captions; for all of them the frames, one video per row.
    """
    embedded = encoder.frames(settings.frames)
    if embedded.fault:
        raise MetricUnavailable(embedded.fault)
    by_count: dict[int, list[tuple[Rows, StoredVectors]]] = {}
    for video, rows in batch.rows_by_video.items():
        if video in batch.files and batch.files[video] in embedded:
            frames = embedded[batch.files[video]].vectors
            by_count.setdefault(len(frames), []).append((rows, frames))
    for alike in by_count.values():
        for group in groups(alike, at_once):
            stacked = np.stack([frames for _, frames in group], dtype=np.float32)
            yield [rows for rows, _ in group], stacked


def _blank(batch: Batch) -> Floats:
    columns = max((len(texts) for texts in batch.references.values()), default=0)
    return np.full((len(batch), max(columns, 1)), np.nan)


def _fill(found: Match, rows: Rows, match: Match) -> None:
    columns = match.precision.shape[1]
    found.precision[rows, :columns] = match.precision
    found.recall[rows, :columns] = match.recall
    found.coarse[rows, :columns] = match.coarse


def representative_frames(frames: NDArray[np.float32], clusters: int) -> NDArray[np.intp]:
    """Which frames represent each video (vision-language-2022, section 2.3).

    Lloyd's algorithm from a start that needs no random numbers: the frame nearest the mean, then
    again and again the frame farthest from those chosen.  The order of frames plays no part.

    Parameters
    ----------
    frames : (videos, frames, dimensions)
    clusters : how many; with no more frames than that, every frame represents itself

    Returns
    -------
    (videos, clusters) places of the representatives
    """
    videos, count, _ = frames.shape
    if count <= clusters:
        return np.broadcast_to(np.arange(count), (videos, count))
    products = _products(frames)
    centres = _one_each(_spread(products, clusters), count)
    nearest = _distances(products, centres).argmin(axis=2)
    for _ in range(_ROUNDS):
        centres = _means(nearest, centres)
        moved = _distances(products, centres).argmin(axis=2)
        if (moved == nearest).all():
            break
        nearest = moved
    distances = _distances(products, centres) + _TIE * _distances(products, _mean(count))
    representatives: NDArray[np.intp] = distances.argmin(axis=1)
    return representatives


def _products(frames: NDArray[np.float32]) -> Floats:
    """Of every frame with every other: all that distances depend on, in far fewer numbers.

    In double precision, because in single precision rounding would decide the ties.
    """
    precise = frames.astype(np.float64)
    products: Floats = precise @ precise.transpose(0, 2, 1)
    return products


def _distances(products: Floats, centres: Floats) -> Floats:
    """Squared: (videos, frames, centres), a centre being the share that each frame has in it."""
    with_frames = centres @ products
    lengths: Floats = (with_frames * centres).sum(axis=2)[:, None, :]
    own: Floats = np.einsum("vff->vf", products)[:, :, None]
    return lengths + own - 2 * with_frames.transpose(0, 2, 1)


def _one_each(chosen: NDArray[np.intp], count: int) -> Floats:
    """Centres that are frames."""
    centres: Floats = (chosen[:, :, None] == np.arange(count)).astype(np.float64)
    return centres


def _mean(count: int) -> Floats:
    """The one centre that all frames share."""
    return np.full((1, 1, count), 1 / count)


def _spread(products: Floats, clusters: int) -> NDArray[np.intp]:
    count = products.shape[1]
    first = _distances(products, _mean(count)).argmin(axis=1)
    chosen = [first[:, 0]]
    distance = np.full(products.shape[:2], np.inf)
    for _ in range(1, clusters):
        latest = _one_each(chosen[-1][:, None], count)
        distance = np.minimum(distance, _distances(products, latest)[:, :, 0])
        chosen.append(distance.argmax(axis=1))
    return np.stack(chosen, axis=1)


def _means(nearest: NDArray[np.intp], centres: Floats) -> Floats:
    """The mean of each cluster's frames; an empty cluster stays where it is."""
    belongs = (nearest[:, None, :] == np.arange(centres.shape[1])[None, :, None]).astype(np.float64)
    sizes = belongs.sum(axis=2, keepdims=True)
    return np.where(sizes > 0, belongs / np.maximum(sizes, 1), centres)
