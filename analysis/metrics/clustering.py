"""A few frames that stand for a whole video: those nearest the centres of k-means."""

from __future__ import annotations

from typing import cast

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
    points = _points(frames)
    centres = np.take_along_axis(points, _spread(points, clusters)[:, :, None], axis=1)
    nearest = _distances(points, centres).argmin(axis=2)
    for _ in range(_ROUNDS):
        centres = _means(points, nearest, centres)
        moved = _distances(points, centres).argmin(axis=2)
        if (moved == nearest).all():
            break
        nearest = moved
    distances = _distances(points, centres) + _TIE * _distances(points, _mean(points))
    representatives: NDArray[np.intp] = distances.argmin(axis=1)
    return representatives


def _points(frames: NDArray[np.float32]) -> Floats:
    """Points as far from each other as the frames, in no more dimensions than there are frames.

    In double precision, because in single precision rounding would decide the ties.
    """
    # numpy's annotations know only of the pair (Q, R).
    turned = cast(Floats, np.linalg.qr(frames.astype(np.float64).transpose(0, 2, 1), mode="r"))
    return turned.transpose(0, 2, 1)


def _distances(points: Floats, centres: Floats) -> Floats:
    """Squared: (videos, frames, centres)."""
    lengths: Floats = (centres**2).sum(axis=2)[:, None, :] + (points**2).sum(axis=2)[:, :, None]
    return lengths - 2 * points @ centres.transpose(0, 2, 1)


def _mean(points: Floats) -> Floats:
    mean: Floats = points.mean(axis=1, keepdims=True)
    return mean


def _spread(points: Floats, clusters: int) -> NDArray[np.intp]:
    first = _distances(points, _mean(points)).argmin(axis=1)
    chosen = [first[:, 0]]
    distance = np.full(points.shape[:2], np.inf)
    for _ in range(1, clusters):
        latest = np.take_along_axis(points, chosen[-1][:, None, None], axis=1)
        distance = np.minimum(distance, _distances(points, latest)[:, :, 0])
        chosen.append(distance.argmax(axis=1))
    return np.stack(chosen, axis=1)


def _means(points: Floats, nearest: NDArray[np.intp], centres: Floats) -> Floats:
    """The mean of each cluster's points; an empty cluster stays where it is."""
    belongs = (nearest[:, None, :] == np.arange(centres.shape[1])[None, :, None]).astype(np.float64)
    sizes = belongs.sum(axis=2, keepdims=True)
    return np.where(sizes > 0, belongs @ points / np.maximum(sizes, 1), centres)
