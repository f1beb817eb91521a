"""The first places of a ranking, each score and its interval on one common line. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 100.0
MARGIN = 4.0  # so that a mark at the end of the line is not cut


@dataclass(frozen=True)
class Standing:
    """A system's place; ``left``, ``mark`` and ``right`` are places on the line, 0 to `WIDTH`."""

    ranks: str
    system: str
    z: float
    low: float | None
    high: float | None
    left: float
    mark: float
    right: float


def top_standings(systems: Sequence[Mapping[str, Any]], count: int) -> list[Standing]:
    """The first ``count`` of a result's systems; those without a score have no place."""
    rows = [row for row in systems if row["z"] is not None][:count]
    ends = [end for row in rows for end in _ends(row)]
    if not ends:
        return []
    lowest, span = min(ends), max(ends) - min(ends)

    def place(value: float) -> float:
        share = (value - lowest) / span if span else 0.5
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    return [
        Standing(
            ranks=_ranks(row["range_low"], row["range_high"]),
            system=row["system"],
            z=row["z"],
            low=row["z_low"],
            high=row["z_high"],
            left=place(min(_ends(row))),
            mark=place(row["z"]),
            right=place(max(_ends(row))),
        )
        for row in rows
    ]


def _ends(row: Mapping[str, Any]) -> Iterable[float]:
    """Without an interval, as of a single caption, the score is all there is."""
    return [row[name] for name in ("z_low", "z", "z_high") if row[name] is not None]


def _ranks(low: float | None, high: float | None) -> str:
    """
    >>> _ranks(1.0, 1.0), _ranks(2, 4), _ranks(None, None)
    ('1', '2–4', '–')
    """
    if low is None or high is None:
        return "–"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
