"""The statistics of a ranking: the ``FINDINGS`` of every module in `analysis.results.findings`.

A finding is computed once and stored as numbers. The ranking's page, the report and report.json are
made of these numbers when somebody asks for them. To add a statistic, add a file.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import analysis.results.findings
from analysis.presenting.document import Shown
from analysis.presenting.exports import Table
from analysis.results.numbers import as_json, from_json, shape
from analysis.results.settings import Settings
from analysis.stats.signature import Signature

if TYPE_CHECKING:
    from analysis.results.pipeline import Material


class Section(StrEnum):
    """Where a finding stands, on the page and in the report."""

    RANKING = "ranking"
    TRUST = "trust"
    RATINGS = "ratings"


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there was, and how much of it the ranking uses."""

    ratings: int
    ratings_used: int
    ratings_without_z: int
    annotators: int
    annotators_used: int
    annotators_passed: int
    annotators_failed: int
    annotators_insufficient: int
    captions: int
    systems: int


@dataclass(frozen=True)
class Context:
    """What findings are shown with.

    Parameters
    ----------
    adjusted : which p tells two systems apart: p, p_holm or p_bh
    """

    settings: Settings
    counts: Counts
    adjusted: str = "p"


@dataclass(frozen=True, eq=False)
class Finding:
    """One statistic.

    Parameters
    ----------
    name : of its numbers where they are stored, and of its place on a page
    title : its heading
    question : what it answers, in the list of questions of the page
    numbers : the dataclass that is stored; its fields are plain (`analysis.results.numbers`)
    compute : the numbers; None where there is nothing to compute them from
    show : the numbers in words, tables and charts
    record : members of report.json; under its own name, where nothing is said
    tables : tables that are files of their own, by name
    place : the lower, the earlier it stands in its section
    is_quick : computed however many ratings there are
    page : the template that shows it on the page
    """

    name: str
    title: str
    numbers: Any
    compute: Callable[[Material], Any]
    show: Callable[[Any, Context], Shown]
    question: str = ""
    record: Callable[[Any], Mapping[str, Any]] | None = None
    tables: Mapping[str, Callable[[Any], Table]] = field(default_factory=dict)
    section: Section = Section.TRUST
    place: int = 100
    is_quick: bool = False
    page: str = "analysis/_finding.html"

    def members(self, numbers: Any) -> Mapping[str, Any]:
        """What report.json says of it."""
        return {self.name: numbers} if self.record is None else self.record(numbers)


SECTIONS: Final = tuple(Section)


@cache
def findings() -> tuple[Finding, ...]:
    """Every finding, in the order it is shown."""
    package = analysis.results.findings
    found: list[Finding] = []
    for module in pkgutil.iter_modules(package.__path__):
        found.extend(importlib.import_module(f"{package.__name__}.{module.name}").FINDINGS)
    return tuple(sorted(found, key=lambda each: (SECTIONS.index(each.section), each.place)))


def registered() -> str:
    """Fingerprint of what results are stored with: it changes with every statistic that comes,
    goes or stores something else, so that older results are made anew."""
    shapes = "|".join(f"{finding.name}={shape(finding.numbers)}" for finding in findings())
    return hashlib.sha256(shapes.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Summary:
    """All that is stored of an analysis: what decided it, and the numbers of each finding."""

    signature: Signature
    settings: Settings
    counts: Counts
    notes: tuple[str, ...]
    numbers: Mapping[str, Any]
    """By finding; without those that were left out because there are too many ratings."""

    def as_json(self) -> dict[str, Any]:
        made: dict[str, Any] = as_json(self)
        return made

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Summary:
        """Raises ValueError where it was stored by code that knew other findings."""
        numbers = stored.get("numbers", {})
        return cls(
            signature=from_json(Signature, stored.get("signature", {})),
            settings=from_json(Settings, stored.get("settings", {})),
            counts=from_json(Counts, stored.get("counts", {})),
            notes=tuple(stored.get("notes", ())),
            numbers={
                finding.name: from_json(finding.numbers | None, numbers[finding.name])
                for finding in findings()
                if finding.name in numbers
            },
        )

    def present(self) -> Iterator[Finding]:
        """Findings that were computed."""
        return (finding for finding in findings() if finding.name in self.numbers)

    def tables(self) -> dict[str, Callable[[], Table]]:
        """What makes the tables that are files of their own; but for captions, which are many."""
        return {
            name: partial(make, self.numbers[finding.name])
            for finding in self.present()
            for name, make in finding.tables.items()
        }

    def context(self, adjusted: str = "p") -> Context:
        return Context(self.settings, self.counts, adjusted)

    def shown(self, adjusted: str = "p") -> list[tuple[Finding, Shown]]:
        """Every finding as it is read, in order."""
        context = self.context(adjusted)
        return [
            (finding, finding.show(self.numbers[finding.name], context))
            for finding in self.present()
        ]
