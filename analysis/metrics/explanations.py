"""Why EMScore says what it says: which frame each token matched, and which token each frame.

Everything is read from the store; no model is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.metrics.batch import VideoFile
from analysis.metrics.encoding.encoder import Encoder
from analysis.metrics.families.emscore import emscores
from analysis.metrics.idf import Idf
from analysis.metrics.matching import Floats, Match, Vectors, video_vector

_DIGITS = 4  # of a similarity; more are noise


@dataclass(frozen=True)
class Matched:
    """A token or a frame with its best match on the other side."""

    name: str
    weight: float
    best: int
    similarity: float


@dataclass(frozen=True)
class Explanation:
    """The matches behind fine precision (tokens) and fine recall (frames) of one caption.

    Parameters
    ----------
    tokens, frames : each with its best match
    times : milliseconds at which the frames are shown
    similarity : of every token (rows) with every frame (columns)
    score, coarse, f, precision, recall : EMScore and its parts; None where not defined
    is_cut : whether the model read only the beginning of the caption
    """

    tokens: list[Matched]
    frames: list[Matched]
    times: list[int]
    similarity: list[list[float]]
    score: float | None
    coarse: float | None
    f: float | None
    precision: float | None
    recall: float | None
    is_cut: bool


def explain(
    caption: str, video: VideoFile, encoder: Encoder, chosen: str, weights: Idf
) -> Explanation:
    """What matched the frames of a video, ``chosen`` as ``uniform:16`` says.

    Precision is the weighted mean of the tokens' similarities, recall the frames' mean.

    Shi et al. 2022, EMScore, equations 4-10 and figure 7.
    """
    text, pictures = encoder.texts[caption], encoder.frames(chosen)[video]
    words, frames = (np.asarray(each.vectors, np.float32) for each in (text, pictures))
    similarity = words @ frames.T
    weight = weights(text.marks)
    match = _match(similarity, weight, float(words[-1] @ video_vector(frames)))
    parts, is_cut = emscores(match, "each"), encoder.cuts(caption)
    tokens, times = text.marks.tolist(), pictures.marks.tolist()
    return Explanation(
        tokens=_matches([encoder.token_text(token) for token in tokens], weight, similarity),
        frames=_matches([seconds(time) for time in times], np.ones(len(times)), similarity.T),
        times=times,
        similarity=similarity.astype(np.float64).round(_DIGITS).tolist(),
        score=None if is_cut else _defined(parts[""]),
        coarse=None if is_cut else _defined(parts["_c"]),
        f=None if is_cut else _defined(parts["_f"]),
        precision=None if is_cut else _defined(parts["_p"]),
        recall=None if is_cut else _defined(parts["_r"]),
        is_cut=is_cut,
    )


def without_unmatched_frames(whole: Explanation) -> Explanation:
    """With those frames alone that a token matched: every frame of a long video is too many."""
    kept = sorted({token.best for token in whole.tokens})
    place = {frame: number for number, frame in enumerate(kept)}
    return replace(
        whole,
        tokens=[replace(token, best=place[token.best]) for token in whole.tokens],
        frames=[whole.frames[frame] for frame in kept],
        times=[whole.times[frame] for frame in kept],
        similarity=[[row[frame] for frame in kept] for row in whole.similarity],
    )


def seconds(milliseconds: int) -> str:
    """
    >>> seconds(1250)
    '1.25 s'
    """
    return f"{milliseconds / 1000:.2f} s"


def _matches(names: list[str], weights: Floats, similarity: Vectors) -> list[Matched]:
    best = similarity.argmax(axis=1)
    return [
        Matched(name, float(weight), int(place), float(similarity[row, place]))
        for row, (name, weight, place) in enumerate(zip(names, weights, best, strict=True))
    ]


def _match(similarity: Vectors, weight: Floats, coarse: float) -> Match:
    """One caption and one video; NaN where every token weighs nothing."""
    found = similarity.max(axis=1).astype(np.float64)
    precision = weight @ found / weight.sum() if weight.any() else np.nan
    recall = similarity.max(axis=0).mean(dtype=np.float64)
    return Match(*(np.full((1, 1), part) for part in (precision, recall, coarse)))


def _defined(value: Floats) -> float | None:
    return None if np.isnan(value[0]) else float(value[0])
