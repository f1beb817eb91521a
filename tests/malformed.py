"""Answers that are JSON, and not what was promised."""

from __future__ import annotations

from typing import Any


def other_types(value: Any) -> Any:
    """Every value is of another type than it was.

    >>> other_types({"id": "a", "rows": [1]})
    {'id': [['a']], 'rows': [{'not': 'expected'}]}
    """
    if isinstance(value, dict):
        return {name: [other_types(each)] for name, each in value.items()}
    return {"not": "expected"} if isinstance(value, list) else [value]
