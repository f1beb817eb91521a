"""HITs whose pages show all captions of a video, some with a control among them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from hits.composition.attention import with_attention
from hits.composition.campaign import Captions, Composition, asked_captions, compose_campaign
from hits.composition.layout import Layout
from hits.composition.shape import DEGRADED, SYSTEM, IntArray, Shape, VideoShape
from hits.degradation import Degraded, degrade

NOTHING: Final[Mapping[int, str]] = MappingProxyType({})
DONORS = 50  # captions whose words may replace those of a damaged copy


def compose(
    captions: Captions,
    control_video: IntArray,
    control_text: Sequence[str],
    *,
    rng: np.random.Generator,
    shape: Shape | VideoShape,
    redundancy: int = 1,
    damage: bool = False,
    attention: Sequence[str] = (),
    human: Mapping[int, str] = NOTHING,
) -> Composition:
    """Compose HITs of either shape. With whole videos every caption is its own control.

    ``attention`` are checks that each HIT has besides; they change nothing else of it.
    """
    is_whole = isinstance(shape, VideoShape)
    if isinstance(shape, VideoShape):
        made = compose_by_video(
            captions, control_text, rng=rng, shape=shape, redundancy=redundancy, damage=damage,
            human=human,
        )  # fmt: skip
    else:
        made = compose_campaign(
            captions, control_video, control_text, rng=rng, shape=shape, redundancy=redundancy
        )
    return with_attention(made, attention, rng=rng, whole_video=is_whole)


def compose_by_video(
    captions: Captions,
    text: Sequence[str],
    *,
    rng: np.random.Generator,
    shape: VideoShape,
    redundancy: int = 1,
    damage: bool = False,
    human: Mapping[int, str] = NOTHING,
) -> Composition:
    """Compose HITs of whole videos (emscore-2022), captions in random order on their page.

    A page that hides a caption of another video counts it as a degraded version of one of its own,
    so that quality control can compare the two. It reads otherwise than every caption of the page.
    Where words are marked, the control is a person's caption of the video, which the page does not
    show, with a run of words from another video's (`hits.degradation`): which words are wrong is
    known. Only a video without such a caption shows a damaged copy of one beside the original.

    Parameters
    ----------
    captions
        At most one for each video and system.
    text
        The wording of each caption.
    redundancy
        Number of HITs that hold each video.
    damage
        Whether controls are damaged copies.
    human
        A caption by a person, by video: what is damaged.

    >>> grid = np.indices((4, 2)).reshape(2, -1)  # 4 videos, 2 systems
    >>> texts = [f"{system} says {video}" for video, system in grid.T.tolist()]
    >>> made = compose_by_video(
    ...     Captions(*grid), texts, rng=np.random.default_rng(7), shape=VideoShape(6, 1))
    >>> made.layout.hits, len(made.layout.hit), len(made.degraded.text)
    (2, 10, 2)
    """
    units, asked = asked_captions(captions)
    video = captions.video[units]
    pages = np.split(units, np.flatnonzero(np.diff(video)) + 1) if len(units) else []
    most = max(map(len, pages), default=0)
    per_hit = shape.videos(videos=len(pages), most=most)
    if redundancy < 1:
        raise ValueError("redundancy must be at least 1")
    hits = [
        [pages[page] for page in chosen]
        for _ in range(redundancy)
        for chosen in _dealt(len(pages), per_hit, shape.pairs, rng)
    ]
    made = human if damage else None
    return _laid_out(hits, captions, text, units, asked, shape.pairs, rng, made)


def _dealt(videos: int, per_hit: int, pairs: int, rng: np.random.Generator) -> list[IntArray]:
    """Videos shuffled and cut into HITs.

    With pairs, the last HIT is topped up from the start of the list, so that it has room for them.
    Without, HITs are cut evenly, and no video is asked about more often than others.
    """
    hits = -(-videos // per_hit)
    order = rng.permutation(videos)
    return np.array_split(order[np.arange(hits * per_hit) % videos] if pairs else order, hits)


def _laid_out(
    hits: Sequence[Sequence[IntArray]],
    captions: Captions,
    text: Sequence[str],
    units: IntArray,
    asked: IntArray,
    pairs: int,
    rng: np.random.Generator,
    human: Mapping[int, str] | None,
) -> Composition:
    rows: list[tuple[int, int, int, int, int]] = []
    foreign: list[str] = []
    hidden: list[tuple[int, str]] = []
    strangers = deque(rng.permutation(units).tolist())  # all of them about equally often
    for number, pages in enumerate(hits):
        hiding = set(rng.choice(len(pages), pairs, replace=False).tolist())
        position = 0
        for place, page in enumerate(pages):
            order = rng.permutation(page)
            original = int(rng.integers(len(order)))
            entries = [(SYSTEM, int(caption), -1) for caption in order]
            if place in hiding:
                at = int(rng.integers(len(order) + 1))
                stands = position + original + (at <= original)
                entries.insert(at, (DEGRADED, int(order[original]), stands))
                hidden.append(_source(page, int(order[original]), captions, text, human or {}))
                if human is None:
                    foreign.append(_of_another_video(page, captions, text, strangers))
            rows += [(number, position + i, *entry) for i, entry in enumerate(entries)]
            position += len(entries)
    hit, position_, kind, caption, originals = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    layout = Layout(hit, position_, kind.astype(np.int8), caption, originals, asked)
    if human is not None:
        return Composition(layout, _damaged(hidden, captions, text, units, rng))
    words = np.array([len(each.split()) for each in foreign], dtype=np.int64)
    return Composition(layout, Degraded(foreign, words, np.zeros(len(words), dtype=np.bool_)))


def _source(
    page: IntArray, original: int, captions: Captions, text: Sequence[str], human: Mapping[int, str]
) -> tuple[int, str]:
    """A video and what is damaged of it: a caption that nobody can hold beside its copy."""
    video = int(captions.video[original])
    told = human.get(video, "")
    is_shown = told in {text[caption] for caption in page.tolist()}
    return video, text[original] if is_shown or not told else told


def _damaged(
    hidden: Sequence[tuple[int, str]],
    captions: Captions,
    text: Sequence[str],
    units: IntArray,
    rng: np.random.Generator,
) -> Degraded:
    """Each of the captions with words from one of another video, drawn from a few of those."""
    made = []
    for video, told in hidden:
        others = units[captions.video[units] != video]
        donors = rng.permutation(others)[:DONORS].tolist()
        texts = [told, *(text[each] for each in donors)]
        made.append(degrade(texts, np.zeros(1, dtype=np.int64), rng=rng))
    return Degraded(
        [each.text[0] for each in made],
        np.array([each.words[0] for each in made], dtype=np.int64),
        np.array([each.short[0] for each in made], dtype=np.bool_),
    )


def _of_another_video(
    page: IntArray, captions: Captions, text: Sequence[str], strangers: deque[int]
) -> str:
    """The next caption that is not about this video, nor says what one of the page's says."""
    own = {text[caption] for caption in page.tolist()}
    for _ in range(len(strangers)):
        caption = strangers[0]
        strangers.rotate(-1)
        if captions.video[caption] != captions.video[page[0]] and text[caption] not in own:
            return text[caption]
    raise ValueError("all videos have the same captions, so none is another video's")
