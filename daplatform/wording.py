"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, one: str, many: str) -> str:
    """
    >>> counted(1, "act has", "acts have"), counted(1200, "act has", "acts have")
    ('1 act has', '1,200 acts have')
    """
    return f"{count:,} {one if count == 1 else many}"
