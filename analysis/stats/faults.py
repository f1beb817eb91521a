"""What is wrong with a table of ratings, said so that a person can find and mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One sentence about one row (counted from 0), or about the whole table when row is None."""

    message: str
    row: int | None = None
    first: int | None = None
    """The earlier row this one clashes with."""


class RatingsError(ValueError):
    """Ratings that cannot be analysed: the first faults in row order, and how many there are."""

    def __init__(
        self,
        faults: Iterable[Fault],
        total: int | None = None,
        *,
        source: str = "",
        line: Callable[[int], int] = lambda row: row + 1,
        unit: str = "row",
    ) -> None:
        found = sorted(faults, key=lambda fault: (fault.row is not None, fault.row or 0))
        self.faults = tuple(found[:SHOWN])
        self.total = len(found) if total is None else total
        said = [_sentence(fault, source, line, unit) for fault in self.faults]
        hidden = self.total - len(said)
        super().__init__("\n".join([*said, f"… and {hidden:,} more faults"] if hidden else said))

    def located(self, source: str, line: Callable[[int], int], unit: str = "line") -> RatingsError:
        """The same error, telling the file and the line instead of the row of the table."""
        return RatingsError(self.faults, self.total, source=source, line=line, unit=unit)


@dataclass(slots=True)
class Faults:
    """Faults as they are found: the first few of each sort kept, all of them counted."""

    kept: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(self, rows: NDArray[np.intp], message: Callable[[int], str]) -> None:
        """Faults of the same sort in these rows, which ascend."""
        self.total += len(rows)
        self.kept.extend(Fault(message(row), row) for row in rows[:SHOWN].tolist())

    def refuse(self) -> None:
        """Raise what was found, if anything was."""
        if self.total:
            raise RatingsError(self.kept, self.total)


def _sentence(fault: Fault, source: str, line: Callable[[int], int], unit: str) -> str:
    place = [source] if source else []
    if fault.row is not None:
        place.append(f"{unit} {line(fault.row)}")
    message = fault.message
    if fault.first is not None:
        message += f" (first on {unit} {line(fault.first)})"
    return ": ".join([", ".join(place), message]) if place else message


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A hint to add to a message, empty when nothing is near."""
    near = get_close_matches(word.strip().lower(), list(words), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
