"""A few frames that stand for a whole video: those nearest the centres of k-means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDS = 100
# Two frames of a cluster of two are equally near its centre: the one nearer the video's mean wins.
_TIE = 1e-4


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
