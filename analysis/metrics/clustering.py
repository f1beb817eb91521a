"""A few frames that stand for a whole video: those nearest the centres of k-means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
    centres = np.take_along_axis(frames, _spread(frames, clusters)[:, :, None], axis=1)
    nearest = _distances(frames, centres).argmin(axis=2)
    for _ in range(_ROUNDS):
        centres = _means(frames, nearest, centres)
        moved = _distances(frames, centres).argmin(axis=2)
        if (moved == nearest).all():
            break
        nearest = moved
    distances = _distances(frames, centres) + _TIE * _distances(frames, _mean(frames))
    representatives: NDArray[np.intp] = distances.argmin(axis=1)
    return representatives


def _distances(frames: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.float32]:
    """Squared: (videos, frames, centres)."""
    lengths: NDArray[np.float32] = (centres**2).sum(axis=2)[:, None, :] + (frames**2).sum(axis=2)[
        :, :, None
    ]
    return lengths - 2 * frames @ centres.transpose(0, 2, 1)


def _mean(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = frames.mean(axis=1, keepdims=True)
    return mean


def _spread(frames: NDArray[np.float32], clusters: int) -> NDArray[np.intp]:
    first = _distances(frames, _mean(frames)).argmin(axis=1)
    chosen = [first[:, 0]]
    distance = np.full(frames.shape[:2], np.inf, np.float32)
    for _ in range(1, clusters):
        latest = np.take_along_axis(frames, chosen[-1][:, None, None], axis=1)
        distance = np.minimum(distance, _distances(frames, latest)[:, :, 0])
        chosen.append(distance.argmax(axis=1))
    return np.stack(chosen, axis=1)


def _means(
    frames: NDArray[np.float32], nearest: NDArray[np.intp], centres: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The mean of each cluster's frames; an empty cluster stays where it is."""
    belongs = (nearest[:, None, :] == np.arange(centres.shape[1])[None, :, None]).astype(np.float32)
    sizes = belongs.sum(axis=2, keepdims=True)
    return np.where(sizes > 0, belongs @ frames / np.maximum(sizes, 1), centres)
