"""Which control captions go into which HIT."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hits.composition.shape import IntArray


def deal_controls(
    control_video: IntArray, hit_videos: IntArray, pairs: int, rng: np.random.Generator
) -> IntArray:
    """Deal ``pairs`` different control captions into each HIT, all of them about equally often.

    A control caption of a video that the HIT shows anyway gives way to one of a video that it does
    not show, as long as there is any.

    Parameters
    ----------
    control_video
        The video of each control caption.
    hit_videos
        The videos of the system captions, one HIT a row.
    """
    hits = len(hit_videos)
    order = rng.permutation(len(control_video)).astype(hit_videos.dtype)
    video = control_video[order]
    dealt = (np.arange(hits * pairs) % len(order)).reshape(hits, pairs)
    _avoid(dealt, video, hit_videos)
    return rng.permuted(order[dealt], axis=1)


def _avoid(dealt: IntArray, video: IntArray, hit_videos: IntArray) -> None:
    """Replace, in place, the controls of videos that their HIT shows anyway by the least used."""
    clash = _clashes(video[dealt], hit_videos)
    used = np.bincount(dealt[~clash], minlength=len(video))
    shown = np.zeros(max(video.max(initial=0), hit_videos.max()) + 1, dtype=np.bool_)
    for hit, place in np.argwhere(clash):
        shown[hit_videos[hit]] = True
        barred = shown[video]
        barred[dealt[hit]] = True
        if not barred.all():
            dealt[hit, place] = np.argmin(np.where(barred, dealt.size, used))
        used[dealt[hit, place]] += 1
        shown[hit_videos[hit]] = False


def _clashes(dealt_videos: IntArray, hit_videos: IntArray) -> npt.NDArray[np.bool_]:
    """Say which controls have a video that is among the system captions of their HIT."""
    clash = np.empty(dealt_videos.shape, dtype=np.bool_)
    for place, column in enumerate(dealt_videos.T):
        clash[:, place] = (hit_videos == column[:, np.newaxis]).any(axis=1)
    return clash
