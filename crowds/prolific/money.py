"""Prolific counts rewards and costs in cents, bonuses in dollars: here they are converted."""

from __future__ import annotations

from decimal import Decimal

CENT = Decimal("0.01")
# What Prolific lets an hour of work be paid at least, by the currency of the workspace.
MINIMUM_PER_HOUR = {"GBP": Decimal("6.00"), "USD": Decimal("8.00")}


def cents(amount: Decimal) -> int:
    """A sum as rewards are sent: 1.5 is 150."""
    return int(_whole_cents(amount) * 100)


def bonus_amount(amount: Decimal) -> str:
    """A sum as bonuses are sent: 1.5 is "1.50"; "150" would pay a hundred and fifty."""
    if amount <= 0:
        raise ValueError(f"amount {amount} is no bonus")
    return f"{_whole_cents(amount):.2f}"


def from_cents(figure: float) -> Decimal:
    """A cost as Prolific states it, which may be a fraction of a cent: never rounded down."""
    return (Decimal(str(figure)) / 100).quantize(CENT, rounding="ROUND_CEILING")


def hourly(reward: Decimal, minutes: int) -> Decimal:
    """What a task that takes so many minutes pays for an hour."""
    return (reward * 60 / minutes).quantize(CENT, rounding="ROUND_FLOOR")


def _whole_cents(amount: Decimal) -> Decimal:
    if not amount.is_finite() or amount < 0 or amount != amount.quantize(CENT):
        raise ValueError(f"amount {amount} is not a sum in whole cents")
    return amount.quantize(CENT)
