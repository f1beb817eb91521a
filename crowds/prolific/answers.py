"""What Prolific answered, insisted on: nonsense must never pass for “there is none”."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]


def rows(answer: Any, name: str = "results") -> list[Row]:
    """The rows of a list.

    >>> rows({"results": [{"id": "a"}]})
    [{'id': 'a'}]
    >>> rows({"results": {}})
    Traceback (most recent call last):
    ValueError: Prolific's answer has no list of results
    """
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ValueError(f"Prolific's answer has no list of {name}")
    return found


def with_texts(row: Any, *names: str) -> Row:
    """The row, whose members of these names are texts.

    >>> with_texts({"id": ["a"]}, "id")
    Traceback (most recent call last):
    ValueError: Prolific's answer lacks id
    """
    known: Row = row if isinstance(row, dict) else {}
    lacking = [name for name in names if not isinstance(known.get(name), str)]
    if lacking:
        raise ValueError(f"Prolific's answer lacks {', '.join(lacking)}")
    return known
