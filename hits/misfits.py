"""Campaigns that cannot fill one HIT of the plan, and the design to propose instead.

Nothing is proposed with which nobody could pass quality control.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from hits.composition.campaign import Captions, asked_captions
from hits.composition.shape import BLOCKS, Shape, VideoShape, fitting_shape
from hits.planning import LEAST_PAIRS, hits_needed, videos_cut


@dataclass(frozen=True)
class Demand:
    """The pairs that quality control needs of a person, and the HITs that person may take.

    >>> demand = Demand.of(min_pairs=10, most_hits=2)
    >>> demand.per_hit, demand.is_met(5), demand.is_met(4)
    (5, True, False)
    """

    pairs: int = LEAST_PAIRS
    most_hits: int | None = None

    @classmethod
    def of(cls, *, min_pairs: int = 0, most_hits: int | None = None) -> Demand:
        return cls(max(min_pairs, LEAST_PAIRS), most_hits)

    @property
    def per_hit(self) -> int:
        """The fewest pairs in a HIT with which one person can rate as many as are needed."""
        return math.ceil(self.pairs / self.most_hits) if self.most_hits else 1

    def is_met(self, pairs: int) -> bool:
        return pairs >= self.per_hit

    def advice(self, pairs: int) -> str:
        """Which setting to change where no HIT can have more than ``pairs`` pairs."""
        hits = self.most_hits or 1
        most = pairs * hits
        fewer = f", or lower “Pairs needed for quality control” to {most}" if most > 1 else ""
        return (
            f"Quality control needs {self.pairs} pairs of a person, and one person could rate "
            f"{most}: a HIT of this campaign can have {pairs}, and a person may take {hits}. In "
            "the settings, raise “HITs per person, at most” to "
            f"{math.ceil(self.pairs / pairs)} or more{fewer}."
        )


@dataclass(frozen=True)
class Misfit:
    """A campaign that cannot fill one HIT of the shape wanted, and the design that suits it."""

    wanted: Shape
    captions: int
    controls: int
    best: Shape | None  # whether or not anybody could pass quality control with it
    demand: Demand = Demand()

    def __str__(self) -> str:
        return (
            f"The campaign is too small for this plan: a HIT of {self.wanted.size} captions needs "
            f"{self.wanted.fresh:,} different captions and {self.wanted.pairs:,} control captions, "
            f"and the campaign has {self.captions:,} and {self.controls:,}. {self.advice}"
        )

    @property
    def fitting(self) -> Shape | None:
        """The shape to propose: none with which nobody could pass."""
        return self.best if self.best and self.demand.is_met(self.best.pairs) else None

    @property
    def hits(self) -> int:
        """HITs of the fitting shape that show every caption once."""
        return hits_needed(self.captions, self.fitting.fresh) if self.fitting else 0

    @property
    def redundancy(self) -> int:
        """HITs per caption that give one person as many pairs as quality control needs."""
        if self.fitting is None:
            return 1
        hits, fresh = math.ceil(self.demand.pairs / self.fitting.pairs), self.fitting.fresh
        enough = (each for each in count(1) if hits_needed(self.captions, fresh, each) >= hits)
        return next(enough)

    @property
    def advice(self) -> str:
        """In the words of the plan's form, with the reason."""
        if self.best is None:
            return "That is too little for any HIT: add videos or systems."
        if self.fitting is None:
            return self.demand.advice(self.best.pairs)
        shape = (
            f"Captions per HIT {self.fitting.size}, Pairs per HIT {self.fitting.pairs} and "
            f"Repeats per HIT {self.fitting.repeats} would fit"
        )
        every = f"{'one HIT then shows' if self.hits == 1 else f'{self.hits} HITs then show'} all"
        pairs = (
            f" HITs per caption {self.redundancy} lets one person rate the {self.demand.pairs} "
            "pairs that quality control needs, over several HITs."
            if self.redundancy > 1
            else ""
        )
        is_exact = self.hits * self.fitting.fresh == self.captions
        evenly = ", each of them once" if is_exact else ""
        return (
            f"{shape}: {every} {self.captions:,} captions{evenly}, at the lowest cost.{pairs} "
            "To detect smaller differences, raise People per HIT: each person adds a rating to "
            "every caption of the HIT."
        )


def find_misfit(
    wanted: Shape,
    *,
    captions: int,
    controls: int,
    min_pairs: int = 0,
    most_hits: int | None = None,
) -> Misfit | None:
    """What stands in the way of composing; None where nothing does.

    The shape that is proposed has the pairs that quality control needs, wherever one can; where
    none has, people who may take ``most_hits`` HITs must be able to rate that many over them.

    >>> find_misfit(Shape(), captions=70, controls=10)
    >>> find_misfit(Shape(), captions=48, controls=12).fitting
    Shape(size=70, pairs=7, repeats=8)
    >>> find_misfit(Shape(), captions=48, controls=3, min_pairs=10).redundancy
    2
    >>> find_misfit(Shape(), captions=45, controls=3, min_pairs=10, most_hits=1).fitting
    """
    if captions >= wanted.fresh and controls >= wanted.pairs:
        return None
    demand = Demand.of(min_pairs=min_pairs, most_hits=most_hits)
    in_one = fitting_shape(captions, controls, wanted.size, least_pairs=demand.pairs)
    if in_one is None or in_one.pairs >= demand.pairs:
        return Misfit(wanted, captions, controls, in_one, demand)
    over_several = fitting_shape(captions, controls, wanted.size, least_pairs=demand.per_hit)
    return Misfit(wanted, captions, controls, over_several, demand)


@dataclass(frozen=True)
class VideoMisfit:
    """A campaign whose videos do not fit into HITs of the shape wanted, and one that they fit."""

    reason: str
    best: VideoShape | None = None  # whether or not anybody could pass quality control with it
    hits: int = 0  # of that shape, which show every video once
    demand: Demand = Demand()

    def __str__(self) -> str:
        return f"This plan cannot fit into a HIT: {self.reason}. {self.advice}"

    @property
    def fitting(self) -> VideoShape | None:
        """The shape to propose: none with which nobody could pass."""
        if self.best is None or (self.best.pairs and not self.demand.is_met(self.best.pairs)):
            return None
        return self.best

    @property
    def redundancy(self) -> int:
        """HITs per caption that give one person as many pairs as quality control needs."""
        pairs = self.fitting.pairs * self.hits if self.fitting else 0
        return math.ceil(self.demand.pairs / pairs) if pairs else 1

    @property
    def advice(self) -> str:
        if self.best is None:
            return "Add videos with captions."
        if self.fitting is None:
            return self.demand.advice(self.best.pairs)
        shape = f"Captions per HIT {self.fitting.size} and Pairs per HIT {self.fitting.pairs}"
        if self.redundancy > 1:
            shape += (
                f" would fit. HITs per caption {self.redundancy} lets one person rate the "
                f"{self.demand.pairs} pairs that quality control needs, over several HITs"
            )
            return f"{shape}."
        return f"{shape} would fit."


def find_video_misfit(
    wanted: VideoShape,
    captions: Sequence[int],
    *,
    min_pairs: int = 0,
    most_hits: int | None = None,
) -> VideoMisfit | None:
    """What stands in the way of composing HITs of whole videos; None where nothing does.

    ``captions`` are those of each ranked system.

    >>> misfit = find_video_misfit(VideoShape(10, 5), [9] * 6)
    >>> misfit.reason
    "a HIT of 10 captions cannot hold a video's 6 captions and 5 controls"
    >>> misfit.fitting, misfit.redundancy
    (VideoShape(size=10, pairs=1), 1)
    """
    try:
        videos_cut(wanted, captions)
    except ValueError as error:
        demand = Demand.of(min_pairs=min_pairs, most_hits=most_hits)
        best = _video_shape(wanted, captions, demand)
        hits = videos_cut(best, captions).hits if best else 0
        return VideoMisfit(str(error), best, hits, demand)
    return None


def _video_shape(wanted: VideoShape, captions: Sequence[int], demand: Demand) -> VideoShape | None:
    """Close to the one wanted, larger only where a video or the pairs needed do not fit.

    Each page hides at most one control, so pairs need as many videos.
    """
    counts = [each for each in captions if each]
    videos, page = max(counts, default=0), len(counts) + 1
    if not videos:
        return None
    fit = min(wanted.pairs, wanted.size // page, (wanted.size - 1) // 2)
    pairs = min(videos, max(fit, demand.per_hit)) if wanted.pairs and videos > 1 else 0
    least = max(max(pairs, 1) * page, 2 * pairs + 1)  # more captions than controls
    return VideoShape(max(wanted.size, BLOCKS * math.ceil(least / BLOCKS)), pairs)


def plan_misfit(
    shape: Shape | VideoShape,
    captions: Sequence[int],
    controls: int,
    *,
    min_pairs: int = 0,
    most_hits: int | None = None,
) -> Misfit | VideoMisfit | None:
    """What stands in the way of HITs of either shape; ``captions`` are those of each system."""
    if isinstance(shape, VideoShape):
        return find_video_misfit(shape, captions, min_pairs=min_pairs, most_hits=most_hits)
    return find_misfit(
        shape,
        captions=sum(captions),
        controls=controls,
        min_pairs=min_pairs,
        most_hits=most_hits,
    )


def material_misfit(
    shape: Shape | VideoShape,
    captions: Captions,
    controls: int,
    *,
    min_pairs: int = 0,
    most_hits: int | None = None,
) -> Misfit | VideoMisfit | None:
    """The same for captions that are about to be composed; those that are merged count once."""
    units, _ = asked_captions(captions)
    counts = np.bincount(captions.system[units]).tolist()
    return plan_misfit(shape, counts, controls, min_pairs=min_pairs, most_hits=most_hits)
