"""Making HITs alike: every caption, video and system as often in one HIT as in another.

With a caption as an edge between its video and its system, and a HIT as a colour, that is an
equitable colouring of a bipartite multigraph, which always exists (de Werra 1971). Two HITs are
made alike by linking their captions in pairs, once by video and once by system, and giving every
other caption of the cycles this makes to the first HIT. It leaves nothing less even than it was, so
it is repeated until nothing is uneven.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hits.composition.shape import IntArray

BoolArray = npt.NDArray[np.bool_]


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
