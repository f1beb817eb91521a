"""Which system captions go into which HIT: cut from the shuffled list, made even, topped up."""

from __future__ import annotations

import numpy as np

from hits.composition.evenness import even_out
from hits.composition.shape import IntArray
from hits.composition.walk import shuffled_list

# How far into the list the last HIT looks for captions, in HITs: far enough to have a choice of
# videos and systems, and a bound on the work.
LOOK_AHEAD = 20


def deal_captions(
    video: IntArray, system: IntArray, per_hit: int, redundancy: int, rng: np.random.Generator
) -> IntArray:
    """Deal each caption into ``redundancy`` HITs; return one HIT of ``per_hit`` captions a row.

    No HIT holds a caption twice nor a video more often than it must, and each system is in all of
    them equally often, to within one. The last HIT is topped up from the start of the list, as
    evenly as that allows; only if it would show a video too often do others change with it.
    """
    listed = shuffled_list(video, system, redundancy, rng)
    full, left = divmod(len(listed), per_hit)
    hits = listed[: full * per_hit].reshape(full, per_hit).copy()
    caption = np.arange(len(video), dtype=hits.dtype)
    # Captions dealt once are even as they are.
    for label in (video, system) if redundancy == 1 else (caption, video, system):
        even_out(hits, label, video, system)
    if left:
        start = listed[: min(len(video), LOOK_AHEAD * per_hit)]
        last = _top_up(listed[-left:], start, per_hit, video, system)
        hits = np.concatenate([hits, last[np.newaxis]])
        if even_out(hits, video, video, system):
            even_out(hits, system, video, system)
    return hits


def _top_up(
    hit: IntArray, start: IntArray, size: int, video: IntArray, system: IntArray
) -> IntArray:
    """Fill a HIT with the first captions of the videos, then the systems, that it lacks most."""
    candidates = start[~np.isin(start, hit)]
    videos, systems = video[candidates], system[candidates]
    total = len(video)
    video_share, system_share = (np.bincount(label) * size for label in (video, system))  # of total
    least, most = video_share[videos] // total, -(-video_share[videos] // total)
    seen = np.bincount(video[hit], minlength=len(video_share))
    heard = np.bincount(system[hit], minlength=len(system_share))
    taken = np.zeros(len(candidates), dtype=np.bool_)
    for _ in range(size - len(hit)):
        shown = seen[videos]
        excess = np.maximum(shown + 1 - most, 0) - np.maximum(least - shown, 0)
        surplus = (heard * total - system_share)[systems]
        preference = excess * (2 * size * total) + surplus
        chosen = np.argmin(np.where(taken, np.iinfo(np.int64).max, preference))
        taken[chosen] = True
        seen[videos[chosen]] += 1
        heard[systems[chosen]] += 1
    return np.concatenate([hit, candidates[taken]])
