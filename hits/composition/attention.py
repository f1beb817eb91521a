"""Attention checks among the captions of every HIT: a text that says what to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from hits.composition.campaign import Composition
from hits.composition.layout import Layout
from hits.composition.shape import ATTENTION, SYSTEM, IntArray


def with_attention(
    composition: Composition,
    texts: Sequence[str],
    *,
    rng: np.random.Generator,
    whole_video: bool,
) -> Composition:
    """The HITs with every check once in each, spread over it, in an order of its own.

    A check shows the video of one of the HIT's system captions. Where a page shows all captions of
    a video, it stands on the page of that video.
    """
    if not texts:
        return composition
    layout = composition.layout
    starts = np.searchsorted(layout.hit, np.arange(layout.hits + 1))
    places = [
        _places(layout, begin, stop, len(texts), rng, whole_video)
        for begin, stop in pairwise(starts.tolist())
    ]
    said = [texts[each] for _ in places for each in rng.permutation(len(texts)).tolist()]
    rows, captions = (np.concatenate(column) for column in zip(*places, strict=True))
    return replace(composition, layout=_inserted(layout, rows, captions), attention=tuple(said))


def _places(
    layout: Layout, begin: int, stop: int, checks: int, rng: np.random.Generator, whole_video: bool
) -> tuple[IntArray, IntArray]:
    """The rows that the checks of one HIT come after, and the caption whose video each shows."""
    asked = begin + np.flatnonzero(layout.kind[begin:stop] == SYSTEM)
    parts = np.array_split(asked, checks) if len(asked) >= checks else [asked] * checks
    after = np.sort([rng.choice(part) for part in parts])
    shown = after if whole_video else rng.choice(asked, checks, replace=len(asked) < checks)
    return after, layout.caption[shown]


def _inserted(layout: Layout, after: IntArray, captions: IntArray) -> Layout:
    """The layout with a check after each of these rows; originals move with their positions."""
    starts = np.searchsorted(layout.hit, layout.hit)  # where the HIT of each row begins
    rows = np.arange(len(layout.hit))
    moved = rows + np.searchsorted(after, rows)  # checks stand after their row
    starts_moved = starts + np.searchsorted(after, starts)
    has_original = layout.original >= 0
    original = np.where(has_original, starts + layout.original, 0)
    originals = np.where(has_original, moved[original] - starts_moved, -1)
    hit = np.insert(layout.hit, after + 1, layout.hit[after])
    return Layout(
        hit=hit,
        position=np.arange(len(hit)) - np.searchsorted(hit, hit),
        kind=np.insert(layout.kind, after + 1, ATTENTION),
        caption=np.insert(layout.caption, after + 1, captions),
        original=np.insert(originals, after + 1, -1),
        asked=layout.asked,
    )
