"""What the API says of several campaigns together, of two, and of a campaign's data."""

from __future__ import annotations

from math import isnan
from typing import Any

from ninja import Schema

from analysis.evaluation.set_files import set_table_of
from analysis.models import Description, MetricEvaluation, Result
from analysis.presenting.exports import records
from analysis.results.comparing import Comparison
from analysis.selectors.comparisons import results_compare
from analysis.selectors.descriptions import description_is_here, description_tables
from analysis.selectors.evaluations import set_numbers

Rows = list[dict[str, Any]]
SETS = ("sets", "williams", "systems", "fusion", "coefficients")


class SetsOut(Schema):
    """Metrics against the people of several campaigns: each by itself, their mean, and pooled."""

    is_current: bool
    signature: str | None
    problem: str | None
    campaigns: list[str]
    notes: list[str]
    sets: Rows
    williams: Rows
    systems: Rows
    fusion: Rows
    coefficients: Rows


class DescriptionOut(Schema):
    """What a paper says of its data: the tables of the page *Data*, by name."""

    is_current: bool
    signature: str | None
    problem: str | None
    tables: dict[str, Rows]


class ComparisonOut(Schema):
    """Two campaigns by the systems that both have: how scores go together, and which differences
    repeat. Empty until both are ranked, and where no system has a score in both."""

    is_current: bool
    signatures: list[str | None]
    correlations: Rows
    systems: Rows
    pairs: Rows


def sets_content(shown: MetricEvaluation | None) -> dict[str, Any]:
    """Where the numbers are not on this machine, as after a restore, the lists are empty."""
    try:
        found = set_numbers(shown) if shown and shown.signature else None
    except (FileNotFoundError, ValueError):
        found = None
    return {
        "is_current": True,
        "signature": shown.signature if shown else None,
        "problem": shown.problem if shown else None,
        "campaigns": list(found.joined) if found else [],
        "notes": list(found.notes) if found else [],
    } | {name: records(set_table_of(found, name)) if found else [] for name in SETS}


def description_content(shown: Description | None) -> dict[str, Any]:
    is_here = shown is not None and bool(shown.signature) and description_is_here(shown)
    return {
        "is_current": True,
        "signature": shown.signature if shown else None,
        "problem": shown.problem if shown else None,
        "tables": plain(description_tables(shown)) if shown and is_here else {},
    }


def comparison_content(first: Result | None, second: Result | None) -> dict[str, Any]:
    both = [first, second]
    try:
        found = _compared(first, second)
    except (FileNotFoundError, ValueError):  # lost, or no system has a score in both
        found = None
    names = ("correlations", "systems", "pairs")
    return {
        "is_current": True,
        "signatures": [one.signature if one else None for one in both],
    } | {name: plain(getattr(found, name)) if found else [] for name in names}


def _compared(first: Result | None, second: Result | None) -> Comparison | None:
    if first is None or second is None or not (first.signature and second.signature):
        return None
    return results_compare(first, second)


def plain(content: Any) -> Any:
    """With None for numbers that are not defined, as JSON has no word for them."""
    if isinstance(content, dict):
        return {name: plain(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [plain(value) for value in content]
    return None if isinstance(content, float) and isnan(content) else content
