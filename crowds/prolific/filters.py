"""Who may take part, in Prolific's filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from crowds.gateway import PermanentFault, Requirements
from crowds.prolific.shapes import Filter, Range, RangeFilter, SelectFilter

RESIDENCE: Final = "current-country-of-residence"
ALLOW: Final = "participant_group_allowlist"
BLOCK: Final = "participant_group_blocklist"
# Prolific numbers its countries and tells only their English names; these are where it recruits.
COUNTRIES: Final = {
    "AT": "Austria",
    "AU": "Australia",
    "BE": "Belgium",
    "CA": "Canada",
    "CH": "Switzerland",
    "CL": "Chile",
    "CZ": "Czech Republic",
    "DE": "Germany",
    "DK": "Denmark",
    "EE": "Estonia",
    "ES": "Spain",
    "FI": "Finland",
    "FR": "France",
    "GB": "United Kingdom",
    "GR": "Greece",
    "HU": "Hungary",
    "IE": "Ireland",
    "IL": "Israel",
    "IN": "India",
    "IS": "Iceland",
    "IT": "Italy",
    "JP": "Japan",
    "KE": "Kenya",
    "KR": "Korea",
    "LU": "Luxembourg",
    "LV": "Latvia",
    "MX": "Mexico",
    "NL": "Netherlands",
    "NO": "Norway",
    "NZ": "New Zealand",
    "PL": "Poland",
    "PT": "Portugal",
    "SE": "Sweden",
    "SI": "Slovenia",
    "US": "United States",
    "ZA": "South Africa",
}


def requirement_filters(
    requirements: Requirements, offered: Iterable[dict[str, Any]]
) -> Iterator[Filter]:
    """Filters for these requirements, countries by the numbers of the list Prolific offers."""
    if requirements.approval_rate is not None:
        rate = Range(lower=requirements.approval_rate, upper=100)
        yield RangeFilter(filter_id="approval_rate", selected_range=rate)
    if requirements.approved is not None:
        approved = Range(lower=requirements.approved)
        yield RangeFilter(filter_id="approval_numbers", selected_range=approved)
    if requirements.countries:
        numbers = {
            name: number
            for one in offered
            if one["filter_id"] == RESIDENCE
            for number, name in one["choices"].items()
        }
        yield SelectFilter(
            filter_id=RESIDENCE,
            selected_values=[_number(numbers, country) for country in requirements.countries],
        )


def group_filters(only: list[str], without: list[str]) -> Iterator[Filter]:
    """Filters for groups of people, by the groups' ids."""
    if only:
        yield SelectFilter(filter_id=ALLOW, selected_values=only)
    if without:
        yield SelectFilter(filter_id=BLOCK, selected_values=without)


def _number(numbers: dict[str, str], country: str) -> str:
    try:
        return numbers[COUNTRIES[country]]
    except KeyError:
        raise PermanentFault(f"Prolific cannot be asked for people in {country}.") from None
