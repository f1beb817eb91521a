"""Scores of captions, human or a metric's: one row per video and system, one column per score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
KEY = ["video", "system"]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores by video and system.

    Parameters
    ----------
    frame : float columns under an index of video and system, both text; what is missing is NaN, and
        nothing is infinite. The index is unique, except where each row is one rating
    texts : the caption of each row where the source has it, under the same index
    notes : what was left out in reading, in sentences
    unnamed : captions are told apart by numbers within their video and belong to no system
    """

    frame: pd.DataFrame
    texts: pd.Series[str] | None = None
    notes: tuple[str, ...] = ()
    unnamed: bool = False

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.frame.columns]

    @property
    def systems(self) -> list[str]:
        return sorted(set(self.frame.index.get_level_values("system")))

    def only(self, names: Sequence[str]) -> ScoreTable:
        """Some of the columns, in the order given; an unknown name is refused."""
        unknown = [name for name in names if name not in self.frame.columns]
        if unknown:
            raise ValueError(
                f"There is no column {unknown[0]!r} among the scores. Name one of "
                f"{', '.join(self.names)}."
            )
        return replace(self, frame=self.frame[list(names)])

    def with_columns(self, columns: Mapping[str, Floats]) -> ScoreTable:
        return replace(self, frame=self.frame.assign(**dict(columns)))

    def of_systems(self, systems: Sequence[str]) -> ScoreTable:
        """The rows of these systems; one without a row is refused."""
        unknown = sorted(set(systems) - set(self.systems))
        if unknown:
            raise ValueError(
                f"There is no system {unknown[0]!r}. Name one of {', '.join(self.systems)}."
            )
        kept = self.frame.index.get_level_values("system").isin(list(systems))
        return self.where(kept)

    def where(self, kept: NDArray[np.bool_]) -> ScoreTable:
        """Some of the rows, with the texts they had."""
        frame = self.frame[kept]
        texts = None if self.texts is None else self.texts[self.texts.index.isin(frame.index)]
        return replace(self, frame=frame, texts=texts)

    def without_systems(self, systems: Sequence[str]) -> ScoreTable:
        self.of_systems(systems)
        return self.of_systems([name for name in self.systems if name not in systems])


def captions_have(count: int) -> str:
    """
    >>> captions_have(1), captions_have(1200)
    ('1 caption has', '1,200 captions have')
    """
    return "1 caption has" if count == 1 else f"{count:,} captions have"


def score_table(
    videos: Sequence[str],
    systems: Sequence[str],
    columns: Mapping[str, Sequence[float] | Floats],
    *,
    texts: Sequence[str] | None = None,
    notes: Sequence[str] = (),
    source: str = "the table",
    ratings: bool = False,
) -> ScoreTable:
    """A table of these rows. Rows said twice count once and clashing ones are refused, unless each
    is a rating; what is not a number or infinite is missing, and counted.

    >>> score_table(["1", "1"], ["A", "A"], {"z": [0.5, 0.5]}).notes
    ('the table: 1 row is there twice, with the same values, and counts once',)
    """
    import pandas as pd  # not on top: web processes import this module, and never call this

    index = pd.MultiIndex.from_arrays([list(videos), list(systems)], names=KEY)
    values = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    frame = pd.DataFrame(values, index=index)
    said = [*notes, *_infinite(frame, source)]
    frame = frame.replace([np.inf, -np.inf], np.nan)
    again = frame.index.duplicated() & (not ratings)
    if again.any():
        _refuse_clashes(frame, source)
        count = int(again.sum())
        rows, once = ("1 row is", "counts") if count == 1 else (f"{count:,} rows are", "count")
        said.append(f"{source}: {rows} there twice, with the same values, and {once} once")
    captions = None if texts is None else pd.Series(list(texts), index=index, dtype=object)
    if captions is not None:
        captions = captions[~index.duplicated()]
    return ScoreTable(frame[~again], captions, tuple(said))


def table_of_rows(
    videos: Sequence[str],
    systems: Sequence[str],
    metrics: Sequence[str],
    values: Sequence[float],
    *,
    source: str,
    notes: Sequence[str] = (),
) -> ScoreTable:
    """A table of rows with one value each. Values that clash are refused."""
    import pandas as pd  # not on top: web processes import this module, and never call this

    names = [*KEY, "metric", "value"]
    rows = pd.DataFrame(dict(zip(names, (videos, systems, metrics, values), strict=True)))
    distinct = rows.drop_duplicates()
    clashing = distinct[distinct.duplicated(names[:3])]
    if len(clashing):
        video, system, metric, _ = clashing.iloc[0]
        raise ValueError(
            f"{source}: {len(clashing):,} values occur twice and differ; the first is "
            f"{metric} of video {video!r} and system {system!r}. Keep one of each."
        )
    order = list(dict.fromkeys(distinct["metric"]))
    wide = distinct.pivot(index=KEY, columns="metric", values="value")[order]
    again = len(rows) - len(distinct)
    return score_table(
        wide.index.get_level_values("video").tolist(),
        wide.index.get_level_values("system").tolist(),
        {str(name): wide[name].to_numpy() for name in order},
        notes=[
            *notes,
            *([f"{source}: {again:,} values occur twice and count once"] if again else []),
        ],
        source=source,
    )


def beside_each_other(tables: Sequence[ScoreTable], notes: Sequence[str] = ()) -> ScoreTable:
    """One table of all columns; where one has no row of a caption, its columns have no value."""
    import pandas as pd  # not on top: web processes import this module, and never call this

    said = [*(note for table in tables for note in table.notes), *notes]
    if len(tables) == 1:
        return replace(tables[0], notes=tuple(dict.fromkeys(said)))
    texts = [table.texts for table in tables if table.texts is not None]
    words = pd.concat(texts) if texts else None
    return ScoreTable(
        pd.concat([table.frame for table in tables], axis=1),
        None if words is None else words[~words.index.duplicated()],
        tuple(dict.fromkeys(said)),
    )


def _infinite(frame: pd.DataFrame, source: str) -> list[str]:
    counts = np.isinf(frame.to_numpy()).sum(axis=0)
    return [
        f"{source}: {captions_have(count)} an infinite value of {name}, which is left out"
        for name, count in zip(frame.columns, counts.tolist(), strict=True)
        if count
    ]


def _refuse_clashes(frame: pd.DataFrame, source: str) -> None:
    rows = frame.reset_index()
    distinct = rows.drop_duplicates()
    clashing = distinct[distinct.duplicated(KEY)]
    if len(clashing):
        video, system = clashing.iloc[0][KEY]
        raise ValueError(
            f"{source}: {captions_have(len(clashing))} two rows with different scores, the first "
            f"is video {video!r} of system {system!r}. Keep one of each."
        )
