"""Money, written one way on every page."""

from __future__ import annotations

from decimal import Decimal

from django import template

register = template.Library()


@register.filter
def money(amount: Decimal, currency: str = "USD") -> str:
    """The amount and its currency; the plan's own where no crowd has another.

    >>> money(Decimal("1234.5")), money(Decimal(0), "GBP"), money(Decimal(3), "")
    ('1,234.50 USD', '0.00 GBP', '3.00')
    """
    return f"{amount:,.2f} {currency}".rstrip()
