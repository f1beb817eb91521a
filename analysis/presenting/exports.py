"""Tables, and their cells as files have them. Pure.

What is not defined is NaN in CSV and null in JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.stats.ratings import KINDS, Ratings

if TYPE_CHECKING:
    import pyarrow as pa

Table = Mapping[str, NDArray[Any]]


def ratings_table(ratings: Ratings, rows: slice = slice(None)) -> Table:
    """Ratings in the platform's own format (PROTOCOL §6), as a file of them would hold them."""
    table = {
        name: _texts(getattr(ratings, f"{name}s"))[getattr(ratings, name)[rows]]
        for name in ("annotator", "hit", "system", "item")
    }
    table |= {"kind": _texts(KINDS)[ratings.kind[rows]], "score": ratings.score[rows]}
    table |= {"seconds": ratings.seconds[rows]}
    if ratings.fluency is not None:
        table["fluency"] = ratings.fluency[rows]
    if ratings.position is not None:
        table["position"] = ratings.position[rows]
    if ratings.submitted_at is not None:
        moments = np.datetime_as_string(ratings.submitted_at[rows], unit="ms", timezone="UTC")
        table["submitted_at"] = _texts(moments.tolist())
    return table


def records(table: Table) -> list[dict[str, Any]]:
    """One dictionary per row, None for what is not defined."""
    columns = [plain_cells(name, column) for name, column in table.items()]
    return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]


def _texts(labels: Sequence[str]) -> NDArray[Any]:
    return np.array(labels, dtype=object)


def arrow(table: Table) -> pa.Table:
    """As Arrow has it. A column of texts is one without any row, too: Arrow would not know."""
    import pyarrow as pa

    return pa.table(
        {
            name: pa.array(column, pa.string() if column.dtype == object else None)
            for name, column in table.items()
        }
    )


def plain_cells(name: str, column: NDArray[Any]) -> list[Any]:
    """Python values: ranks as whole numbers, None for NaN, infinity in words."""
    values: list[Any] = column.tolist()
    if column.dtype.kind != "f":
        return values
    number = int if name.startswith(("rank_", "range_")) else float
    return [plain_number(value, number) for value in values]


def plain_number(value: float, number: Callable[[float], float] = float) -> float | str | None:
    """As JSON knows it."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return number(value)


def as_lines(content: Mapping[str, object]) -> bytes:
    """JSON: one member, and in a list one record, to a line; quick to write and to read."""
    members = (f"{compact(name)}: {_json_value(value)}" for name, value in content.items())
    return ("{\n" + ",\n".join(members) + "\n}\n").encode()


def _json_value(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(compact(record) for record in value) + "\n]"
    return compact(value)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
