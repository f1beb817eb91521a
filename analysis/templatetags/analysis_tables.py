"""Rows of a result as cells of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import template

register = template.Library()


class Cell(NamedTuple):
    """What stands in a cell, and whether it is lined up as a number."""

    text: str
    is_number: bool


@register.filter
def cells(row: Mapping[str, Any], headings: Mapping[str, str]) -> list[Cell]:
    """The row's values in the order of the headings; what is not defined says so."""
    return [cell(row.get(name)) for name in headings]


def cell(value: Any) -> Cell:
    """
    >>> cell(0.12345), cell(None).text, cell(True).text
    (Cell(text='0.123', is_number=True), 'not defined', 'yes')
    """
    if value is None:
        return Cell("not defined", is_number=False)
    if isinstance(value, bool):
        return Cell("yes" if value else "no", is_number=False)
    if isinstance(value, int):
        return Cell(f"{value:,}", is_number=True)
    if isinstance(value, float):
        return Cell(
            f"{value:.3f}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}", is_number=True
        )
    return Cell(str(value), is_number=False)
