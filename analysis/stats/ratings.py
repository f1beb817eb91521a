"""Ratings as columns of numbers: the one form every statistic is computed from.

Labels become codes into their sorted list, and rows stand in one canonical order (annotator, hit,
system, item, kind, position). From that follow: the order of rows in a file means nothing, not
even in the last digit of a sum; an annotator's rows lie together; a degraded or repeated rating
lies right behind its original; equal rows are neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from analysis.stats.columns import (
    Codes,
    RowFaults,
    all_blank,
    durations,
    encode,
    finite_numbers,
    moments,
    points,
    row_fault,
    sort_labels,
    whole_numbers,
)
from daplatform.tables import SHOWN, Kind, TableError
from hits.protocols.direct_assessment import SCALE

KINDS: Final = ("system", "reference", "degraded", "repeat")
SYSTEM, REFERENCE, DEGRADED, REPEAT = range(4)
REQUIRED: Final = ("annotator", "hit", "system", "item", "kind", "score")
OPTIONAL: Final = ("seconds", "fluency", "position", "submitted_at")
_Z_DIGITS: Final = 9
_PACKABLE: Final = 2**63
_OF_A_CAPTION: Final = np.array([True, False, False, True])


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One row per rating (PROTOCOL §6), in canonical order; make one with a `from_…` method."""

    annotator: Codes
    hit: Codes
    system: Codes
    item: Codes
    kind: NDArray[np.int8]
    score: NDArray[Any]
    """Whole numbers where all are; with half points, or z scores, floats."""
    seconds: NDArray[np.float64]
    annotators: tuple[str, ...]
    hits: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    fluency: NDArray[np.int16] | None = None
    position: NDArray[np.int32] | None = None
    submitted_at: NDArray[np.datetime64] | None = None
    is_standardised: bool = False
    """Whether the scores are z scores already: what people really gave is then not known."""

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, Any], *, orphans: bool = False, standardised: bool = False
    ) -> Self:
        """Check and encode columns named as in the ratings file.

        Parameters
        ----------
        columns
            Arrow arrays, pandas Series, numpy arrays or lists, by name. Further names are ignored.
        orphans
            Allow degraded ratings whose original is not there, as when a HIT is still under way.
        standardised
            The scores are z scores already.

        Raises
        ------
        TableError
            With the first faults and their rows.

        >>> ratings = Ratings.from_columns({
        ...     "annotator": ["w2", "w1"], "hit": ["h", "h"], "system": ["A", "A"],
        ...     "item": [7, 7], "kind": ["system", "system"], "score": [80, 20],
        ...     "seconds": [3.5, 4.0]})
        >>> ratings.annotators, ratings.score.tolist()
        (('w1', 'w2'), [20, 80])
        """
        check_names(columns)
        faults = RowFaults()
        labels = {name: encode(name, columns[name], faults) for name in REQUIRED[:4]}
        whole: dict[str, Any] = {
            "kind": _kind_codes(columns["kind"], faults),
            "score": finite_numbers("score", columns["score"], faults)
            if standardised
            else points("score", columns["score"], SCALE.low, SCALE.high, faults),
        }
        whole["seconds"] = np.full(len(whole["score"]), np.nan)
        for name, read in _OPTIONAL_READERS.items():
            if name in columns and not all_blank(columns[name]):
                whole[name] = read(name, columns[name], faults)
        faults.refuse()
        found = cls._canonical(labels, whole, orphans=orphans)
        return replace(found, is_standardised=True) if standardised else found

    @classmethod
    def from_table(cls, table: Any, *, orphans: bool = False) -> Self:
        """Check and encode an Arrow table or a pandas DataFrame."""
        names = getattr(table, "column_names", None) or list(table.columns)
        return cls.from_columns({str(name): table[name] for name in names}, orphans=orphans)

    @classmethod
    def from_codes(
        cls,
        codes: Mapping[str, NDArray[Any]],
        labels: Mapping[str, Sequence[str]],
        *,
        orphans: bool = True,
    ) -> Self:
        """Ratings the caller has coded, and vouches for: a database's own checked columns.

        Parameters
        ----------
        codes
            The columns by name: `annotator`, `hit`, `system`, `item` as codes into `labels`, `kind`
            as a code into `KINDS`, the others as numbers.
        labels
            The label of each code, in any order, by the same four names.
        """
        coded = {name: sort_labels(codes[name], labels[name]) for name in REQUIRED[:4]}
        whole = {name: values for name, values in codes.items() if name not in coded}
        return cls._canonical(coded, whole, orphans=orphans)

    @classmethod
    def _canonical(
        cls,
        labels: Mapping[str, tuple[Codes, tuple[str, ...]]],
        whole: Mapping[str, NDArray[Any]],
        *,
        orphans: bool,
    ) -> Self:
        columns = {name: codes for name, (codes, _) in labels.items()} | dict(whole)
        order = _canonical_order(columns)
        if len(order) == 0:
            nothing = row_fault(Kind.EMPTY_FILE, "There are no ratings.", "Add rows of ratings.")
            raise TableError([nothing])
        arranged: dict[str, Any] = {
            name: values[order].astype(_dtype(name, values), copy=False)
            for name, values in columns.items()
        }
        arranged |= {f"{name}s": names for name, (_, names) in labels.items()}
        ratings = cls(**arranged)
        ratings._refuse_duplicates(order)
        if not orphans:
            ratings._refuse_orphans(order)
        return ratings

    def __len__(self) -> int:
        return len(self.score)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Some of the rows (a mask, or ascending indices); codes and labels stay as they are."""
        columns = {name: getattr(self, name) for name in _DTYPES}
        return replace(
            self, **{name: values[rows] for name, values in columns.items() if values is not None}
        )

    @property
    def scores_a_caption(self) -> NDArray[np.bool_]:
        """Rows that count towards a caption's score: `system` and `repeat` (PROTOCOL §5.3)."""
        return _OF_A_CAPTION[self.kind]

    @property
    def wide_score(self) -> NDArray[Any]:
        """Scores of a type in which differences and sums stay exact.

        z scores are rounded: noise of the last digits would break ties and flip verdicts.
        """
        if self.is_standardised:
            return np.asarray(self.score.round(_Z_DIGITS))
        return self.score.astype(np.int64) if self.score.dtype.kind == "i" else self.score

    @property
    def caption(self) -> NDArray[np.int64]:
        """One code per (system, item): system × number of items + item."""
        return self.system.astype(np.int64) * len(self.items) + self.item

    def originals(self, kind: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows of a kind (DEGRADED or REPEAT) and, for each, the row of its original or −1.

        The original is the `system` or `reference` rating of the same caption by the same
        annotator in the same HIT; the first of them, where there are several.
        """
        starts = self._caption_starts()
        first = np.maximum.accumulate(np.where(starts, np.arange(len(self)), 0))
        rows = np.flatnonzero(self.kind == kind)
        original = first[rows]
        return rows, np.where(self.kind[original] <= REFERENCE, original, -1)

    def _caption_starts(self) -> NDArray[np.bool_]:
        """Whether a row begins a new (annotator, hit, system, item)."""
        starts = np.zeros(len(self), dtype=bool)
        starts[:1] = True
        for column in (self.annotator, self.hit, self.system, self.item):
            starts[1:] |= column[1:] != column[:-1]
        return starts

    def _refuse_duplicates(self, order: NDArray[np.intp]) -> None:
        same = ~self._caption_starts()[1:] & (self.kind[1:] == self.kind[:-1])
        if self.position is not None:
            same &= self.position[1:] == self.position[:-1]
        again = np.flatnonzero(same) + 1
        pairs = np.sort(np.column_stack([order[again - 1], order[again]]), axis=1)
        shown = np.argsort(pairs[:, 1])[:SHOWN]
        if len(again):
            raise TableError(
                [
                    row_fault(
                        Kind.REPEATED_ROW,
                        f"These are two ratings of {self._described(row)}.",
                        "Keep one of them.",
                        later,
                        earlier,
                    )
                    for row, (earlier, later) in zip(
                        again[shown], pairs[shown].tolist(), strict=True
                    )
                ],
                len(again),
            )

    def _refuse_orphans(self, order: NDArray[np.intp]) -> None:
        rows, originals = self.originals(DEGRADED)
        orphans = rows[originals < 0]
        orphans = orphans[np.argsort(order[orphans])]
        place = dict(zip(order[orphans].tolist(), orphans.tolist(), strict=True))
        faults = RowFaults()
        faults.add(
            order[orphans],
            Kind.MISSING_ROW,
            lambda row: f"There is no rating of the original of {self._described(place[row])}.",
            "Add it, or delete this row.",
        )
        faults.refuse()

    def _described(self, row: int | np.intp) -> str:
        return (
            f"kind {KINDS[self.kind[row]]!r}, system {self.systems[self.system[row]]!r}, "
            f"item {self.items[self.item[row]]!r} by annotator "
            f"{self.annotators[self.annotator[row]]!r} in hit {self.hits[self.hit[row]]!r}"
        )


_OPTIONAL_READERS: Final[Mapping[str, Callable[[str, Any, RowFaults], NDArray[Any]]]] = {
    "seconds": durations,
    "fluency": lambda name, column, faults: whole_numbers(
        name, column, SCALE.low, SCALE.high, faults
    ),
    "position": lambda name, column, faults: whole_numbers(name, column, 0, 10**9, faults),
    "submitted_at": moments,
}
_DTYPES: Final = {
    "annotator": np.int32,
    "hit": np.int32,
    "system": np.int32,
    "item": np.int32,
    "kind": np.int8,
    "score": np.int16,
    "seconds": np.float64,
    "fluency": np.int16,
    "position": np.int32,
    "submitted_at": np.dtype("datetime64[us]"),
}


def _dtype(name: str, values: NDArray[Any]) -> Any:
    is_fraction = name == "score" and values.dtype.kind == "f"
    return np.float64 if is_fraction else _DTYPES[name]


def check_names(columns: Iterable[str]) -> None:
    """Refuse names of columns that lack one of a ratings file's."""
    names = list(columns)
    missing = [name for name in REQUIRED if name not in names]
    others = [name for name in names if name not in (*REQUIRED, *OPTIONAL)]
    plain = {other.lower(): other for other in others}
    near = {name: get_close_matches(name, plain, n=1) for name in missing}
    faults = [
        row_fault(
            Kind.MISSING_COLUMN, f"There is no column {name!r}.", f"Rename {plain[found[0]]!r}."
        )
        for name, found in near.items()
        if found
    ]
    lost = [repr(name) for name, found in near.items() if not found]
    if lost:
        there = ", ".join(others)[:200] or "none"
        faults.append(
            row_fault(
                Kind.MISSING_COLUMN,
                f"There is no column {', '.join(lost)} (other columns: {there}).",
                "Add it, or rename the column that holds it.",
            )
        )
    if faults:
        raise TableError(faults)


def _kind_codes(column: Any, faults: RowFaults) -> NDArray[np.int8]:
    codes, labels = encode("kind", column, faults)
    known = np.array([KINDS.index(kind) if kind in KINDS else -1 for kind in labels] or [-1])
    unknown = [code for code, kind in enumerate(labels) if kind and kind not in KINDS]
    faults.add(
        np.flatnonzero(np.isin(codes, unknown)),
        Kind.VALUE,
        lambda row: f"There is no kind {labels[codes[row]][:40]!r}.",
        lambda row: _nearest_kind(labels[codes[row]]),
    )
    return known[codes].astype(np.int8)


def _nearest_kind(kind: str) -> str:
    near = get_close_matches(kind.strip().lower(), list(KINDS), n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}?" if near else f"It must be one of {', '.join(KINDS)}."


def _canonical_order(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.intp]:
    """The order of rows by annotator, hit, system, item, kind and position."""
    names = ["annotator", "hit", "system", "item", "kind"]
    names += ["position"] if "position" in columns else []
    keys = [columns[name] for name in names]
    sizes = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(sizes) >= _PACKABLE:
        return np.lexsort(keys[::-1])
    packed = np.zeros(len(keys[0]), dtype=np.int64)
    for key, size in zip(keys, sizes, strict=True):
        packed *= size
        packed += key
    if np.all(packed[1:] >= packed[:-1]):
        return np.arange(len(packed))
    return np.argsort(packed)
