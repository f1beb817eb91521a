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
    none = len(video)  # stands for the control of a video that has none
    control = np.full(max(video.max(initial=0), hit_videos.max()) + 1, none)
    control[video] = np.arange(none)
    used = np.bincount(dealt[~clash], minlength=none + 1)
    out_of_reach = dealt.size + 1
    used[none] = out_of_reach
    for hit, place in np.argwhere(clash):
        barred = np.append(control[hit_videos[hit]], dealt[hit])
        used[barred] += out_of_reach
        instead = np.argmin(used)
        if used[instead] < out_of_reach:
            dealt[hit, place] = instead
        used[barred] -= out_of_reach
        used[dealt[hit, place]] += 1


def _clashes(dealt_videos: IntArray, hit_videos: IntArray) -> npt.NDArray[np.bool_]:
    """Say which controls have a video that is among the system captions of their HIT."""
    dealt = np.ascontiguousarray(dealt_videos.T)
    clash = np.zeros(dealt.shape, dtype=np.bool_)
    for column in np.ascontiguousarray(hit_videos.T):
        clash |= dealt == column
    return clash.T
