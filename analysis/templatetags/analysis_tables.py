"""Rows of a result as cells of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analysis.evaluation import headings as meta
from analysis.presenting import downloads, sentences
from analysis.presenting.pairs import PairTest

register = template.Library()


@register.simple_tag
def table_formats() -> list[downloads.Format]:
    """What tables of results are offered in."""
    return list(downloads.table_formats().values())


@register.simple_tag
def all_formats() -> list[downloads.Format]:
    """What lists are offered in."""
    return list(downloads.formats().values())


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
def metric_row(row: Mapping[str, Any], headings: Mapping[str, str]) -> SafeString:
    """The cells of a table about metrics, as their report writes them; the first names the row.

    >>> metric_row({"metric": "a<b", "n": 3}, {"metric": "Metric", "n": "Captions"})
    '<th scope="row">a&lt;b</th><td class="number">3</td>'
    """
    first, *others = headings
    name = format_html('<th scope="row">{}</th>', meta.show(first, row.get(first)))
    cells = (
        ("number" if sentences.is_number(row.get(each)) else "", meta.show(each, row.get(each)))
        for each in others
    )
    return name + format_html_join("", '<td class="{}">{}</td>', cells)


@register.filter
def matrix_row(tests: Sequence[PairTest | None]) -> SafeString:
    """The cells of a matrix of tests: thousands, too many for a template's loop.

    >>> matrix_row([None, PairTest("A", "B", 0.24, False)])
    '<td class="matrix-self" title=""></td><td class="number" \
title="A is not significantly better than B: p = 0.240">0.240</td>'
    """
    return format_html_join("", '<td class="{}" title="{}">{}</td>', map(_test_cell, tests))


def _test_cell(test: PairTest | None) -> tuple[str, str, str]:
    if test is None:
        return "matrix-self", "", ""
    return "number is-win" if test.is_win else "number", test.sentence, test.short
