"""What pages list, sort and filter: columns of a result, written once and mapped from disk.

A worker writes them beside a result's files; a page reads the few columns and rows it shows, so
that a million ratings make no page slow. Pure: an analysis in, an Arrow file out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.presenting.exports import Table, arrow
from analysis.results.pipeline import Analysis, answers
from analysis.stats.captions import usable
from analysis.stats.ratings import Ratings

if TYPE_CHECKING:
    import pyarrow as pa

ANNOTATORS: Final = "annotators.arrow"
CAPTIONS: Final = "captions.arrow"

FLAGS: Final = {
    "scores": "On average, degraded captions got no lower scores than systems’, or systems’ no "
    "lower than people’s",
    "time": "In a HIT, under three seconds a caption were spent",
    "constant": "More than eight equal scores in a row",
    "repeats": "Repeated captions were scored significantly higher or lower than the first time, "
    "or as far from it as two scores taken at random",
    "rejected": "Work was rejected earlier",
    "unwatched": "A score was given sooner than the video takes to play",
}
"""What each flag of `analysis.stats.flags` says, for a person to read."""


def annotators_listing(analysis: Analysis) -> Table:
    """One row per annotator: how much, how well, how fast."""
    ratings, quality = analysis.ratings, analysis.quality
    return {
        "annotator": _texts(ratings.annotators),
        "hits": _hits(ratings),
        "ratings": analysis.standardised.ratings,
        "pairs": quality.pairs.n,
        "original": quality.original_mean,
        "degraded": quality.degraded_mean,
        "p": quality.pairs.p,
        "status": _texts(quality.status),
        "repeats": quality.repeats.n,
        "repeat_distance": quality.repeat_distance,
        "repeat_p": quality.repeats.p,
        "seconds": median_seconds(ratings),
        "mean": analysis.standardised.mean,
        "sd": analysis.standardised.sd,
        "flags": _texts([";".join(raised) for raised in analysis.flags]),
    }


def captions_listing(analysis: Analysis) -> Table:
    """One row per caption with a rating that counts; `disagreement` is the sd of its z scores."""
    ratings, captions = analysis.ratings, analysis.captions
    return {
        "system": _texts(ratings.systems)[captions.system],
        "item": _texts(ratings.items)[captions.item],
        "raw": captions.raw,
        "z": captions.z,
        "n": captions.n,
        "disagreement": disagreement(analysis),
    }


def median_seconds(ratings: Ratings) -> NDArray[np.float64]:
    """Median time each annotator took for a caption; NaN where no time is known."""
    known = np.flatnonzero(~np.isnan(ratings.seconds))
    owner, seconds = ratings.annotator[known], ratings.seconds[known]
    ordered = seconds[np.lexsort((seconds, owner))]
    n = np.bincount(owner, minlength=len(ratings.annotators))
    first = np.cumsum(n) - n
    medians = np.full(len(n), np.nan)
    low, high = (first + (n - 1) // 2)[n > 0], (first + n // 2)[n > 0]
    medians[n > 0] = (ordered[low] + ordered[high]) / 2
    return medians


def disagreement(analysis: Analysis) -> NDArray[np.float64]:
    """Standard deviation (ddof 1) of the z scores behind each caption's; NaN for a single one."""
    ratings, captions = analysis.ratings, analysis.captions
    _, z = answers(ratings, analysis.standardised, analysis.settings)
    rows = np.flatnonzero(usable(ratings, z, analysis.used))
    codes = captions.system * len(ratings.items) + captions.item  # ascending
    place = np.searchsorted(codes, ratings.caption[rows])
    squares = np.bincount(place, (z[rows] - captions.z[place]) ** 2, len(codes))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(captions.n > 1, np.sqrt(squares / (captions.n - 1)), np.nan)


def write_listing(path: Path, table: Table) -> None:
    import pyarrow as pa

    columns = arrow(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, columns.schema) as writer:
        writer.write_table(columns)


def read_listing(path: Path) -> pa.Table:
    """Mapped, not read: what is not looked at stays on disk."""
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def arranged(table: pa.Table, sort: str) -> pa.Table:
    """The rows by one column, from the highest with a leading "-"; what is undefined comes last."""
    import pyarrow.compute as pc

    order = "descending" if sort.startswith("-") else "ascending"
    return table.take(pc.sort_indices(table, sort_keys=[(sort.removeprefix("-"), order)]))


def containing(table: pa.Table, text: str, columns: Sequence[str]) -> pa.Table:
    """The rows that hold the text in one of the columns, large or small letters."""
    import pyarrow.compute as pc

    if not text:
        return table
    found = [pc.match_substring(table[name], text, ignore_case=True) for name in columns]
    mask = found[0]
    for other in found[1:]:
        mask = pc.or_(mask, other)
    return table.filter(mask)


def matching(table: pa.Table, column: str, values: Sequence[object]) -> pa.Table:
    """The rows whose column holds one of the values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(values, table.schema.field(column).type)
    return table.filter(pc.is_in(table[column], value_set=wanted))


def as_table(listed: pa.Table) -> Table:
    """For `analysis.presenting.exports` to write."""
    return {name: listed[name].to_numpy() for name in listed.column_names}


def _hits(ratings: Ratings) -> NDArray[np.int64]:
    """HITs of each annotator; in canonical order an annotator's HIT is one stretch of rows."""
    new = np.ones(len(ratings), dtype=bool)
    new[1:] = np.diff(ratings.annotator) != 0
    new[1:] |= np.diff(ratings.hit) != 0
    return np.bincount(ratings.annotator[new], minlength=len(ratings.annotators))


def _texts(labels: Sequence[str]) -> NDArray[Any]:
    return np.array(labels, dtype=object)
