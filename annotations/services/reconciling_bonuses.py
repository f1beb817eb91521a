"""Comparing the bonuses in our ledger with those the crowd says it has paid."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet
from django.utils import timezone

from hits.crowds.gateway import Gateway
from hits.models import Act, ExternalId, Launch, LedgerEntry, Posting
from hits.selectors.money import NOTHING, sums_of
from hits.services.money import bonus_fee

Kind = LedgerEntry.Kind
# So long after a payment a crowd may not list it yet.
LISTED_AFTER = dt.timedelta(hours=1)


@dataclass(frozen=True)
class Paid:
    """What was paid on top of one submission's reward."""

    amount: Decimal = NOTHING
    fee: Decimal = NOTHING

    def __add__(self, other: Paid) -> Paid:
        return Paid(self.amount + other.amount, self.fee + other.fee)

    @property
    def total(self) -> Decimal:
        return self.amount + self.fee


def bonus_differences(launch: Launch, gateway: Gateway) -> Iterator[str]:
    """Submissions for which other bonuses were paid than the ledger has, and what that comes to.

    Postings that are closed are left out: their crowd may have forgotten them.
    """
    ours = _added(bonuses_booked(launch))
    theirs = _added(bonuses_paid(launch, gateway))
    unsure, fresh = _submissions_in_doubt(launch), _submissions_just_paid(launch)
    surplus = NOTHING
    for name in sorted({*ours, *theirs} - unsure):
        here, there = ours[name], theirs[name]
        if here.amount == there.amount or (here.amount > there.amount and name in fresh):
            continue
        surplus += there.total - here.total
        yield (
            f"Bonuses for submission {name} are {here.amount:.2f} here and {there.amount:.2f} at "
            "the crowd."
        )
    if surplus:
        spent = launch_spent(launch)
        yield (
            f"With fees, the ledger has {spent:.2f} {launch.currency} paid for this launch, and "
            f"the crowd {spent + surplus:.2f}."
        )


def bonuses_booked(launch: Launch) -> Iterator[tuple[str, Paid]]:
    """What the ledger says of each bonus, with its submission as the crowd calls it."""
    acts = _bonuses(launch).exclude(posting__standing=Posting.Standing.CLOSED)
    names = {act.subject: act.payload["submission"] for act in acts}
    for entry in _entries(launch).filter(subject__in=names):
        is_fee = entry.kind == Kind.FEE
        amount = entry.amount
        yield names[entry.subject], Paid(fee=amount) if is_fee else Paid(amount)


def bonuses_paid(launch: Launch, gateway: Gateway) -> Iterator[tuple[str, Paid]]:
    """What the crowd says. Nobody was paid where nobody has handed in."""
    worked = ExternalId.objects.filter(
        posting__launch=launch,
        posting__submissions__isnull=False,
        kind=ExternalId.Kind.PUBLICATION,
    ).exclude(posting__standing=Posting.Standing.CLOSED)
    names = worked.order_by("pk").values_list("external_id", flat=True).distinct()
    rate = gateway.facts.bonus_fee_rate
    for payment in gateway.bonuses(list(names)):
        yield payment.submission, Paid(payment.amount, bonus_fee(payment.amount, rate))


def launch_spent(launch: Launch) -> Decimal:
    """All that the ledger has as paid for a launch, bonuses and fees included."""
    rewards = sums_of(LedgerEntry.objects.filter(posting__launch=launch)).spent
    return rewards + sums_of(_entries(launch)).spent


def _added(payments: Iterable[tuple[str, Paid]]) -> defaultdict[str, Paid]:
    sums: defaultdict[str, Paid] = defaultdict(Paid)
    for name, paid in payments:
        sums[name] += paid
    return sums


def _bonuses(launch: Launch) -> QuerySet[Act]:
    return Act.objects.filter(posting__launch=launch, kind=Act.Kind.BONUS)


def _entries(launch: Launch) -> QuerySet[LedgerEntry]:
    """Bonuses are booked on the campaign: their acts say to which launch they belong."""
    return LedgerEntry.objects.filter(
        campaign=launch.batch.campaign,
        kind__in=[Kind.BONUS, Kind.FEE],
        subject__in=_bonuses(launch).values("subject"),
    )


def _submissions_in_doubt(launch: Launch) -> set[str]:
    """Those with a bonus that is just being paid or looked up."""
    unsure = _bonuses(launch).filter(state__in=[Act.State.CLAIMED, Act.State.UNCLEAR])
    return {act.payload["submission"] for act in unsure}


def _submissions_just_paid(launch: Launch) -> set[str]:
    fresh = _bonuses(launch).filter(ended_at__gt=timezone.now() - LISTED_AFTER)
    return {act.payload["submission"] for act in fresh}
