"""Human and metric rows beside each other, and what has no counterpart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from analysis.evaluation.scores import KEY, ScoreTable, captions_have
from analysis.metrics.learned.training_list import TrainingList, digest

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 3
NO_SYSTEM = "captions"


@dataclass(frozen=True, eq=False)
class Joined:
    """Captions with scores on both sides, in one order, and those with scores on one side only."""

    human: pd.DataFrame
    metrics: pd.DataFrame
    texts: pd.Series[str] | None
    only_human: pd.Index
    only_metrics: pd.Index
    notes: tuple[str, ...]
    unnamed: bool = False
    """Captions are numbered within their video and belong to no system."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Of metrics that are there several times: their names with the settings that differ."""
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Digests of each video's references, by which a mix that learned from it knows it again."""

    def __len__(self) -> int:
        return len(self.human)

    @property
    def videos(self) -> list[str]:
        return [str(name) for name in self.human.index.get_level_values("video")]

    @property
    def systems(self) -> list[str]:
        if self.unnamed:
            return [NO_SYSTEM] * len(self)
        return [str(name) for name in self.human.index.get_level_values("system")]

    def learned_from(self, videos: Sequence[str], systems: Sequence[str]) -> TrainingList | None:
        """These captions, for a metric that was fitted on them; None where texts are not known."""
        if self.texts is None:
            return None
        keys = set(zip(videos, systems, strict=True))
        rows = zip(self.videos, self.systems, self.texts, strict=True)
        return TrainingList(
            frozenset(digest(text) for video, system, text in rows if (video, system) in keys),
            frozenset(one for video in set(videos) for one in self.references.get(video, ())),
        )

    @property
    def captions(self) -> int:
        """How many there are: fewer than rows, where each row is one rating."""
        return int(self.human.index.nunique())


def join(
    human: ScoreTable, metrics: ScoreTable, *, texts: pd.Series[str] | None = None, shift: int = 0
) -> Joined:
    """Rows of the same video and system, sorted; the score of video i goes to video i + shift.

    Raises
    ------
    ValueError
        When no caption has scores on both sides.
    """
    people = shifted(human.frame, shift)
    both = people.index.intersection(metrics.frame.index).sort_values()
    if both.empty:
        raise ValueError(
            "No caption has a human score and a metric score: people scored "
            f"{_examples(people.index)}, metrics {_examples(metrics.frame.index)}. Name videos "
            "and systems the same way in both."
        )
    only_human = people.index.unique().difference(both)
    only_metrics = metrics.frame.index.difference(both)
    notes = [*human.notes, *metrics.notes]
    notes += _one_sided(only_human, both, "a human score but no metric score")
    notes += _one_sided(only_metrics, both, "metric scores but no human score")
    captions = metrics.texts if texts is None else texts
    rows = people[people.index.isin(both)].sort_values([*KEY, *people.columns])
    return Joined(
        human=rows,
        metrics=metrics.frame.loc[rows.index],
        texts=None if captions is None else captions.reindex(rows.index).fillna(""),
        only_human=only_human,
        only_metrics=only_metrics,
        notes=tuple(notes),
        unnamed=human.unnamed,
    )


def shifted(frame: pd.DataFrame, shift: int) -> pd.DataFrame:
    """The same rows under other video numbers."""
    import pandas as pd  # not on top: web processes import this module, and never call this

    if shift == 0:
        return frame
    numbers = line_numbers(frame.index)
    if numbers is None:
        raise ValueError(
            "A shift needs videos named by whole numbers, and these are not: leave out --shift."
        )
    videos = (numbers + shift).astype(str)
    index = pd.MultiIndex.from_arrays([videos, frame.index.get_level_values("system")], names=KEY)
    return frame.set_axis(index, axis=0)


def line_numbers(index: pd.Index) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Videos as numbers, where all of them are written as one."""
    labels = index.get_level_values("video")
    if not all(str(label).isdecimal() for label in labels.unique()):
        return None
    return np.array([int(label) for label in labels], dtype=np.int64)


def _one_sided(index: pd.Index, both: pd.Index, what: str) -> list[str]:
    """How many captions there are on one side; systems that are wholly missing are named."""
    if index.empty:
        return []
    missing = sorted(set(index.get_level_values("system")) - set(both.get_level_values("system")))
    whole = f", among them all of {', '.join(missing)}" if missing else ""
    return [f"{captions_have(len(index))} {what}{whole}; listed and left out"]


def _examples(index: Sequence[tuple[str, str]] | pd.Index) -> str:
    named = [f"video {video!r} of {system!r}" for video, system in list(index[:SHOWN])]
    return ", ".join(named) + ("…" if len(index) > SHOWN else "")
