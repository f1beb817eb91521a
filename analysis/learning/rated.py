"""Captions with references and people's scores: what a metric is trained on and held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.evaluation.human import PASSED
from analysis.evaluation.inputs import Inputs, read_inputs
from analysis.evaluation.joining import Joined
from analysis.evaluation.scoring import Scorer
from analysis.evaluation.set_inputs import Source
from analysis.evaluation.trecvid import is_trecvid, rating_counts
from analysis.metrics.batch import Batch
from analysis.metrics.context import ScoringContext
from analysis.metrics.learned.features import Features

Floats = NDArray[np.float64]

FEWEST: Final = 200
"""Rated captions below which nothing is learned: a correlation of .6 is then uncertain by .09."""
HALF_TRUSTED: Final = 4.0
"""k: ratings after which a score counts half as much as one of ever so many."""
ALIGNING: Final = ("bleu4", "rougel", "cider")
"""Metrics that tell whether scores and captions are numbered alike: quick, and without a model."""


@dataclass(frozen=True, eq=False)
class RatedSet:
    """The rated captions of one folder, file or campaign.

    Parameters
    ----------
    name : the data set, such as a year; sets of one name are held out together
    batch : captions, their videos, the references of these
    systems : one place per caption
    scores : people's score of each caption
    weight : of each caption in training; below 1 where fewer people stand behind a score
    notes : what was left out in reading, in sentences
    people : ratings behind each score, where that is known
    features : what a metric looks at, once it is computed
    """

    name: str
    batch: Batch
    systems: Sequence[str]
    scores: Floats
    weight: float = 1.0
    notes: tuple[str, ...] = ()
    people: Floats | None = None
    features: Features | None = None

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def found(self) -> Features:
        if self.features is None:
            raise ValueError(f"set {self.name}: its features are not computed")
        return self.features

    @cached_property
    def standardised(self) -> Floats:
        """Scores by mean and standard deviation of the set: crowds differ in both from set to set,
        and correlations within a set depend on neither."""
        sd = float(self.scores.std())
        return np.asarray((self.scores - self.scores.mean()) / (sd or 1.0))

    def weights(self, by_count: bool) -> Floats:
        """How much each caption counts: n / (n + k), as a mean of n ratings is trusted, where n is
        known and asked for; else the weight of the set."""
        if by_count and self.people is not None:
            return np.asarray(self.people / (self.people + HALF_TRUSTED))
        return np.full(len(self), self.weight)

    def take(self, rows: NDArray[np.intp]) -> RatedSet:
        return replace(
            self,
            batch=self.batch.take(rows),
            systems=[self.systems[row] for row in rows.tolist()],
            scores=self.scores[rows],
            people=None if self.people is None else self.people[rows],
            features=self.features and self.features.take(rows),
        )


def read_rated(
    source: Source,
    *,
    score: str = "z",
    shift: int | str | None = None,
    whole: Path | None = None,
    weight: float = 1.0,
) -> RatedSet:
    """Read a set and line its scores up with its captions.

    Parameters
    ----------
    score : the column of people's scores to learn; the only one there is does as well
    shift, whole : as `correlate` takes them
    weight : of its captions in training

    Raises
    ------
    ValueError
        With the name of the set, when a metric cannot learn from it.
    """
    try:
        for path in (source.human, source.captions, source.references):
            if path is not None and not path.exists():
                raise ValueError(f"there is no {path}")
        inputs = read_inputs(
            source.human,
            captions=[source.captions] if source.captions else (),
            references=source.references,
            whole=whole,
            annotators=(PASSED,),
            scorer=Scorer(ALIGNING, ScoringContext()),
        )
        joined, _, used = inputs.aligned(shift)
        found = checked(_rated(source.name, weight, inputs, joined, score))
        counts = rating_counts(source.human) if is_trecvid(source.human) else {}
        return with_counts(found, counts, used)
    except ValueError as error:
        raise ValueError(f"set {source.name}: {error}") from error


def with_counts(rated: RatedSet, counts: Mapping[tuple[str, str], float], shift: int) -> RatedSet:
    """How many ratings stand behind each score, found where the score was: the shift before."""
    if not counts:
        return rated
    keys = zip(rated.batch.videos, rated.systems, strict=True)
    people = [counts.get((str(int(video) - shift), system), 1.0) for video, system in keys]
    return replace(rated, people=np.array(people))


def _rated(name: str, weight: float, inputs: Inputs, joined: Joined, score: str) -> RatedSet:
    if inputs.captions is None or joined.texts is None:
        raise ValueError("there are no captions")
    names = list(map(str, joined.human.columns))
    if score not in names and len(names) > 1:
        raise ValueError(f"there is no column {score!r} of people's scores: {', '.join(names)}")
    told = inputs.captions.references
    rows = [row for row, video in enumerate(joined.videos) if told.get(video)]
    column = joined.human[score if score in names else names[0]].to_numpy(np.float64)
    scored = np.array([row for row in rows if np.isfinite(column[row])], dtype=np.intp)
    videos = [joined.videos[row] for row in scored.tolist()]
    references = {video: list(told[video].values()) for video in dict.fromkeys(videos)}
    return RatedSet(
        name,
        Batch([joined.texts.iloc[row] for row in scored], videos, references, references),
        [joined.systems[row] for row in scored.tolist()],
        column[scored],
        weight,
        joined.notes,
    )


def checked(rated: RatedSet) -> RatedSet:
    """The set, if something can be learned from it."""
    if not rated.batch.references:
        raise ValueError(
            "no rated caption has a reference, and a learned metric compares captions with "
            "references: name a file of references"
        )
    if len(rated) < FEWEST:
        raise ValueError(
            f"{len(rated)} captions with references are rated; at least {FEWEST} are needed to "
            "learn from: rate more, or add another set"
        )
    if len(set(rated.systems)) < 2:
        raise ValueError(
            f"all captions are of one system, {rated.systems[0]}: what its captions have in "
            "common cannot be separated from what people like; add captions of another"
        )
    if np.ptp(rated.scores) == 0:
        raise ValueError("all captions have the same score, so there is nothing to learn")
    return rated


def by_name(sets: Sequence[RatedSet]) -> Mapping[str, list[RatedSet]]:
    found: dict[str, list[RatedSet]] = {}
    for rated in sets:
        found.setdefault(rated.name, []).append(rated)
    return found
