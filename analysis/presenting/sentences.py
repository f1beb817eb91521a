"""Numbers in words: the same ones in reports, on pages and in files."""

from __future__ import annotations

import math
from collections.abc import Sequence

UNDEFINED = "not defined"
UNCHECKED = "no degraded captions were rated, so nobody was checked"
NOTHING = "No two systems have ratings that count, so there is nothing to compare yet."
NAMED = 4  # systems listed by name before "and n more"
DIGITS = {
    "raw": 1,
    "original": 1,
    "degraded": 1,
    "repeat_distance": 1,
    "seconds": 1,
    "factor": 1,
    "more_ratings": 0,
}
PROBABILITIES = ("p", "p_holm", "p_bh")


def number(value: float, digits: int = 2) -> str:
    """
    >>> number(1234.5678), number(-0.031, 3), number(float("nan"))
    ('1,234.57', '−0.031', 'not defined')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.{digits}f}".replace("-", "−")


def probability(p: float) -> str:
    """
    >>> probability(0.0312), probability(0.00004), probability(0.9997)
    ('0.031', '< 0.001', '> 0.999')
    """
    return "< 0.001" if p < 0.001 else "> 0.999" if p > 0.999 else number(p, 3)


def p_is(p: float) -> str:
    """What follows the letter p in a sentence.

    >>> p_is(0.0312), p_is(0.00004), p_is(1.0)
    ('= 0.031', '< 0.001', '> 0.999')
    """
    said = probability(p)
    return said if said[0] in "<>" else f"= {said}"


def cell(name: str, value: object) -> str:
    """What stands in a cell of the column of that name.

    >>> cell("z", -0.12345), cell("p_holm", 0.0001), cell("kept", 1200), cell("z", None)
    ('−0.123', '< 0.001', '1,200', 'not defined')
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if name in PROBABILITIES:
        return probability(value)
    return number(value, DIGITS.get(name, 3))


def is_number(value: object) -> bool:
    """Whether it is lined up as a number; what is not defined does not disturb a column of them."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def listed(names: Sequence[str]) -> str:
    """
    >>> listed(["A"]), listed(["A", "B"]), listed(["A", "B", "C", "D", "E", "F"])
    ('A', 'A and B', 'A, B, C, D and 2 more')
    """
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
