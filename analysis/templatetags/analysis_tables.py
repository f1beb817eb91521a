"""Rows of a result as cells of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import template

from analysis import sentences
from analysis.meta import headings as meta

register = template.Library()


class Cell(NamedTuple):
    """What stands in a cell, and whether it is lined up as a number."""

    text: str
    is_number: bool


@register.filter
def cells(row: Mapping[str, Any], headings: Mapping[str, str]) -> list[Cell]:
    """The row's values in the order of the headings; what is not defined says so.

    >>> cells({"p": 0.00001, "system": "A"}, {"system": "System", "p": "p"})
    [Cell(text='A', is_number=False), Cell(text='< 0.001', is_number=True)]
    """
    return [
        Cell(sentences.cell(name, row.get(name)), sentences.is_number(row.get(name)))
        for name in headings
    ]


@register.filter
def shown(value: object, name: str) -> str:
    """One value of the column of that name.

    >>> shown(0.00001, "p"), shown(None, "seconds")
    ('< 0.001', 'not defined')
    """
    return sentences.cell(name, value)


@register.filter
def heading_cells(rows: Sequence[Mapping[str, Any]], headings: Mapping[str, str]) -> list[Cell]:
    """The headings, those over numbers lined up with them."""
    return [
        Cell(heading, all(sentences.is_number(row.get(name)) for row in rows))
        for name, heading in headings.items()
    ]


@register.filter
def metric_cells(row: Mapping[str, Any], headings: Mapping[str, str]) -> list[Cell]:
    """The same for the tables about metrics, as their report writes them.

    >>> metric_cells({"removed_percent": 3.246}, {"removed_percent": "%"})
    [Cell(text='3.2', is_number=True)]
    """
    return [
        Cell(meta.show(name, row.get(name)), sentences.is_number(row.get(name)))
        for name in headings
    ]
