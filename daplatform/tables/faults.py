"""What is wrong with files: where, what, and what to do about it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

_SUGGESTIBLE = 200


def quoted(text: str, longest: int = 60) -> str:
    """The text as a message may show it: short, in quotes, on one line, in printable characters.

    >>> quoted("one" + chr(10) + "two")
    "'one\\\\ntwo'"
    """
    return repr(text if len(text) <= longest else f"{text[: longest - 1]}…")


def shown(name: str) -> str:
    """A file name as a message may show it, whatever bytes the file system had for it."""
    return name if name.isprintable() else quoted(name)


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "line"), counted(1200, "line")
    ('1 line', '1,200 lines')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def suggestion(word: str, choices: Collection[str]) -> str:
    """ "Did you mean …?", or nothing where no choice is near.

    >>> suggestion("Human-A", ["human-a", "human-b"])
    "Did you mean 'human-a'?"
    """
    if len(choices) > _SUGGESTIBLE or len(word) > _SUGGESTIBLE:
        return ""
    folded = {choice.casefold(): choice for choice in choices}
    nearest = difflib.get_close_matches(word.strip().casefold(), folded, n=1, cutoff=0.75)
    return f"Did you mean {quoted(folded[nearest[0]])}?" if nearest else ""


SHOWN: Final = 20
"""Faults that one message tells of."""


class Severity(StrEnum):
    """An error forbids the import; a warning is for the organiser to think about."""

    ERROR = "error"
    WARNING = "warning"


class Kind(StrEnum):
    """The families of faults, for counting and for pages that group them."""

    ARCHIVE = "archive"
    MISSING_FILE = "missing file"
    AMBIGUOUS_FILE = "ambiguous file"
    UNREADABLE_FILE = "unreadable file"
    EMPTY_FILE = "empty file"
    UNUSED_FILE = "unused file"
    LINK = "link"
    ENCODING = "encoding"
    UNUSED_SHEET = "unused sheet"
    LINE_BREAK = "line break"
    LONG_LINE = "long line"
    MISSING_COLUMN = "missing column"
    REPEATED_COLUMN = "repeated column"
    UNUSED_COLUMN = "unused column"
    FIELD_COUNT = "field count"
    QUOTING = "quoting"
    JSON = "JSON"
    NOT_TEXT = "not text"
    LINE_COUNT = "line count"
    VALUE = "value"
    REPEATED_ROW = "repeated row"
    MISSING_ROW = "missing row"
    TOML = "TOML"
    SETTING = "setting"
    UNKNOWN_SETTING = "unknown setting"
    NAME = "name"
    SHARED_NAME = "shared name"
    UNKNOWN_VIDEO = "unknown video"
    DUPLICATE_VIDEO = "duplicate video"
    EMPTY_CAPTION = "empty caption"
    DUPLICATE_CAPTION = "duplicate caption"
    MISSING_CAPTIONS = "missing captions"
    CONTROL_CHARACTER = "control character"
    LOST_CHARACTER = "lost character"
    LONG_TEXT = "long text"
    TOO_MANY = "too many"
    ADDRESS = "address"
    PATH = "path"
    MISSING_VIDEO = "missing video"
    EMPTY_VIDEO = "empty video"
    UNREADABLE_VIDEO = "unreadable video"
    UNPLAYABLE_VIDEO = "unplayable video"
    REPEATED_VIDEO_FILE = "repeated video file"


class Where(NamedTuple):
    """A place in a file; line and column only where they mean something.

    Parameters
    ----------
    unit : what is counted: lines of a file, rows of a table that has none
    first : an earlier line, where two of them clash
    """

    file: str = ""
    line: int | None = None
    column: str = ""
    unit: str = "line"
    first: int | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f"{self.unit} {self.line}"
        if self.first is not None:
            line = f"{self.unit}s {self.first} and {self.line}"
        column = f"column {self.column}" if self.column else ""
        return ", ".join(part for part in (self.file, line, column) if part)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, and the way out of it."""

    severity: Severity
    kind: Kind
    where: Where
    message: str
    remedy: str

    def __str__(self) -> str:
        place = str(self.where)
        place = f"{place}: " if place else ""
        return f"{place}{self.message} {self.remedy}".rstrip()

    def as_dict(self) -> dict[str, str | int | None]:
        """The fault in JSON's own types, as a page or a stored report wants it."""
        return {
            "severity": self.severity.value,
            "kind": self.kind.value,
            "file": self.where.file,
            "line": self.where.line,
            "column": self.where.column,
            "message": self.message,
            "remedy": self.remedy,
        }


class Faults:
    """Every fault counted, and the first `kept` of each kind remembered.

    The limit is per kind, so that a million empty captions cannot hide one missing file, and a
    hostile campaign cannot fill the memory with complaints about itself.
    """

    def __init__(self, kept: int = 1000) -> None:
        self._kept = kept
        self._faults: list[Fault] = []
        self._counts: Counter[tuple[Severity, Kind]] = Counter()
        self._wrong: set[tuple[str, Kind]] = set()  # files, and what is wrong with them

    def error(self, kind: Kind, where: Where, message: str, remedy: str = "") -> None:
        self._add(Severity.ERROR, kind, where, message, remedy)

    def warning(self, kind: Kind, where: Where, message: str, remedy: str = "") -> None:
        self._add(Severity.WARNING, kind, where, message, remedy)

    def _add(self, severity: Severity, kind: Kind, where: Where, message: str, remedy: str) -> None:
        self._counts[severity, kind] += 1
        if severity is Severity.ERROR:
            self._wrong.add((where.file, kind))
        if self._counts[severity, kind] <= self._kept:
            self._faults.append(Fault(severity, kind, where, message, remedy))

    def is_full(self, kind: Kind) -> bool:
        """Whether further errors of this kind are only counted, so costly advice is wasted."""
        return self._counts[Severity.ERROR, kind] >= self._kept

    def has_errors(self, file: str, kinds: Iterable[Kind] = Kind) -> bool:
        """Whether a file has such errors, so that what follows from them need not be told."""
        return any((file, kind) in self._wrong for kind in kinds)

    def refuse(self) -> None:
        """Raise the errors, if there are any."""
        if self.errors:
            found = [fault for fault in self if fault.severity is Severity.ERROR]
            raise TableError(found, self.errors)

    @property
    def notes(self) -> tuple[str, ...]:
        """The warnings, as sentences of a report that lists them without their remedies."""
        return tuple(
            f"{fault.where}: {fault.message.removesuffix('.')}"
            for fault in self
            if fault.severity is Severity.WARNING
        )

    @property
    def errors(self) -> int:
        return self._total(Severity.ERROR)

    @property
    def warnings(self) -> int:
        return self._total(Severity.WARNING)

    def _total(self, wanted: Severity) -> int:
        return sum(count for (severity, _), count in self._counts.items() if severity == wanted)

    @property
    def unlisted(self) -> dict[Kind, int]:
        """How many faults of a kind were counted but not remembered."""
        excess: Counter[Kind] = Counter()
        for (_, kind), count in self._counts.items():
            excess[kind] += max(0, count - self._kept)
        return {kind: count for kind, count in excess.items() if count}

    def __iter__(self) -> Iterator[Fault]:
        """Errors first, each severity in the order of the files and lines."""
        return iter(
            sorted(
                self._faults,
                key=lambda fault: (fault.severity, fault.where.file, fault.where.line or 0),
            )
        )

    def __len__(self) -> int:
        return self.errors + self.warnings


class TableError(ValueError):
    """A table that cannot be used, said by its first faults and how many there are."""

    def __init__(self, faults: Iterable[Fault], total: int | None = None) -> None:
        found = sorted(faults, key=lambda fault: (fault.where.file, fault.where.line or 0))
        self.faults = tuple(found[:SHOWN])
        self.total = len(found) if total is None else total
        said = [str(fault) for fault in self.faults]
        hidden = self.total - len(said)
        super().__init__("\n".join([*said, f"… and {hidden:,} more errors."] if hidden else said))

    def located(self, file: str, line: Callable[[int], int], unit: str = "line") -> TableError:
        """The same faults, told by the lines of a file in place of the rows of a table.

        Parameters
        ----------
        line : the line of a row, both counted from 1
        """

        def moved(where: Where) -> Where:
            first = None if where.first is None else line(where.first)
            own = None if where.line is None else line(where.line)
            return Where(file, own, where.column, unit, first)

        return TableError(
            [replace(fault, where=moved(fault.where)) for fault in self.faults], self.total
        )


class FirstFault(Faults):
    """Raises the first error, for readers that have no use for what comes after it."""

    def _add(self, severity: Severity, kind: Kind, where: Where, message: str, remedy: str) -> None:
        if severity is Severity.ERROR:
            raise TableError([Fault(severity, kind, where, message, remedy)])
        super()._add(severity, kind, where, message, remedy)


class Unusable(Exception):
    """Raised inside this package where a file cannot be made plain text."""

    def __init__(self, kind: Kind, message: str, remedy: str) -> None:
        super().__init__(message)
        self.kind, self.message, self.remedy = kind, message, remedy
