"""Degraded versions of control captions, no two of one caption alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, cycle

import numpy as np
import numpy.typing as npt

from hits.degradation.material import (
    IntArray,
    Material,
    longest_elsewhere,
    read_material,
    splice,
)

# Random draws for a text that was not made before. After them everything that can be made of a
# caption is listed; only one that is wanted in nearly as many versions as it has comes to that.
DRAWS = 8


@dataclass(frozen=True)
class Degraded:
    """Degraded captions, in the order they were asked for.

    Attributes
    ----------
    text
        What the annotator reads.
    words
        How many words were replaced.
    short
        Whether that is fewer than it should be, as no other caption has a longer run to offer.
    """

    text: list[str]
    words: IntArray
    short: npt.NDArray[np.bool_]


def degrade(captions: Sequence[str], chosen: IntArray, *, rng: np.random.Generator) -> Degraded:
    """Degrade control captions, each time differently (direct-assessment-2018, Table 2).

    A random run of words inside the caption is replaced by one of the same length from inside a
    random other caption. A short caption in a small campaign has only so many versions; when it is
    chosen more often, they come round again, each as often as the others.

    Parameters
    ----------
    captions
        The control captions of a campaign, one for each video.
    chosen
        Which of them to degrade, any number of times each.

    >>> captions = ["A dog runs.", "Two men wash cars.", "A red bus stops."]
    >>> degrade(captions, np.array([1]), rng=np.random.default_rng(1)).text
    ['Two red bus cars.']
    """
    if not len(chosen):
        return Degraded([], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
    if chosen.min() < 0 or chosen.max() >= len(captions):
        raise ValueError(f"chosen must be numbers of captions, from 0 to {len(captions) - 1}")
    material = read_material(captions)
    words = np.minimum(material.length, longest_elsewhere(material))[chosen]
    text, left = _draw_new(material, chosen, words, rng)
    runs = cache(partial(_different_runs, material))
    for caption in np.unique(chosen[left]).tolist():
        rows = np.flatnonzero(chosen == caption)
        versions, length = _all_versions(material, caption, int(words[rows[0]]), runs)
        made = {text[row] for row in rows}
        unmade = [version for version in versions if version not in made]
        supply = chain(_shuffled(unmade, rng), cycle(_shuffled(versions, rng)))
        for row in rows:
            text[row] = text[row] or next(supply)
            words[row] = length
    return Degraded(text, words, words < material.length[chosen])


def _draw_new(
    material: Material, chosen: IntArray, words: IntArray, rng: np.random.Generator
) -> tuple[list[str], IntArray]:
    """Draw texts until all are new, at most so many times; return also which are missing."""
    text = [""] * len(chosen)
    made = set()
    left: IntArray = np.arange(len(chosen))
    for _ in range(DRAWS):
        captions = chosen[left].tolist()
        drawn = zip(captions, _draw(material, chosen[left], words[left], rng), strict=True)
        missing = []
        for row, version in zip(left.tolist(), drawn, strict=True):
            if version[1] and version not in made:
                made.add(version)
                text[row] = version[1]
            else:
                missing.append(row)
        left = np.array(missing, dtype=np.int64)
    return text, left


def _draw(
    material: Material, caption: IntArray, length: IntArray, rng: np.random.Generator
) -> list[str]:
    """Replace a random run of each caption by a random other; no text where both say the same."""
    start = material.first[caption] + rng.integers(material.starts(caption, length))
    donor = np.zeros_like(start)
    same = length == 0
    for size in np.unique(length[~same]).tolist():
        rows = np.flatnonzero(length == size)
        donor[rows] = _draw_donors(material, caption[rows], size, rng)
        old, new = (at[rows, np.newaxis] + np.arange(size) for at in (start, donor))
        same[rows] = (material.said[old] == material.said[new]).all(axis=1)
    columns = (material.begin[caption], material.end[caption], start, donor, length)
    places = zip(*(column.tolist() for column in columns), strict=True)
    return [
        "" if void else splice(material.words, *place)
        for void, place in zip(same.tolist(), places, strict=True)
    ]


def _draw_donors(
    material: Material, caption: IntArray, length: int, rng: np.random.Generator
) -> IntArray:
    """Draw a run for each caption, from all runs of that length but its own."""
    runs = np.flatnonzero(material.reach >= length)
    own = np.searchsorted(runs, material.begin[caption])
    after = np.searchsorted(runs, material.end[caption])
    number = rng.integers(len(runs) - (after - own))
    return runs[np.where(number < own, number, number + after - own)]


def _all_versions(
    material: Material, caption: int, length: int, runs: Callable[[int], list[tuple[int, int]]]
) -> tuple[list[str], int]:
    """List what runs of a length make of a caption, or else shorter ones; and their length."""
    begin, end = int(material.begin[caption]), int(material.end[caption])
    for size in range(length, 0, -1):
        first = int(material.first[caption])
        versions = {
            splice(material.words, begin, end, start, donor, size): None
            for start in range(first, first + max(end - begin - 1 - size, 1))
            for donor in _donors(runs(size), begin, end)
            if _said(material, start, size) != _said(material, donor, size)
        }
        if versions:
            return list(versions), size
    text = " ".join(material.words[begin:end])
    raise ValueError(f"captions has no other one with different words inside, to degrade {text!r}")


def _donors(runs: list[tuple[int, int]], begin: int, end: int) -> list[int]:
    """Choose one place outside the caption for each run that has any."""
    return [
        last if begin <= first < end else first
        for first, last in runs
        if not begin <= first <= last < end
    ]


def _different_runs(material: Material, length: int) -> list[tuple[int, int]]:
    """Find where each different run of a length occurs first and last."""
    places: dict[tuple[str, ...], tuple[int, int]] = {}
    for place in np.flatnonzero(material.reach >= length).tolist():
        run = tuple(material.words[place : place + length])
        places[run] = (places.get(run, (place, place))[0], place)
    return list(places.values())


def _said(material: Material, start: int, length: int) -> bytes:
    return material.said[start : start + length].tobytes()


def _shuffled(texts: list[str], rng: np.random.Generator) -> list[str]:
    return [texts[place] for place in rng.permutation(len(texts))]
