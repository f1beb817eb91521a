"""From a campaign's captions and one random generator to its HITs (PROTOCOL §2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hits.composition.dealing import deal_captions, deal_controls, order_of
from hits.composition.layout import Layout, lay_out
from hits.composition.shape import ATTENTION, DEGRADED, IntArray, Shape
from hits.degradation import Degraded, degrade

PROTOCOL_SHAPE = Shape()


@dataclass(frozen=True)
class Captions:
    """The system captions of a campaign: the video and the system of each, numbered from 0.

    With ``text``, a number for each wording, captions of one video that read the same are merged:
    that of the first system is asked, and stands for them all.
    """

    video: IntArray
    system: IntArray
    text: IntArray | None = None

    def __post_init__(self) -> None:
        columns = [self.video, self.system] + ([] if self.text is None else [self.text])
        if len({column.shape for column in columns}) > 1 or self.video.ndim != 1:
            raise ValueError("video, system and text must be columns of the same length")
        if any((column < 0).any() for column in columns):
            raise ValueError("video, system and text must be numbered from 0")

    def __len__(self) -> int:
        return len(self.video)


@dataclass(frozen=True)
class Composition:
    """The HITs of a campaign, with the degraded captions and the checks in the layout's order."""

    layout: Layout
    degraded: Degraded
    attention: tuple[str, ...] = ()

    def own_texts(self) -> Iterator[tuple[str, int | None]]:
        """What each position says instead of its caption, and how many words were replaced."""
        damaged = zip(self.degraded.text, self.degraded.words.tolist(), strict=True)
        said = ((text, None) for text in self.attention)
        sources = {DEGRADED: damaged, ATTENTION: said}
        for kind in self.layout.kind.tolist():
            yield next(sources[kind]) if kind in sources else ("", None)


def compose_campaign(
    captions: Captions,
    control_video: IntArray,
    control_text: Sequence[str],
    *,
    rng: np.random.Generator,
    shape: Shape = PROTOCOL_SHAPE,
    redundancy: int = 1,
) -> Composition:
    """Compose the HITs of a campaign and degrade the control captions in them.

    See `compose_hits`; ``control_text`` is the wording of each control caption. The degraded
    versions of one control caption differ from HIT to HIT, see `degrade`.
    """
    if len(control_text) != len(control_video):
        raise ValueError("control_text must have one text for each of control_video")
    layout = compose_hits(captions, control_video, rng=rng, shape=shape, redundancy=redundancy)
    chosen = layout.caption[layout.kind == DEGRADED]
    order = _control_order(control_video)
    texts = [control_text[control] for control in order]
    return Composition(layout, degrade(texts, np.argsort(order)[chosen], rng=rng))


def compose_hits(
    captions: Captions,
    control_video: IntArray,
    *,
    rng: np.random.Generator,
    shape: Shape = PROTOCOL_SHAPE,
    redundancy: int = 1,
) -> Layout:
    """Compose the HITs of a campaign: which caption stands where in which HIT.

    The same captions and the same state of ``rng`` give the same HITs, in whatever order the
    captions are given.

    Parameters
    ----------
    captions
        At most one for each video and system.
    control_video
        The video of each control caption, numbered as in ``captions``; at most one for each video.
    shape
        Size of a HIT, pairs and repeats.
    redundancy
        Number of HITs that hold each caption.

    >>> grid = np.indices((40, 6)).reshape(2, -1)  # 40 videos, 6 systems
    >>> captions = Captions(video=grid[0], system=grid[1])
    >>> layout = compose_hits(captions, np.arange(40), rng=np.random.default_rng(7))
    >>> layout.hits, np.bincount(layout.kind).tolist()
    (4, [280, 40, 40, 40])
    """
    units, asked = asked_captions(captions)
    controls = _control_order(control_video)
    _check_material(len(units), len(controls), shape, redundancy)

    video, system = captions.video[units].astype(np.int32), captions.system[units].astype(np.int32)
    fresh = deal_captions(video, system, shape.fresh, redundancy, rng)
    dealt = deal_controls(control_video[controls], video[fresh], shape.pairs, rng)
    return lay_out(shape, units[fresh], system[fresh], controls[dealt], asked, rng)


def asked_captions(captions: Captions) -> tuple[IntArray, IntArray]:
    """The captions to ask about, by video and system, and for each caption the one asked for it."""
    order = _grid_order(captions)
    asked = _asked(captions, order)
    return order[asked[order] == order], asked


def _grid_order(captions: Captions) -> IntArray:
    """Order captions by video and system, so that the order they came in means nothing."""
    systems = int(captions.system.max(initial=0)) + 1
    cell = captions.video.astype(np.int64) * systems + captions.system
    order = order_of(cell)
    if (np.diff(cell[order]) == 0).any():
        raise ValueError("captions has two captions of the same video and system")
    return order


def _control_order(control_video: IntArray) -> IntArray:
    """Order control captions by video, for the same reason."""
    if (control_video < 0).any():
        raise ValueError("control_video must be numbered from 0")
    order = order_of(control_video)
    if (np.diff(control_video[order]) == 0).any():
        raise ValueError("control_video has two control captions of the same video")
    return order


def _asked(captions: Captions, order: IntArray) -> IntArray:
    """Find the caption asked for each: if merged, that of the first system that reads the same."""
    asked = np.arange(len(captions))
    if captions.text is None:
        return asked
    video, text = captions.video[order], captions.text[order]
    alike = np.lexsort((text, video))
    begins = (np.diff(video[alike], prepend=-1) != 0) | (np.diff(text[alike], prepend=-1) != 0)
    first = alike[begins][np.cumsum(begins) - 1]
    asked[order[alike]] = order[first]
    return asked


def _check_material(captions: int, controls: int, shape: Shape, redundancy: int) -> None:
    if redundancy < 1:
        raise ValueError("redundancy must be at least 1")
    if captions >= shape.fresh and controls >= shape.pairs:
        return
    raise ValueError(
        f"a HIT of this shape shows {shape.fresh} different captions and {shape.pairs} control "
        f"captions, the campaign has {captions} and {controls}"
    )
