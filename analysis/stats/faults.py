"""What is wrong with a table of ratings, said so that a person can find and mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Fault:
    """One sentence about one row (counted from 0), or about the whole table when row is None."""

    message: str
    row: int | None = None
    first: int | None = None
    """The earlier row this one clashes with."""


class RatingsError(ValueError):
    """Ratings that cannot be analysed: the first faults in row order, and how many there are."""

    def __init__(self, faults: Iterable[Fault], total: int | None = None, source: str = "") -> None:
        found = sorted(faults, key=lambda fault: (fault.row is not None, fault.row or 0))
        self.faults = tuple(found[:SHOWN])
        self.total = len(found) if total is None else total
        super().__init__("\n".join(self._sentences(source, lambda row: row + 1, "row")))

    def located(self, source: str, lines: Callable[[int], int], unit: str = "line") -> RatingsError:
        """The same error, telling the file and the line instead of the row of the table."""
        error = RatingsError(self.faults, self.total)
        error.args = ("\n".join(self._sentences(source, lines, unit)),)
        return error

    def _sentences(self, source: str, lines: Callable[[int], int], unit: str) -> list[str]:
        said = [_sentence(fault, source, lines, unit) for fault in self.faults]
        hidden = self.total - len(said)
        return [*said, f"… and {hidden:,} more faults"] if hidden > 0 else said


def _sentence(fault: Fault, source: str, lines: Callable[[int], int], unit: str) -> str:
    place = [source] if source else []
    if fault.row is not None:
        place.append(f"{unit} {lines(fault.row)}")
    message = fault.message
    if fault.first is not None:
        message += f" (first on {unit} {lines(fault.first)})"
    return ": ".join([", ".join(place), message]) if place else message


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A hint to add to a message, empty when nothing is near."""
    near = get_close_matches(word.strip().lower(), list(words), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
