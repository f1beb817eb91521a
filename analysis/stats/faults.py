"""What is wrong with the rows of a table of ratings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from daplatform.tables import SHOWN, Fault, Kind, Severity, TableError, Where


def row_fault(
    kind: Kind, message: str, remedy: str, row: int | None = None, first: int | None = None
) -> Fault:
    """A fault of a row (counted from 0) that may clash with an earlier one, or of the table."""
    here, earlier = (None if at is None else at + 1 for at in (row, first))
    return Fault(Severity.ERROR, kind, Where(line=here, unit="row", first=earlier), message, remedy)


@dataclass(slots=True)
class RowFaults:
    """Faults as they are found: the first few of each sort kept, all of them counted."""

    kept: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(
        self,
        rows: NDArray[np.intp],
        kind: Kind,
        message: Callable[[int], str],
        remedy: str | Callable[[int], str],
    ) -> None:
        """Faults of the same sort in these rows, which ascend."""
        self.total += len(rows)
        for row in rows[:SHOWN].tolist():
            way_out = remedy if isinstance(remedy, str) else remedy(row)
            self.kept.append(row_fault(kind, message(row), way_out, row))

    def refuse(self) -> None:
        """Raise what was found, if anything was."""
        if self.total:
            raise TableError(self.kept, self.total)
