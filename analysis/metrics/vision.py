"""Match the captions of a batch with their videos' frames and with their references.

Everything is read from the store of embeddings and done video by video, for all captions of a video
at once.  What is missing from the store is NaN in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from analysis.metrics.batch import Batch, Rows, Values
from analysis.metrics.clustering import representative_frames
from analysis.metrics.embedding import Texts, groups
from analysis.metrics.encoder import Encoder
from analysis.metrics.idf import EQUAL, Idf, inverse_document_frequencies
from analysis.metrics.matching import (
    Floats,
    Match,
    Stack,
    Vectors,
    match_references,
    match_video,
    similarities,
    video_vector,
)
from analysis.metrics.registry import MetricUnavailable
from analysis.metrics.settings import Settings

POOLS = ("image", "mean", "max", "min", "knn", "kmeans")
_VIDEOS_AT_ONCE = 256


def pooled_cosines(batch: Batch, settings: Settings, encoder: Encoder) -> dict[str, Values]:
    """Cosines of each caption with its video's frames, pooled in every way there is."""
    pooled = {pool: np.full(len(batch), np.nan) for pool in POOLS}
    for rows, frames, representatives in _videos(batch, encoder, settings.clusters):
        captions = sentences(encoder.texts, [batch.captions[row] for row in rows])
        cosines = (captions @ frames.T).astype(np.float64)
        nearest = min(settings.neighbours, len(frames))
        pooled["image"][rows] = cosines[:, len(frames) // 2]
        pooled["mean"][rows] = cosines.mean(axis=1)
        pooled["max"][rows] = cosines.max(axis=1)
        pooled["min"][rows] = cosines.min(axis=1)
        pooled["knn"][rows] = np.partition(cosines, -nearest, axis=1)[:, -nearest:].mean(axis=1)
        pooled["kmeans"][rows] = cosines[:, representatives].mean(axis=1)
    return pooled


def video_cosines(batch: Batch, encoder: Encoder, texts: Sequence[str]) -> Values:
    """Cosine of a text for each row with the row's video as a whole."""
    cosines = np.full(len(batch), np.nan)
    for rows, frames, _ in _videos(batch, encoder):
        vectors = sentences(encoder.texts, [texts[row] for row in rows])
        cosines[rows] = vectors @ video_vector(frames)
    return cosines


def reference_cosines(batch: Batch, texts: Texts, spoken: Callable[[str], str] = str) -> Floats:
    """Cosine of each caption (rows) with each of its references; NaN where there are fewer.

    ``spoken`` is what is embedded of a text, for metrics that put words before it.
    """
    cosines = _blank(batch)
    for video, rows in batch.rows_by_video().items():
        references = sentences(texts, [spoken(text) for text in batch.references.get(video, ())])
        captions = sentences(texts, [spoken(batch.captions[row]) for row in rows])
        cosines[rows, : len(references)] = captions @ references.T
    return cosines


def match_with_videos(batch: Batch, settings: Settings, encoder: Encoder) -> Match:
    """Tokens of each caption against the frames of its video; one column."""
    weights = token_weights(batch, settings, encoder)
    found = Match(*(np.full((len(batch), 1), np.nan) for _ in range(3)))
    for rows, frames, _ in _videos(batch, encoder):
        captions = _stack(encoder.texts, [batch.captions[row] for row in rows], weights)
        _fill(found, rows, match_video(captions, frames, similarities(captions, frames)))
    return found


def match_with_references(batch: Batch, settings: Settings, encoder: Encoder) -> Match:
    """Tokens of each caption against those of each of its references."""
    weights = token_weights(batch, settings, encoder)
    found = Match(_blank(batch), _blank(batch), _blank(batch))
    for video, rows in batch.rows_by_video().items():
        if batch.references.get(video):
            captions = _stack(encoder.texts, [batch.captions[row] for row in rows], weights)
            references = _stack(encoder.texts, batch.references[video], weights)
            _fill(found, rows, match_references(captions, references))
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
    return np.stack([texts[text].vectors[-1] for text in wanted]).astype(np.float32)


def _stack(texts: Texts, wanted: Sequence[str], weights: Idf) -> Stack:
    embeddings = [texts[text] for text in wanted]
    return Stack.of(
        [embedding.vectors.astype(np.float32) for embedding in embeddings],
        [weights(embedding.marks) for embedding in embeddings],
    )


def _videos(
    batch: Batch, encoder: Encoder, clusters: int = 0
) -> Iterator[tuple[Rows, Vectors, Rows]]:
    """Rows, frames and, if asked for, representative frames of every video in the store."""
    if encoder.frames.fault:
        raise MetricUnavailable(encoder.frames.fault)
    rows = batch.rows_by_video()
    known = [
        video for video in rows if video in batch.files and batch.files[video] in encoder.frames
    ]
    for group in groups(known, _VIDEOS_AT_ONCE):
        frames = [encoder.frames[batch.files[video]].vectors.astype(np.float32) for video in group]
        representatives = _representatives(frames, clusters)
        yield from zip([rows[video] for video in group], frames, representatives, strict=True)


def _representatives(frames: Sequence[Vectors], clusters: int) -> list[Rows]:
    """Videos with equally many frames are clustered together."""
    found: list[Rows] = [np.zeros(0, np.intp)] * len(frames)
    by_count: dict[int, list[int]] = {}
    for place, vectors in enumerate(frames):
        by_count.setdefault(len(vectors), []).append(place)
    for places in by_count.values() if clusters else ():
        chosen = representative_frames(np.stack([frames[place] for place in places]), clusters)
        for place, representatives in zip(places, chosen, strict=True):
            found[place] = representatives
    return found


def _blank(batch: Batch) -> Floats:
    columns = max((len(texts) for texts in batch.references.values()), default=0)
    return np.full((len(batch), max(columns, 1)), np.nan)


def _fill(found: Match, rows: Rows, match: Match) -> None:
    columns = match.precision.shape[1]
    found.precision[rows, :columns] = match.precision
    found.recall[rows, :columns] = match.recall
    found.coarse[rows, :columns] = match.coarse
