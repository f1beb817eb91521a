"""Committing, paying and releasing money. Nothing is spent that was not committed first.

Every function here runs inside the transaction of the change that spends, with the campaign's row
locked: two launches at once queue for it, and the second sees what the first has committed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Protocol

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from daplatform.errors import DomainError
from hits.bulk import rows_write
from hits.crowds.gateway import Price
from hits.models import Campaign, LedgerEntry, Posting
from hits.selectors.money import campaign_sums, policy_of, sums_of

CENT = Decimal("0.01")
# How the subjects of entries begin that stand for one person's work, and for what was left over.
PERSON = "submission:"
REST = "rest:"
Kind = LedgerEntry.Kind


class OverBudget(DomainError):
    """The campaign's budget does not reach."""


class Priced(Protocol):
    """What a posting was priced at: its row, or as much of it as that."""

    @property
    def unit_reward(self) -> Decimal: ...

    @property
    def fee(self) -> Decimal: ...

    @property
    def priced_people(self) -> int: ...


@dataclass(frozen=True)
class Promise:
    """So many more people of a posting, what they cost, and what the ledger calls it."""

    posting: int
    people: int
    price: Price
    subject: str


def campaign_lock(campaign: Campaign) -> Campaign:
    """The campaign's row, nobody else's until the transaction ends."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def money_left(campaign: Campaign) -> Decimal:
    """What may still be committed."""
    return policy_of(campaign).budget - campaign_sums(campaign).total


@transaction.atomic
def money_commit(
    *, campaign: Campaign, amount: Decimal, subject: str, posting: Posting | None = None
) -> None:
    """Promise money, within the budget. Doing it twice for one subject changes nothing."""
    campaign_lock(campaign)
    if _is_booked(campaign, Kind.COMMITTED, subject):
        return
    _refuse_beyond_budget(campaign, amount)
    _book(campaign, Kind.COMMITTED, amount, subject, posting)


@transaction.atomic
def postings_commit(*, campaign: Campaign, promises: Sequence[tuple[int, Decimal]]) -> None:
    """Promise what new postings, given by their keys, cost, all of them or none."""
    _commit_all(campaign, [(pk, amount, f"posting:{pk}") for pk, amount in promises])


@transaction.atomic
def postings_recommit(*, campaign: Campaign, postings: QuerySet[Posting]) -> None:
    """Promise again what postings cost whose promises were released when they were refused."""
    prices = postings.values_list("pk", "unit_reward", "priced_people", "fee")
    entries = LedgerEntry.objects.filter(posting__in=postings, kind=Kind.COMMITTED)
    times = Counter(entries.values_list("posting", flat=True))
    _commit_all(
        campaign,
        [
            (pk, reward * people + fee, f"posting:{pk}:{times[pk] + 1}")
            for pk, reward, people, fee in prices
        ],
    )


@transaction.atomic
def postings_commit_more(*, campaign: Campaign, promises: Sequence[Promise]) -> None:
    """Promise what more people of postings cost, all of them or none."""
    _commit_all(campaign, [(each.posting, each.price.total, each.subject) for each in promises])
    # Postings that were priced alike grow alike: a statement for each kind, not for each posting.
    alike: dict[tuple[Decimal, int], list[int]] = defaultdict(list)
    for each in promises:
        alike[each.price.fee, each.people].append(each.posting)
    for (fee, people), postings in alike.items():
        Posting.objects.filter(pk__in=postings).update(
            fee=F("fee") + fee, priced_people=F("priced_people") + people
        )


def _commit_all(campaign: Campaign, promises: Sequence[tuple[int, Decimal, str]]) -> None:
    """Amounts for postings, each under its subject; a fixed number of statements."""
    campaign_lock(campaign)
    _refuse_beyond_budget(campaign, sum((amount for _, amount, _ in promises), Decimal()))
    now = timezone.now()
    rows_write(
        LedgerEntry,
        ["campaign_id", "posting_id", "kind", "amount", "subject", "created_at"],
        (
            (campaign.pk, posting, Kind.COMMITTED, amount, subject, now)
            for posting, amount, subject in promises
            if amount > 0
        ),
        held=False,
    )


def _refuse_beyond_budget(campaign: Campaign, amount: Decimal) -> None:
    left = money_left(campaign)
    if amount > left:
        raise OverBudget(
            f"This would cost {amount:,.2f}, and {max(left, Decimal()):,.2f} of the budget is left."
        )


@transaction.atomic
def posting_commit(*, posting: Posting, price: Price, people: int, subject: str) -> None:
    """Promise what `people` more of a posting cost."""
    campaign = posting.launch.batch.campaign
    money_commit(campaign=campaign, amount=price.total, subject=subject, posting=posting)
    Posting.objects.filter(pk=posting.pk).update(
        fee=F("fee") + price.fee, priced_people=F("priced_people") + people
    )
    posting.refresh_from_db()


@transaction.atomic
def posting_withdraw(*, posting: Posting, price: Price, people: int, subject: str) -> None:
    """Take back a promise of more people that came to nothing."""
    campaign = campaign_lock(posting.launch.batch.campaign)
    if _is_booked(campaign, Kind.RELEASED, subject):
        return
    _book(campaign, Kind.RELEASED, price.total, subject, posting)
    Posting.objects.filter(pk=posting.pk).update(
        fee=F("fee") - price.fee, priced_people=F("priced_people") - people
    )


@transaction.atomic
def rewards_reserve(*, posting: Posting, promised: int, more: int, subject: str) -> None:
    """Make sure that `more` people can be paid, besides those `promised` and not paid yet.

    That holds by itself as long as the crowd sends no more people than were asked for and the
    posting is not closed; otherwise the money is committed now, within the budget.
    """
    campaign_lock(posting.launch.batch.campaign)
    posting.refresh_from_db()
    units, fee = units_used(posting)
    people = posting.priced_people - units
    is_covered = people > 0 and posting_outstanding(posting) >= _share(
        posting, posting.fee - fee, min(promised + more, people), people
    )
    lacking = min(more, promised + more - people) if is_covered else more
    if lacking > 0:
        price = price_more(posting, lacking)
        posting_commit(posting=posting, price=price, people=lacking, subject=f"{subject}:extra")


@transaction.atomic
def reward_book(*, posting: Posting, subject: str) -> None:
    """Somebody of the posting was paid. Doing it twice for one subject changes nothing.

    What a crowd paid by itself, and nobody had promised, is paid all the same: the ledger says what
    happened, and then there is nothing left to promise.
    """
    campaign = campaign_lock(posting.launch.batch.campaign)
    if _is_booked(campaign, Kind.PAID, subject):
        return
    posting.refresh_from_db()
    price = unit_price(posting)
    missing = price.total - posting_outstanding(posting)
    _book(campaign, Kind.COMMITTED, missing, f"{subject}:unasked", posting)
    # What was refused first, and overruled, was released then.
    refused = _is_booked(campaign, Kind.RELEASED, subject)
    released = f"{subject}:overruled" if refused else subject
    _book(campaign, Kind.RELEASED, price.total, released, posting)
    _book(campaign, Kind.PAID, price.reward, subject, posting)
    _book(campaign, Kind.FEE, price.fee, subject, posting)


@transaction.atomic
def reward_release(*, posting: Posting, subject: str) -> None:
    """Somebody of the posting will not be paid."""
    campaign = campaign_lock(posting.launch.batch.campaign)
    posting.refresh_from_db()
    if not _is_booked(campaign, Kind.RELEASED, subject):
        promised = min(unit_price(posting).total, posting_outstanding(posting))
        _book(campaign, Kind.RELEASED, promised, subject, posting)


def bonus_fee(amount: Decimal, rate: Decimal) -> Decimal:
    """What a crowd takes for paying a bonus: a share of it, in whole cents."""
    return (amount * rate).quantize(CENT, ROUND_CEILING)


@transaction.atomic
def bonus_book(*, campaign: Campaign, amount: Decimal, fee: Decimal, subject: str) -> None:
    """A bonus was paid that `money_commit` had promised under the same subject."""
    campaign_lock(campaign)
    if _is_booked(campaign, Kind.RELEASED, subject):
        return
    _book(campaign, Kind.RELEASED, amount + fee, subject, None)
    _book(campaign, Kind.BONUS, amount, subject, None)
    _book(campaign, Kind.FEE, fee, subject, None)


@transaction.atomic
def bonus_release(*, campaign: Campaign, amount: Decimal, subject: str) -> None:
    """A bonus that was promised will not be paid."""
    campaign_lock(campaign)
    if not _is_booked(campaign, Kind.RELEASED, subject):
        _book(campaign, Kind.RELEASED, amount, subject, None)


@transaction.atomic
def posting_release(*, posting: Posting) -> None:
    """Free what is still promised for a posting that is over."""
    campaign = campaign_lock(posting.launch.batch.campaign)
    times = LedgerEntry.objects.filter(posting=posting, subject__startswith=REST).count()
    rest = posting_outstanding(posting)
    _book(campaign, Kind.RELEASED, rest, f"{REST}{posting.pk}:{times + 1}", posting)


def posting_outstanding(posting: Posting) -> Decimal:
    """What is promised for the posting and neither paid nor released."""
    return sums_of(LedgerEntry.objects.filter(posting=posting)).outstanding


def unit_price(posting: Posting, units: int = 1) -> Price:
    """What the next person of the posting costs, or the next so many.

    The fee was priced for everybody together: each gets an equal share of what is left of it, so
    that the shares add up to it, whatever the rounding.
    """
    used, fee = units_used(posting)
    people = posting.priced_people - used
    if people < units:
        return price_more(posting, units)
    reward = posting.unit_reward * units
    return Price(reward=reward, fee=_share(posting, posting.fee - fee, units, people) - reward)


def price_more(posting: Priced, people: int) -> Price:
    """What `people` more than planned cost, at the rate the posting was priced at."""
    fee = (posting.fee / posting.priced_people * people).quantize(CENT, ROUND_CEILING)
    return Price(reward=posting.unit_reward * people, fee=fee)


def units_used(posting: Posting) -> tuple[int, Decimal]:
    """How many people of the posting were paid or refused, and their share of its fee."""
    released = LedgerEntry.objects.filter(
        posting=posting, kind=Kind.RELEASED, subject__startswith=PERSON
    )
    units = released.count()
    return units, sums_of(released).released - units * posting.unit_reward


def _share(posting: Posting, fee: Decimal, units: int, people: int) -> Decimal:
    """What `units` of `people` cost who have `fee` to share."""
    return posting.unit_reward * units + (fee * units / people).quantize(CENT, ROUND_HALF_UP)


def _is_booked(campaign: Campaign, kind: str, subject: str) -> bool:
    return LedgerEntry.objects.filter(campaign=campaign, kind=kind, subject=subject).exists()


def _book(
    campaign: Campaign, kind: str, amount: Decimal, subject: str, posting: Posting | None
) -> None:
    if amount > 0:
        LedgerEntry.objects.create(
            campaign=campaign, kind=kind, amount=amount, subject=subject, posting=posting
        )
