"""What a campaign has spent and may still spend, added up from its ledger."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet, Sum

from crowds.models import Launch, LedgerEntry, Policy
from hits.models import Campaign

Kind = LedgerEntry.Kind
NOTHING = Decimal("0.00")
PLANNED = "USD"
"""What the plan's reward is in."""


@dataclass(frozen=True)
class Sums:
    """A ledger's totals by kind."""

    committed: Decimal = NOTHING
    released: Decimal = NOTHING
    paid: Decimal = NOTHING
    fee: Decimal = NOTHING
    bonus: Decimal = NOTHING

    @property
    def outstanding(self) -> Decimal:
        """Promised and not yet paid: for work that is out, under way or undecided."""
        return self.committed - self.released

    @property
    def spent(self) -> Decimal:
        return self.paid + self.fee + self.bonus

    @property
    def total(self) -> Decimal:
        """What the campaign costs if everything promised is paid: never above the budget."""
        return self.outstanding + self.spent


def sums_of(entries: QuerySet[LedgerEntry]) -> Sums:
    """To the cent: SQLite adds up floating-point numbers."""
    totals = entries.order_by().values("kind").annotate(total=Sum("amount"))
    return Sums(**{row["kind"]: row["total"].quantize(NOTHING) for row in totals})


def campaign_sums(campaign: Campaign) -> Sums:
    return sums_of(LedgerEntry.objects.filter(campaign=campaign))


def campaign_currency(campaign: Campaign) -> str:
    """What the campaign's launches pay in; empty where they differ, for then sums mean nothing.

    Before any launch it is the plan's.
    """
    launches = Launch.objects.filter(batch__campaign=campaign)
    found = set(launches.values_list("currency", flat=True))
    if not found:
        return PLANNED
    return found.pop() if len(found) == 1 else ""


def policy_of(campaign: Campaign) -> Policy:
    """The campaign's budget and rules; nobody having set any, no budget and the usual rules."""
    return Policy.objects.filter(campaign=campaign).first() or Policy(campaign=campaign)
