"""The requester's account, and what the marketplace takes for itself."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from rehearsal.mturk.refusals import Refusal

CENT = Decimal("0.01")
FEE = Decimal("0.20")
FEE_FOR_MANY = Decimal("0.40")
MANY = 10


def fee_rate(assignments: int) -> Decimal:
    """A fifth of the reward; two fifths when a HIT was made for ten people or more."""
    return FEE_FOR_MANY if assignments >= MANY else FEE


def with_fee(amount: Decimal, rate: Decimal = FEE) -> Decimal:
    """What an amount paid to a worker costs its requester; a started cent of the fee counts.

    >>> with_fee(Decimal("0.99")), with_fee(Decimal("0.01"))
    (Decimal('1.19'), Decimal('0.02'))
    """
    return amount + (amount * rate).quantize(CENT, ROUND_CEILING)


@dataclass
class Account:
    """Money is held from the moment work is offered until it is decided."""

    deposited: Decimal
    paid: Decimal = Decimal(0)
    held: Decimal = Decimal(0)

    @property
    def available(self) -> Decimal:
        return self.deposited - self.paid - self.held

    def require(self, amount: Decimal) -> None:
        if amount > self.available:
            raise Refusal(
                "This Requester has insufficient funds in their account to complete this "
                f"transaction: {amount} needed, {self.available} available.",
                "InsufficientFunds",
            )
