"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, one: str, many: str) -> str:
    """
    >>> counted(1, "vote has", "votes have"), counted(1200, "vote has", "votes have")
    ('1 vote has', '1,200 votes have')
    """
    return f"{count:,} {one if count == 1 else many}"
