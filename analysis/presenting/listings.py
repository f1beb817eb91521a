"""What pages list, sort and filter: columns of a result, written once and mapped from disk.

A worker writes them beside a result's files; a page reads the few columns and rows it shows, so
that a million ratings make no page slow. `analysis.results.listings` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.presenting.exports import Table, arrow

if TYPE_CHECKING:
    import pyarrow as pa

ANNOTATORS: Final = "annotators.arrow"
CAPTIONS: Final = "captions.arrow"

FLAGS: Final = {
    "scores": "On average, degraded captions got no lower scores than systems’, or systems’ no "
    "lower than people’s",
    "time": "Less than three seconds per caption in a HIT",
    "constant": "More than eight equal scores in a row",
    "repeats": "Repeated captions were scored significantly higher or lower than the first time, "
    "or differed as much as two scores picked at random",
    "rejected": "Earlier work was not paid",
    "unwatched": "A score was given sooner than the video takes to play",
}
"""What each flag of `analysis.stats.flags` says, for a person to read."""


def flag_shown(flag: str) -> str:
    """A flag in the words of pages: what marketplaces and files call rejected is not paid here."""
    return "not paid" if flag == "rejected" else flag


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
