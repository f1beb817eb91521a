"""What Mechanical Turk costs."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from typing import Final

from crowds.gateway import Price, PublicationSpec

CENT: Final = Decimal("0.01")
FEE: Final = Decimal("0.20")
HIGH_FEE: Final = Decimal("0.40")
# HITs for ten people or more pay the high fee.
PEOPLE_BEFORE_HIGH_FEE: Final = 9


def price_of(spec: PublicationSpec) -> Price:
    """The reward of everybody, and the fee on each: a share of it, in whole cents."""
    fees = (place.people * _fee(spec.reward, place.people) for place in spec.places)
    return Price(reward=spec.reward * spec.people, fee=sum(fees, Decimal(0)))


def _fee(reward: Decimal, people: int) -> Decimal:
    rate = HIGH_FEE if people > PEOPLE_BEFORE_HIGH_FEE else FEE
    return (reward * rate).quantize(CENT, ROUND_CEILING)
