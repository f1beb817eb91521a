"""The shuffled list of a campaign's captions, from which HITs are cut."""

from __future__ import annotations

from math import gcd

import numpy as np

from hits.composition.shape import IntArray

DENSE = 4  # times as many cells as captions are worth going through


def shuffled_list(
    video: IntArray, system: IntArray, redundancy: int, rng: np.random.Generator
) -> IntArray:
    """List every caption ``redundancy`` times, videos shuffled anew each time.

    Any stretch of the list has about as many captions of one system as of another, and comes back
    to a video only after it has been to all others. With a caption for every video and system this
    is exact for systems, through the whole list; what is not is left to `even_out`.
    """
    videos, systems = int(video.max()) + 1, int(system.max()) + 1
    system_order = rng.permutation(systems)[system]
    passes = [
        order_of(_walk(rng.permutation(videos)[video], system_order, videos, systems))
        for _ in range(redundancy)
    ]
    return np.concatenate(passes)


def _walk(video: IntArray, system: IntArray, videos: int, systems: int) -> IntArray:
    """Say when a walk down the diagonals of the grid of videos and systems meets each caption.

    Step t of the walk stands at system t mod S and video (t + t div lcm(V, S)) mod V, which meets
    every cell once: both go round and round, and the videos skip one whenever the two come
    back together. Solved for t by the Chinese remainder theorem.
    """
    common = gcd(videos, systems)
    skipped = (video - system) % common
    rounds = (video - skipped - system) // common * pow(systems // common, -1, videos // common)
    return skipped * (videos * systems // common) + system + systems * (rounds % (videos // common))


def order_of(numbers: IntArray) -> IntArray:
    """As a stable ``argsort`` of numbers from 0, but by counting where they are dense."""
    place = np.arange(len(numbers), dtype=np.int32)
    highest = int(numbers.max(initial=0))
    if highest < DENSE * len(numbers):
        found = np.full(highest + 1, -1, dtype=np.int32)
        found[numbers] = place
        order = found[found >= 0]
        if len(order) == len(numbers):  # no number twice
            return order
    return place[np.argsort(numbers, kind="stable")]
