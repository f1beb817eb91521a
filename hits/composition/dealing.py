"""Which captions go into which HIT.

System captions are cut from a shuffled list and exchanged until every caption, video and system is
as often in one HIT as in another; the last HIT is topped up. Then come the control captions.
"""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

from hits.composition.shape import IntArray

# How far into the list the last HIT looks for captions, in HITs: far enough to have a choice of
# videos and systems, and a bound on the work.
LOOK_AHEAD = 20
DENSE = 4  # times as many cells as captions are worth going through
BoolArray = npt.NDArray[np.bool_]


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


def even_out(hits: IntArray, label: IntArray, video: IntArray, system: IntArray) -> bool:
    """Exchange captions until each label is in all HITs equally often, to within one.

    Return whether there was anything to exchange.

    Parameters
    ----------
    hits
        One HIT a row, of captions. Changed in place.
    label, video, system
        The label, the video and the system of each caption. Captions, videos and systems that are
        even already stay so.
    """
    labels = label[hits]
    uneven = _uneven(labels)
    for value in uneven:
        while len(pairs := _unequal_pairs(np.count_nonzero(labels == value, axis=1))):
            _exchange(hits, pairs, video, system)
            labels[pairs] = label[hits[pairs]]
    return bool(uneven)


def _uneven(labels: IntArray) -> list[int]:
    """Find the labels that one row holds at least two times more often than another."""
    ordered = np.sort(labels, axis=1)
    if np.diff(ordered, axis=1).all():
        return []  # no row holds any label twice
    starts = np.flatnonzero(np.diff(ordered, axis=1, prepend=-1))
    counts = np.diff(starts, append=ordered.size)
    found = ordered.ravel()[starts]
    most, least = np.zeros((2, ordered.max() + 1), dtype=np.int64)
    least += ordered.shape[1]
    np.maximum.at(most, found, counts)
    np.minimum.at(least, found, counts)
    least[np.bincount(found) < len(labels)] = 0
    return np.flatnonzero(most - least > 1).tolist()


def _unequal_pairs(counts: IntArray) -> IntArray:
    """Pair the row with the highest count with that of the lowest, and so on inwards."""
    order = np.argsort(counts, kind="stable")
    pairs = np.stack([order, order[::-1]], axis=1)[: len(order) // 2]
    return np.asarray(pairs[np.diff(counts[pairs])[:, 0] > 1])


def _exchange(hits: IntArray, pairs: IntArray, video: IntArray, system: IntArray) -> None:
    """Make the two HITs of each pair as alike as they can be."""
    captions = hits[pairs].reshape(len(pairs), -1)
    first = _every_other(captions, video[captions], system[captions])
    hits[pairs[:, 0]] = captions[first].reshape(len(pairs), -1)
    hits[pairs[:, 1]] = captions[~first].reshape(len(pairs), -1)


def _every_other(caption: IntArray, video: IntArray, system: IntArray) -> BoolArray:
    """Choose half of each row, so that linked captions are never both chosen nor both left.

    The links of one kind pair up a row, so the two kinds make cycles of even length. Steps
    over two links stay on one side of a cycle; a side is known by the lowest place on it. Twins,
    the same caption twice, are linked with each other.
    """
    twins = _paired(np.sort(caption, axis=1))
    twinless = np.empty_like(twins)
    np.put_along_axis(twinless, np.argsort(caption, axis=1, kind="stable"), ~twins, axis=1)
    by_video = _links(np.lexsort((caption, twinless, video)), video)
    by_system = _links(np.argsort(system, axis=1, kind="stable"), system)
    onward = np.take_along_axis(by_system, by_video, axis=1)
    side = np.broadcast_to(np.arange(caption.shape[1]), caption.shape)
    for _ in range(caption.shape[1].bit_length()):
        side = np.minimum(side, np.take_along_axis(side, onward, axis=1))
        onward = np.take_along_axis(onward, onward, axis=1)
    return np.asarray(side < np.take_along_axis(side, by_video, axis=1))


def _links(order: IntArray, label: IntArray) -> IntArray:
    """Link each place of a row to another of its label; those left over, to one another."""
    paired = _paired(np.take_along_axis(label, order, axis=1))
    paired_first = np.argsort(~paired, axis=1, kind="stable")
    couples = np.take_along_axis(order, paired_first, axis=1)
    links = np.empty_like(order)
    np.put_along_axis(links, couples[:, ::2], couples[:, 1::2], axis=1)
    np.put_along_axis(links, couples[:, 1::2], couples[:, ::2], axis=1)
    return links


def _paired(ordered: IntArray) -> BoolArray:
    """Say which values of sorted rows find a partner when equals pair up from the left."""
    place = np.arange(ordered.shape[1])
    begins = np.diff(ordered, axis=1, prepend=-1) != 0
    ends = np.roll(begins, -1, axis=1)
    ends[:, -1] = True
    run_start = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    odd_one = ends & ((place - run_start) % 2 == 0)
    return np.asarray(~odd_one)


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


def _clashes(dealt_videos: IntArray, hit_videos: IntArray) -> BoolArray:
    """Say which controls have a video that is among the system captions of their HIT."""
    dealt = np.ascontiguousarray(dealt_videos.T)
    clash = np.zeros(dealt.shape, dtype=np.bool_)
    for column in np.ascontiguousarray(hit_videos.T):
        clash |= dealt == column
    return clash.T
